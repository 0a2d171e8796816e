// SPDX-License-Identifier: Apache-2.0
// The tables behind results.schema.json. A test holds the two against each other.

#include "reports/results_shape.h"

#include <limits.h>
#include <stddef.h>

#include "ref/base/verdict.h"

const char *const results_level_words[] = {"distribution", "bound", "bits", NULL};

static const char *const record_words[] = {"header",   "case",   "mutant", "score",
                                           "evidence", "timing", "footer", NULL};
static const char *const format_words[] = {"assay.results/1", NULL};
static const char *const command_words[] = {"certify", "audit", "mutants", "bench", "score", NULL};
static const char *const mode_words[] = {"sequence", "stepwise", NULL};
static const char *const target_kind_words[] = {"plugin", "process", "source", NULL};
static const char *const known_words[] = {"expected", "cured", "unlisted", NULL};
static const char *const flaw_words[] = {"refused", "shape", "narrow", "wrong", "outside", NULL};
static const char *const evidence_words[] = {"clean", "suspicious", "flawed", NULL};
static const char *const dtype_words[] = {
    "bool",       "i8",     "i16",    "i32", "i64", "u8",     "u16",    "u32",
    "u64",        "f16",    "bf16",   "f32", "f64", "f8e4m3", "f8e5m2", "f8e4m3fnuz",
    "f8e5m2fnuz", "f8e8m0", "f4e2m1", "i4",  "u4",  "i2",     "u2",     NULL};

// ---- header -----------------------------------------------------------------

static const struct shape tool[] = {
    {.key = "name", .kind = SHAPE_TEXT, .needed = true},
    {.key = "version", .kind = SHAPE_TEXT, .needed = true},
    {.key = "sha256", .kind = SHAPE_DIGEST},
    {0},
};
static const struct shape shard[] = {
    {.key = "index", .kind = SHAPE_COUNT, .needed = true, .least = 1},
    {.key = "count", .kind = SHAPE_COUNT, .needed = true, .least = 1},
    {0},
};
static const struct shape named_digest[] = {
    {.key = "name", .kind = SHAPE_TEXT, .needed = true},
    {.key = "sha256", .kind = SHAPE_DIGEST, .needed = true},
    {0},
};
static const struct shape file_digest[] = {
    {.key = "file", .kind = SHAPE_TEXT, .needed = true},
    {.key = "sha256", .kind = SHAPE_DIGEST, .needed = true},
    {0},
};
static const struct shape suite[] = {
    {.key = "name", .kind = SHAPE_TEXT, .needed = true},
    {.key = "version", .kind = SHAPE_TEXT, .needed = true},
    {.key = "title", .kind = SHAPE_TEXT, .needed = true},
    {.key = "sha256", .kind = SHAPE_DIGEST, .needed = true},
    {.key = "vectors", .kind = SHAPE_DIGEST},
    {.key = "manifest", .kind = SHAPE_DIGEST},
    {.key = "operators", SHAPE_OBJECTS(named_digest), .most = 256},
    {.key = "file", .kind = SHAPE_TEXT},
    {.key = "cases", .kind = SHAPE_COUNT, .most = 4000000},
    {.key = "reference_only", .kind = SHAPE_TEXT},
    {0},
};
static const struct shape requirement[] = {
    {.key = "suite", .kind = SHAPE_TEXT, .needed = true},
    {.key = "id", .kind = SHAPE_TEXT, .needed = true},
    {.key = "text", .kind = SHAPE_TEXT, .needed = true},
    {.key = "clause", .kind = SHAPE_TEXT},
    {.key = "cases", .kind = SHAPE_COUNT, .most = 4000000},
    {0},
};
static const struct shape erratum[] = {
    {.key = "suite", .kind = SHAPE_TEXT, .needed = true},
    {.key = "id", .kind = SHAPE_TEXT, .needed = true},
    {.key = "clause", .kind = SHAPE_TEXT, .needed = true},
    {.key = "says", .kind = SHAPE_TEXT, .needed = true},
    {.key = "decided", .kind = SHAPE_TEXT, .needed = true},
    {0},
};
static const struct shape recorded[] = {
    {.key = "at", .kind = SHAPE_TIME, .needed = true},
    {.key = "by", .kind = SHAPE_TEXT, .needed = true},
    {.key = "sha256", .kind = SHAPE_DIGEST, .needed = true},
    {.key = "suites", .kind = SHAPE_TEXT},
    {.key = "signer", .kind = SHAPE_TEXT},
    {0},
};
static const struct shape target[] = {
    {.key = "name", .kind = SHAPE_TEXT, .needed = true},
    {.key = "kind", .kind = SHAPE_WORD, .needed = true, .words = target_kind_words},
    {.key = "version", .kind = SHAPE_TEXT},
    {.key = "file", .kind = SHAPE_TEXT},
    {.key = "sha256", .kind = SHAPE_DIGEST},
    {.key = "held_to", .kind = SHAPE_TEXT},
    {.key = "libraries", SHAPE_OBJECTS(file_digest)},
    {.key = "model", .kind = SHAPE_TEXT},
    {.key = "outside", .kind = SHAPE_TEXT},
    {.key = "environment", .kind = SHAPE_TEXT},
    {.key = "unseen", .kind = SHAPE_TEXT},
    {.key = "untried", .kind = SHAPE_TEXT},
    {.key = "unavailable", .kind = SHAPE_TEXT},
    {.key = "recorded", .kind = SHAPE_OBJECT, .fields = recorded},
    {0},
};
static const struct shape machine[] = {
    {.key = "architecture", .kind = SHAPE_TEXT, .needed = true},
    {.key = "processor", .kind = SHAPE_TEXT},
    {.key = "processors", .kind = SHAPE_COUNT, .least = 1},
    {.key = "instructions", .kind = SHAPE_TEXT},
    {.key = "class", .kind = SHAPE_TEXT},
    {.key = "system", .kind = SHAPE_TEXT},
    {.key = "compiler", .kind = SHAPE_TEXT},
    {0},
};

