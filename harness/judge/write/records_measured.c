// SPDX-License-Identifier: Apache-2.0
// Records of what was measured: evidence about sources of random words, and times.

#include "harness/judge/write/records.h"

static void begin(struct text *text, const char *record)
{
    json_begin_object(text);
    json_put_pair(text, "record", record);
}

static void end(struct records *records)
{
    json_end_object(&records->text);
    text_put_bytes(&records->text, "\n", 1);
    records->text.comma = false;
    records->records++;
}

void records_put_evidence(struct records *records, const struct records_evidence *evidence)
{
    struct text *const text = &records->text;
    begin(text, "evidence");
    json_put_pairs(text, {"source", evidence->source}, {"test", evidence->test},
                   {"night", evidence->night});
    json_put_unsigned_at(text, "bits", evidence->bits);
    json_put_real_at(text, "p", evidence->p);
    json_put_real_at(text, "e", evidence->e);
    json_put_pair(text, "verdict", evidence->alarm ? "flawed" : "clean");
    json_put_pair(text, "reason", evidence->reason);
    end(records);
}

static void put_side(struct records *records, const struct records_timing *timing, bool ours)
{
    struct text *const text = &records->text;
    begin(text, "timing");
    json_put_pair(text, "what", timing->what);
    json_put_boolean_at(text, "ours", ours);
    if (!ours)
        json_put_pair(text, "peer", timing->peer);
    json_put_real_at(text, "seconds", ours ? timing->ours : timing->theirs);
    if (timing->bytes)
        json_put_unsigned_at(text, "bytes", timing->bytes);
    json_put_unsigned_at(text, "threads", timing->threads);
    if (!ours)
        json_put_real_at(text, "ratio", timing->theirs / timing->ours);
    end(records);
}

void records_put_timing(struct records *records, const struct records_timing *timing)
{
    put_side(records, timing, true);
    put_side(records, timing, false);
}