const struct shape results_header_shape[] = {
    {.key = "record", .kind = SHAPE_WORD, .needed = true, .words = record_words},
    {.key = "format", .kind = SHAPE_WORD, .needed = true, .words = format_words},
    {.key = "tool", .kind = SHAPE_OBJECT, .needed = true, .fields = tool},
    {.key = "command", .kind = SHAPE_WORD, .needed = true, .words = command_words},
    {.key = "started", .kind = SHAPE_TIME},
    {.key = "plan", .kind = SHAPE_DIGEST, .needed = true},
    {.key = "shard", .kind = SHAPE_OBJECT, .fields = shard},
    {.key = "seed", .kind = SHAPE_DECIMAL},
    {.key = "drawn", .kind = SHAPE_TRUE},
    {.key = "quick", .kind = SHAPE_TRUE},
    {.key = "mode", .kind = SHAPE_WORD, .words = mode_words},
    {.key = "selection", .kind = SHAPE_TEXT},
    {.key = "known", .kind = SHAPE_OBJECT, .fields = named_digest},
    {.key = "time_ms", .kind = SHAPE_COUNT, .least = 1},
    {.key = "suites", SHAPE_OBJECTS(suite), .needed = true},
    {.key = "requirements", SHAPE_OBJECTS(requirement), .needed = true},
    {.key = "errata", SHAPE_OBJECTS(erratum)},
    {.key = "targets", SHAPE_OBJECTS(target), .needed = true},
    {.key = "machine", .kind = SHAPE_OBJECT, .needed = true, .fields = machine},
    {0},
};

// ---- case -------------------------------------------------------------------

static const struct shape condition[] = {
    {.key = "threads", .kind = SHAPE_COUNT},
    {.key = "repeat", .kind = SHAPE_COUNT},
    {.key = "after", .kind = SHAPE_TEXT},
    {.key = "feed", .kind = SHAPE_TEXT},
    {.key = "buffer", .kind = SHAPE_TEXT},
    {.key = "fill", .kind = SHAPE_TEXT},
    {0},
};
static const struct shape known[] = {
    {.key = "why", .kind = SHAPE_TEXT, .needed = true},
    {.key = "state", .kind = SHAPE_WORD, .needed = true, .words = known_words},
    {0},
};
static const struct shape element[] = {
    {.key = "at", .kind = SHAPE_COUNT, .needed = true, .most = LLONG_MAX},
    {.key = "expected", .kind = SHAPE_BITS, .needed = true},
    {.key = "got", .kind = SHAPE_BITS, .needed = true},
    {.key = "lower", .kind = SHAPE_BITS},
    {.key = "upper", .kind = SHAPE_BITS},
    {.key = "ulp", .kind = SHAPE_REAL},
    {0},
};
static const struct shape histogram[] = {
    {.key = "edges", SHAPE_LIST_OF(.kind = SHAPE_REAL), .needed = true, .most = 65},
    {.key = "counts", SHAPE_LIST_OF(.kind = SHAPE_COUNT), .needed = true, .most = 65},
    {.key = "largest", .kind = SHAPE_REAL, .needed = true},
    {0},
};
static const struct shape map[] = {
    {.key = "rows", .kind = SHAPE_COUNT, .needed = true, .least = 1, .most = 64},
    {.key = "columns", .kind = SHAPE_COUNT, .needed = true, .least = 1, .most = 64},
    {.key = "row_name", .kind = SHAPE_TEXT},
    {.key = "column_name", .kind = SHAPE_TEXT},
    {.key = "row_count", .kind = SHAPE_COUNT, .most = LLONG_MAX},
    {.key = "column_count", .kind = SHAPE_COUNT, .most = LLONG_MAX},
    {.key = "cells", SHAPE_LIST_OF(.kind = SHAPE_COUNT), .needed = true, .most = 4096},
    {0},
};
static const struct shape output[] = {
    {.key = "name", .kind = SHAPE_TEXT, .needed = true},
    {.key = "dtype", .kind = SHAPE_WORD, .needed = true, .words = dtype_words},
    {.key = "shape",
     SHAPE_LIST_OF(.kind = SHAPE_COUNT, .most = LLONG_MAX),
     .needed = true,
     .most = 16},
    {.key = "run", .kind = SHAPE_COUNT},
    {.key = "compared", .kind = SHAPE_COUNT},
    {.key = "wrong", .kind = SHAPE_COUNT},
    {.key = "first", SHAPE_LIST_OF(.kind = SHAPE_COUNT, .most = LLONG_MAX), .most = 16},
    {.key = "elements", SHAPE_OBJECTS(element), .most = 64},
    {.key = "shape_got", .kind = SHAPE_TEXT},
    {.key = "ulp", .kind = SHAPE_OBJECT, .fields = histogram},
    {.key = "radius", .kind = SHAPE_OBJECT, .fields = histogram},
    {.key = "map", .kind = SHAPE_OBJECT, .fields = map},
    {0},
};
static const struct shape explained[] = {
    {.key = "profile", .kind = SHAPE_PROFILE},
    {.key = "text", .kind = SHAPE_TEXT},
    {.key = "searched", .kind = SHAPE_COUNT, .needed = true},
    {0},
};

static const struct shape step[] = {
    {.key = "layer", .kind = SHAPE_COUNT, .needed = true},
    {.key = "direction", .kind = SHAPE_COUNT, .needed = true},
    {.key = "time", .kind = SHAPE_COUNT, .needed = true},
    {.key = "gate", .kind = SHAPE_COUNT},
    {.key = "gate_name", .kind = SHAPE_TEXT},
    {0},
};

const char *const results_standing_words[] = {"underived", "agrees", "differs", NULL};

static const struct shape stored[] = {
    {.key = "by", .kind = SHAPE_TEXT, .needed = true},
    {.key = "where", .kind = SHAPE_TEXT},
    {.key = "tolerance", .kind = SHAPE_TEXT},
    {.key = "reference", .kind = SHAPE_WORD, .needed = true, .words = results_standing_words},
    {.key = "differs", .kind = SHAPE_TEXT},
    {0},
};

const struct shape results_case_shape[] = {
    {.key = "record", .kind = SHAPE_WORD, .needed = true, .words = record_words},
    {.key = "target", .kind = SHAPE_TEXT, .needed = true},
    {.key = "suite", .kind = SHAPE_TEXT, .needed = true},
    {.key = "case", .kind = SHAPE_TEXT, .needed = true},
    {.key = "op", .kind = SHAPE_TEXT, .needed = true},
    {.key = "covers", SHAPE_LIST_OF(.kind = SHAPE_TEXT), .needed = true},
    {.key = "verdict", .kind = SHAPE_WORD, .needed = true, .words = verdict_words},
    {.key = "required", .kind = SHAPE_WORD, .needed = true, .words = results_level_words},
    {.key = "reached", .kind = SHAPE_WORD, .words = results_level_words},
    {.key = "compared", .kind = SHAPE_COUNT},
    {.key = "negative", .kind = SHAPE_TRUE},
    {.key = "stored", .kind = SHAPE_OBJECT, .fields = stored},
    {.key = "steps", .kind = SHAPE_COUNT, .least = 1},
    {.key = "step", .kind = SHAPE_OBJECT, .fields = step},
    {.key = "observed", .kind = SHAPE_TRUE},
    {.key = "profile", .kind = SHAPE_PROFILE},
    {.key = "reason", .kind = SHAPE_TEXT},
    {.key = "stderr", .kind = SHAPE_TEXT},
    {.key = "conditions", .kind = SHAPE_COUNT},
    {.key = "condition", .kind = SHAPE_OBJECT, .fields = condition},
    {.key = "known", .kind = SHAPE_OBJECT, .fields = known},
    {.key = "outputs", SHAPE_OBJECTS(output)},
    {.key = "explained", .kind = SHAPE_OBJECT, .fields = explained},
    {.key = "about", .kind = SHAPE_TEXT},
    {.key = "request", .kind = SHAPE_TEXT},
    {.key = "reproduce", .kind = SHAPE_TEXT},
    {.key = "microseconds", .kind = SHAPE_REAL},
    {0},
};

// ---- the others -------------------------------------------------------------

const struct shape results_mutant_shape[] = {
    {.key = "record", .kind = SHAPE_WORD, .needed = true, .words = record_words},
    {.key = "suite", .kind = SHAPE_TEXT, .needed = true},
    {.key = "op", .kind = SHAPE_TEXT, .needed = true},
    {.key = "profile", .kind = SHAPE_PROFILE, .needed = true},
    {.key = "killed", .kind = SHAPE_BOOLEAN, .needed = true},
    {.key = "killers", SHAPE_LIST_OF(.kind = SHAPE_TEXT), .most = 64},
    {.key = "kills", .kind = SHAPE_COUNT},
    {.key = "requirements", SHAPE_LIST_OF(.kind = SHAPE_TEXT)},
    {.key = "waived", .kind = SHAPE_TEXT},
    {0},
};

static const struct shape mistake[] = {
    {.key = "profile", .kind = SHAPE_PROFILE, .needed = true},
    {.key = "theirs", .kind = SHAPE_TEXT},
    {.key = "ours", .kind = SHAPE_TEXT},
    {0},
};
static const struct shape flaw[] = {
    {.key = "test", .kind = SHAPE_TEXT, .needed = true},
    {.key = "verdict", .kind = SHAPE_WORD, .needed = true, .words = flaw_words},
    {.key = "reason", .kind = SHAPE_TEXT},
    {.key = "profile", .kind = SHAPE_PROFILE},
    {.key = "output", .kind = SHAPE_TEXT},
    {.key = "dtype", .kind = SHAPE_WORD, .words = dtype_words},
    {.key = "at", .kind = SHAPE_COUNT, .most = LLONG_MAX},
    {.key = "wrong", .kind = SHAPE_COUNT},
    {.key = "compared", .kind = SHAPE_COUNT},
    {.key = "expected", .kind = SHAPE_BITS},
    {.key = "right", .kind = SHAPE_BITS},
    {.key = "lower", .kind = SHAPE_BITS},
    {.key = "upper", .kind = SHAPE_BITS},
    {0},
};

const struct shape results_score_shape[] = {
    {.key = "record", .kind = SHAPE_WORD, .needed = true, .words = record_words},
    {.key = "source", .kind = SHAPE_TEXT, .needed = true},
    {.key = "suite", .kind = SHAPE_TEXT, .needed = true},
    {.key = "operator", .kind = SHAPE_TEXT},
    {.key = "tests", .kind = SHAPE_COUNT, .needed = true},
    {.key = "held", .kind = SHAPE_COUNT, .needed = true},
    {.key = "refused", .kind = SHAPE_COUNT},
    {.key = "mistakes", SHAPE_OBJECTS(mistake), .needed = true},
    {.key = "flaws", SHAPE_OBJECTS(flaw), .needed = true},
    {0},
};

const struct shape results_evidence_shape[] = {
    {.key = "record", .kind = SHAPE_WORD, .needed = true, .words = record_words},
    {.key = "source", .kind = SHAPE_TEXT, .needed = true},
    {.key = "test", .kind = SHAPE_TEXT, .needed = true},
    {.key = "night", .kind = SHAPE_TEXT},
    {.key = "bits", .kind = SHAPE_COUNT},
    {.key = "statistic", .kind = SHAPE_REAL},
    {.key = "p", .kind = SHAPE_REAL, .needed = true},
    {.key = "e", .kind = SHAPE_REAL},
    {.key = "verdict", .kind = SHAPE_WORD, .words = evidence_words},
    {.key = "reason", .kind = SHAPE_TEXT},
    {0},
};

const struct shape results_timing_shape[] = {
    {.key = "record", .kind = SHAPE_WORD, .needed = true, .words = record_words},
    {.key = "what", .kind = SHAPE_TEXT, .needed = true},
    {.key = "ours", .kind = SHAPE_BOOLEAN, .needed = true},
    {.key = "peer", .kind = SHAPE_TEXT},
    {.key = "seconds", .kind = SHAPE_REAL, .needed = true},
    {.key = "bytes", .kind = SHAPE_COUNT},
    {.key = "operations", .kind = SHAPE_COUNT},
    {.key = "threads", .kind = SHAPE_COUNT, .least = 1},
    {.key = "ratio", .kind = SHAPE_REAL},
    {0},
};

const struct shape results_footer_shape[] = {
    {.key = "record", .kind = SHAPE_WORD, .needed = true, .words = record_words},
    {.key = "records", .kind = SHAPE_COUNT, .needed = true},
    {.key = "verdicts", .kind = SHAPE_TALLY, .words = verdict_words},
    {.key = "sha256", .kind = SHAPE_DIGEST, .needed = true},
    {0},
};
