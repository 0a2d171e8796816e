# SPDX-License-Identifier: Apache-2.0
# Read from the top: what is built, with what, how it is tested. `make help` lists the targets,
# `make V=1` shows commands. Everything that is made lies under $(BUILD). A source file is found by
# its room; a new one needs no line here.

BUILD  ?= build
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
OPT    ?= -O3
WERROR ?=
ASSERTS ?= 1
PYTHON ?= $(BUILD)/venv/bin/python
PARALLEL := $(shell nproc)
SUBMAKE  := $(MAKE) --no-print-directory -j$(PARALLEL)
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)

MACHINE  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wvla \
            -Wmissing-prototypes
# Asserts check preconditions and invariants everywhere but in what is installed (ASSERTS=0).
CPPFLAGS += -I. -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE $(if $(filter 0,$(ASSERTS)),-DNDEBUG)
CFLAGS    = -std=c11 $(OPT) -g -ffile-prefix-map=$(CURDIR)=. -fPIC -pthread \
            -ffp-contract=off -fno-math-errno $(MACHINE_FLAGS) $(WARNINGS) $(WERROR) $(EXTRA_CFLAGS)
LDFLAGS  += -pthread $(EXTRA_LDFLAGS)
LDLIBS   := -lyaml -lyajl -lmpfr -lgmp -lcrypto -lsqlite3 -ldl -lm

# One instruction set a file, chosen at run time. Files of another machine are left out.
# Vector code stands on registers, and gcc unrolls short loops into them from -O3 on.
ISA_OPT          := $(if $(filter -O2,$(OPT)),-O3)
ISA_FLAGS_avx2   := $(ISA_OPT) -mavx2 -mfma -mf16c
ISA_FLAGS_avx512 := $(ISA_OPT) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c
ISA_FLAGS_avx512i := $(ISA_FLAGS_avx512) -mavx512ifma -mavx512vnni
OTHER_MACHINES   := $(if $(filter x86_64,$(MACHINE)),%_neon.c,%_avx2.c %_avx512.c %_avx512i.c \
                    $(if $(filter aarch64,$(MACHINE)),,%_neon.c))
# gcc for s390x would evaluate float expressions in double where the C standard lets it.
MACHINE_FLAGS    := $(if $(filter s390x,$(MACHINE)),-fexcess-precision=fast)
isa_flags = $(foreach isa,avx2 avx512 avx512i,$(if $(filter %_$(isa).c,$(1)),$(ISA_FLAGS_$(isa))))

# A room is a folder, and its inner rooms are the folders in it; tests and stats/panel are built
# apart.
LIBRARY_ROOMS := ref/base ref/num ref/rng ref/op ref/variant yaml vectors \
                 harness/host harness/judge stats reports
ELSEWHERE     := stats/panel/% reports/findings/%
room     = $(filter-out $(ELSEWHERE) $(addsuffix /tests/%,$(1)),\
           $(wildcard $(foreach end,c h,$(foreach in,* */* */*/*,$(1:%=%/$(in).$(end))))))
LIBRARY := $(filter-out $(OTHER_MACHINES),$(filter %.c,$(call room,$(LIBRARY_ROOMS))))
CLI     := $(filter %.c,$(call room,harness/cli))
TARGET_FOLDERS := onednn openvino
BENCH   := $(filter-out $(OTHER_MACHINES) %/plugin.c,\
           $(wildcard harness/bench/*.c $(TARGET_FOLDERS:%=harness/targets/%/*.c)))
TESTED  := $(LIBRARY_ROOMS) harness/bench harness/cli harness/targets harness/python
# Tests of a room stand in its tests or in a folder there. Those in tests/full need a browser, a
# package, a chroot or minutes.
tests   = $(wildcard $(foreach at,tests/*_test tests/*/*_test,$(addsuffix /$(at).$(1),$(TESTED))))
FULL_TESTS := $(wildcard $(addsuffix /tests/full/*_test.py,$(TESTED) scripts/package))
TESTS   := $(call tests,c)
SCRIPTED_TESTS := $(filter-out $(FULL_TESTS),$(call tests,py))
object   = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

RUNNER   := $(filter %.c,$(call room,harness/runner))

ARCHIVE := $(BUILD)/libassay.a
ASSAY   := $(BUILD)/assay
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/tests/%,$(TESTS))
ROOM_TESTS    := $(filter-out $(BUILD)/tests/harness/%,$(TEST_PROGRAMS))

# Plugins: one file each; those of one library share a folder of its name.
TARGETS := $(patsubst harness/targets/%.c,%,$(wildcard harness/targets/*.c))
TARGET_SHARED  := $(foreach folder,$(TARGET_FOLDERS),$(wildcard harness/targets/$(folder)/*.c))
ZOO_FILES := $(wildcard harness/tests/zoo/*/*.c)
ZOO     := $(notdir $(ZOO_FILES:%.c=%))
# What test programs are made of beside their own file.
FLEET   := $(wildcard harness/judge/tests/fleet/*.c)
PANEL   := $(patsubst stats/panel/%.c,%,$(wildcard stats/panel/*.c))
PLUGINS := $(TARGETS:%=$(BUILD)/targets/%.so) $(ZOO:%=$(BUILD)/zoo/%.so) \
           $(PANEL:%=$(BUILD)/panel/%.so)

.PHONY: all help clean
all: $(ASSAY) $(BUILD)/assay-runner $(PLUGINS)

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean: ## remove what was built, but keep the virtual environment
	$(Q)find $(BUILD) -mindepth 1 -maxdepth 1 ! -name venv -exec rm -rf {} +

# ---- building ------------------------------------------------------------------------------------

# Tests gain nothing from the optimiser, and gcc 12 sees overflows in their unrolled loops that are
# not there.
$(BUILD)/obj/%_test.o: OPT = -O1

# No code looks at floating-point exceptions: without that gcc makes vectors of a choice between two
# results.
$(BUILD)/obj/ref/num/function/interval.o \
$(BUILD)/obj/ref/op/onednn/rnn_span_%.o: CFLAGS += -fno-trapping-math

# Limits of the machine: a product and a sum in one instruction, where it has that.
$(BUILD)/obj/harness/bench/limits_%.o: CFLAGS += -ffp-contract=fast

# A peer that is compiled here is compiled at its best.
$(BUILD)/obj/harness/bench/random123.o: OPT = -O3

# One line for the files of a room, when the first of them is compiled; V=1 shows commands instead.
room_of  = $(subst $(eval) ,/,$(wordlist 1,2,$(subst /, ,$(dir $(1)))))
say_room = $(if $(Q),$(if $(said-$(room_of)),,\
               $(eval said-$(room_of) := yes)@echo "  CC      $(room_of)"))

# Every library that a source includes, looked for once, so that a missing one is named together
# with what installs it.
LIBRARY_HEADERS := yaml.h yajl/yajl_parse.h gmp.h mpfr.h openssl/evp.h sqlite3.h dlpack/dlpack.h
$(BUILD)/.libraries:
	@mkdir -p $(@D)
	$(Q)printf '#include <%s>\n' stdio.h $(LIBRARY_HEADERS) | \
	    $(CC) $(EXTRA_CFLAGS) -fsyntax-only -x c - 2>$@.log || { \
	    echo "A library is missing: $$(sed -n 's/.*fatal error: //p' $@.log)." \
	        "This installs it (root or sudo): scripts/setup build"; exit 1; }
	@touch $@

$(BUILD)/obj/%.o: %.c | $(BUILD)/.libraries
	@mkdir -p $(@D)
	$(call say_room,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(call isa_flags,$<) -MMD -MP -c $< -o $@

# The style sheet and the script of a page, as C: a string a line, comments left out.
PAGE_TEXTS := $(wildcard reports/page/*.css reports/page/*.js)
$(BUILD)/obj/%.c: %
	@mkdir -p $(@D)
	$(Q){ echo '#include "reports/page/page.h"'; \
	    echo 'const char *const page_$(basename $(<F))[] = {'; \
	    sed -e '/^\/[/*]/d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n",/' $<; echo 'NULL};'; } >$@
$(PAGE_TEXTS:%=$(BUILD)/obj/%.o): %.o: %.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(ARCHIVE): $(call object,$(LIBRARY)) $(PAGE_TEXTS:%=$(BUILD)/obj/%.o)
	$(Q)rm -f $@ && ar rcs $@ $^

# Half of a short command was the loading of libcrypto and of three more libraries. So the program
# takes them in where they are there as archives; what is installed (SHARED=1) does not, so that the
# system mends them. MPFR and GMP stay shared: they are under the LGPL.
archived = $(if $(findstring /,$(shell $(CC) -print-file-name=lib$(1).a)),-l:lib$(1).a,-l$(2))
SHARED     ?= 0
ASSAY_LIBS  = $(if $(filter 1,$(SHARED)),$(LDLIBS),$(call archived,yaml,yaml) \
              $(call archived,yajl_s,yajl) $(call archived,crypto,crypto) \
              $(call archived,sqlite3,sqlite3) -lmpfr -lgmp -ldl -lm)
# A third of what was left was the relocation of the tables in libcrypto: with it inside, the
# program lies at a fixed address. What is installed does not.
FIXED       = $(if $(filter 1,$(SHARED)),,-no-pie)
# A run digests the program and its plugins: their debug information is compressed.
COMPRESSED := -gz
$(ASSAY): $(call object,$(CLI)) $(ARCHIVE)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(FIXED) $(COMPRESSED) -o $@ $^ $(ASSAY_LIBS)

# It goes to machines that have neither assay nor its libraries.
$(BUILD)/assay-runner: $(call object,$(RUNNER)) $(ARCHIVE)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call archived,yajl_s,yajl) \
	    $(call archived,crypto,crypto) -ldl -lm

# A peer whose source the user names: CORE_MATH=DIR, a checkout of CORE-MATH. It is timed here
# alone, with all that this machine has, and gives no bits that are kept.
CORE_MATH ?=
CORE_MATH_FILES = $(addprefix $(CORE_MATH)/src/binary32/,tanh/tanhf.c exp/expf.c)
.PHONY: core-math
core-math:
	$(Q)mkdir -p $(BUILD)
	$(Q)$(CC) -O3 -march=native -fPIC -shared -o $(BUILD)/core-math.so $(CORE_MATH_FILES) -lm

$(BUILD)/bench: $(call object,$(BENCH)) $(ARCHIVE)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(BENCH_LIBS)

$(BUILD)/tests/harness/judge/tests/fleet_test: $(call object,$(FLEET))
$(BUILD)/tests/%: $(BUILD)/obj/%.o $(ARCHIVE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

# A plugin sees harness/plugin.h and its own library. Those in NEED_ARCHIVE stand on the reference
# as well.
NEED_ARCHIVE := reference
$(foreach folder,$(TARGET_FOLDERS),$(eval \
    $(patsubst %,$(BUILD)/targets/%.so,$(filter $(folder)%,$(TARGETS))): \
    $(call object,$(wildcard harness/targets/$(folder)/*.c))))
$(BUILD)/targets/%.so: $(BUILD)/obj/harness/targets/%.o $(ARCHIVE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(COMPRESSED) -shared -o $@ $(filter %.o,$^) \
	    $(if $(filter $*,$(NEED_ARCHIVE)),$(ARCHIVE) $(LDLIBS)) $(LIBS_$*) -ldl -lm

$(foreach file,$(ZOO_FILES),$(eval $(BUILD)/zoo/$(notdir $(file:%.c=%)).so: $(call object,$(file))))
$(BUILD)/zoo/%.so:
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ $(LIBS_zoo_$*) -lm
$(BUILD)/zoo/other_option.so: $(ARCHIVE)
LIBS_zoo_other_option = $(LDLIBS)

LIBS_panel_good := -lcrypto
$(BUILD)/panel/%.so: $(BUILD)/obj/stats/panel/%.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ $(LIBS_panel_$*) -lm

# AVX-512 source where no processor can run it: the same files through SIMDe (Debian: libsimde-dev),
# which writes each intrinsic out in C, linked in front of the archive. This checks values, not
# hardware; `unit` runs it where AVX2 is there and AVX-512 is not.
AVX512      := $(filter %_avx512.c %_avx512i.c,$(LIBRARY))
SIMDE_FILES := $(if $(AVX512),$(wildcard /usr/include/simde/x86/avx512.h))
SIMDE       := $(if $(SIMDE_FILES),$(AVX512:%.c=$(BUILD)/obj/simde/%.o) \
                   $(BUILD)/obj/ref/base/tests/isa_simde.o)
SIMDE_TESTED := $(addprefix ref/num/tests/,estimate function upward product expression interval \
                    small_float) $(addprefix ref/rng/tests/,philox_stream threefry_stream) \
                ref/op/tests/openvino_range ref/op/tests/openvino_random_uniform_form \
                stats/tests/kernel
has_isa     = $(shell grep -m1 ' $(1) ' /proc/cpuinfo)
SIMDE_TESTS := $(if $(SIMDE),$(if $(call has_isa,avx2),$(if $(call has_isa,avx512vl),,\
                   $(SIMDE_TESTED:%=$(BUILD)/tests/avx512-through-simde/%_test))))
$(BUILD)/obj/simde/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $< (SIMDe)")
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(ISA_FLAGS_avx2) -Wno-psabi \
	    -include ref/base/tests/avx512_simde.h -MMD -MP -c $< -o $@

$(BUILD)/tests/avx512-through-simde/%: $(BUILD)/obj/%.o $(SIMDE) $(ARCHIVE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

$(BUILD)/assay-simde: $(call object,$(CLI)) $(SIMDE) $(ARCHIVE)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- certifying ----------------------------------------------------------------------------------

# Failures that are known and explained stand in KNOWN; a new one, or a known one that passes, fails
# the certification.
DEFAULT_TARGETS := reference random123 openvino onednn2 openblas numpy randomgen
CI_TARGETS      := onednn jax
NATIVE_TARGETS  := openvino_native onednn_native onednn2_native numpy_native jax_native
ALL_TARGETS     := $(CI_TARGETS) $(NATIVE_TARGETS) onednn_plain onednn_serial onednn2_plain \
                   openblas_native jax_nn jax_avx torch torch_native tensorflow tensorflow_native \
                   onnxruntime curand
KNOWN           := harness/targets/known.yaml
comma           := ,
list             = $(subst $(eval) ,$(comma),$(strip $(1)))
certified        = $(Q)$(ASSAY) certify --target $(call list,$(1)) \
    --known $(KNOWN) --out $(BUILD)/certify/$(2).jsonl --html $(BUILD)/certify/$(2).html \
    --junit $(BUILD)/certify/$(2).xml --log $(BUILD)/certify/$(2).log

.PHONY: certify certify-all certify-ci certify-onnx certify-operators scores vectors
certify: setup ## set up, build, check the vectors, certify the default targets, leave a report
	$(Q)$(SUBMAKE) vectors
	@mkdir -p $(BUILD)/certify
	$(call certified,$(DEFAULT_TARGETS),report)

certify-ci: vectors ## the same for oneDNN and JAX
	@mkdir -p $(BUILD)/certify
	$(call certified,$(CI_TARGETS),report-ci)

certify-all: ## every target, the large ones too (several GB to install)
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup all
	$(Q)$(SUBMAKE) vectors
	@mkdir -p $(BUILD)/certify
	$(call certified,$(DEFAULT_TARGETS) $(ALL_TARGETS),report-all)
	$(Q)$(SUBMAKE) certify-onnx
	$(call certified,onnx:tract,report-tract) \
	    --jobs $(PARALLEL) --suite $(call list,$(ONNX_SUITES))
	$(call certified,onnx:torch.onnx,report-torch-onnx) \
	    --suite $(call list,$(addprefix onnx.,rnn gru lstm))

# What runs ONNX models, by all suites of ONNX operators: every difference is listed in KNOWN.
# OpenVINO's normalizations are asked without a ceiling (harness/targets/helper).
ONNX_TARGETS := onnx:onnxruntime onnx:openvino onnx
ONNX_SUITES  := $(patsubst yaml/suites/%.yaml,%,$(wildcard yaml/suites/onnx.*.yaml))
certify-onnx: ## install ONNX and ONNX Runtime; certify them and OpenVINO's ONNX front end
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup onnx
	$(Q)$(SUBMAKE) vectors
	@mkdir -p $(BUILD)/certify
	$(call certified,onnx_openvino_native,report-onnx-native) --suite onnx.layer_normalization
	$(call certified,onnx_openvino_native,report-onnx-instance) \
	    --suite onnx.normalization --case '*instance*'
	$(call certified,$(ONNX_TARGETS),report-onnx) --jobs $(PARALLEL) \
	    --suite $(call list,$(ONNX_SUITES))

# BACKENDS: which of onnxruntime, openvino, torch and jax; all of them where it is empty.
certify-operators: ## declared operators on ONNX Runtime, OpenVINO, PyTorch, JAX: a line for each
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup all
	$(Q)$(SUBMAKE) vectors
	$(Q)BUILD=$(BUILD) KNOWN=$(KNOWN) JOBS=$(PARALLEL) scripts/certify-operators $(BACKENDS)

# What a GPU answers is recorded there and judged here (harness/targets/cuda). STAND_IN: where the
# records of the stand-in go. SIGN: a key that signs a certificate of each row.
GPU      := harness/targets/cuda
STAND_IN ?= $(BUILD)/gpu/stand-in
.PHONY: gpu-requests record-stand-in
gpu-requests: all ## what is asked on a GPU, to build/gpu/requests
	@mkdir -p $(BUILD)/gpu
	$(Q)$(PYTHON) $(GPU)/export_rows.py --assay $(ASSAY) $(BUILD)/gpu/requests

record-stand-in: gpu-requests ## record and judge the rows of harness/targets/cuda on the processor
	$(Q)$(PYTHON) $(GPU)/record_rows.py --stand-in --longest 1800 --build $(BUILD) \
	    $(BUILD)/gpu/requests $(STAND_IN)
	$(Q)$(PYTHON) $(GPU)/determinism.py $(STAND_IN)
	$(Q)$(PYTHON) $(GPU)/curand_dynamic.py --stand-in $(STAND_IN)
	$(Q)$(PYTHON) $(GPU)/judge_rows.py --assay $(ASSAY) $(addprefix --sign ,$(SIGN)) $(STAND_IN)

# Which known mistakes the tests of others notice: those of packages, and what is fetched, in whose
# place SCORES names folders (webnn=DIR stablehlo=DIR jax=DIR random123=DIR tosa=DIR).
scores: all ## what tests of others notice, to reports/scores; fetches them [SCORES="webnn=DIR ..."]
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup onnx
	$(Q)BUILD=$(BUILD) PYTHON=$(PYTHON) scripts/scores $(SCORES)

vectors: all ## regenerate the golden vectors and compare them with those that are kept
	$(Q)$(ASSAY) emit --check >$(BUILD)/vectors.txt || { cat $(BUILD)/vectors.txt; exit 1; }
	$(Q)tail -n 1 $(BUILD)/vectors.txt

# ---- testing -------------------------------------------------------------------------------------

.PHONY: setup unit lint lint-warnings lint-format lint-rooms lint-tidy lint-cppcheck test
setup: ## install what building, testing and the default targets need (root or sudo)
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup $(if $(CI),ci,default)

# Tests run at the same time, the longest first. Beside them run, one by one, those that wait or
# share files; alone does one that measures time.
SHARING := $(BUILD)/tests/harness/judge/tests/zoo_test reports/tests/documents_test.py \
           $(addprefix harness/cli/tests/,kills_test.py sequence_test.py stream_test.py parts/% \
               audit/nights_test.py reports/judge_test.py \
               $(addprefix certify/,protocol_test.py recorded_test.py resume_test.py \
                   survive_test.py))
ALONE   := $(BUILD)/tests/harness/host/tests/host_test
LONGEST  = $(LENGTHY) $(addprefix harness/cli/tests/,audit/audit_test.py certify/minimize_test.py \
               faults_test.py certify/relation_test.py certify/chance_test.py flips_test.py) \
           ref/op/tests/onednn_rnn_bounds_test.py yaml/tests/range_fleet_test.py \
           ref/op/tests/jax_test.py reports/tests/findings_test.py
EVERY    = $(TEST_PROGRAMS) $(SIMDE_TESTS) $(SCRIPTED_TESTS)
# PARTS: targets that run beside the tests.
unit: tests-built ## the unit tests alone; installs nothing
	$(Q)AT_ONCE=$(PARALLEL) BUILD=$(BUILD) PYTHON=$(PYTHON) scripts/run-tests $(PARTS:%=make:%) \
	    $(LONGEST) $(filter-out $(LONGEST) $(SHARING) $(ALONE),$(EVERY)) \
	    -- $(filter $(SHARING),$(EVERY)) -- $(ALONE)

.PHONY: tests-built
tests-built: $(ASSAY) $(PLUGINS) $(TEST_PROGRAMS) $(SIMDE_TESTS)

# Tests that take a size: small in every run, with ASSAY_FULL=1 as large as they are meant to be.
SIZED_TESTS := $(addprefix harness/cli/tests/,parts/shard_test.py parts/certify_shard_test.py \
                   flips_test.py faults_test.py kills_test.py stream_test.py) \
               yaml/tests/range_fleet_test.py yaml/tests/jax_fleet_test.py \
               ref/op/tests/onednn_rnn_fleet_test.py ref/op/tests/declared_test.py \
               $(addprefix ref/op/tests/declared/,fleet_test.py stores_test.py models_test.py \
                   dots_test.py products_test.py leaning_test.py chunks_test.py) \
               $(BUILD)/tests/harness/judge/tests/fleet_test
.PHONY: test-full
test-full: test ## test, and what needs a browser, packages or minutes
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup full
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup wheel
	$(Q)BUILD=$(BUILD) PYTHON=$(PYTHON) scripts/run-tests $(FULL_TESTS)
	$(Q)ASSAY_FULL=1 BUILD=$(BUILD) PYTHON=$(PYTHON) scripts/run-tests $(SIZED_TESTS)
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup ci
	$(Q)$(MAKE) --no-print-directory test-libraries LIBRARIES="$(NATIVE_TARGETS)" \
	    LIBRARY_JOBS=$(PARALLEL)
	$(Q)$(MAKE) --no-print-directory sanitize WHOLE=1
	$(Q)$(MAKE) --no-print-directory fuzz sanitize-thread machines

.PHONY: test-slurm
# Debian: slurmctld slurmd slurm-client munge.
test-slurm: $(ASSAY) ## arrays of parts under a Slurm of our own (root)
	$(Q)BUILD=$(BUILD) PYTHON=$(PYTHON) scripts/run-tests harness/cli/tests/full/slurm_test.py

# All at once, as far as there are processors; the total is the last line.
test: setup ## set up as far as needed, build, and run the tests
	$(Q)$(SUBMAKE) all tests-built
	$(Q)$(MAKE) --no-print-directory unit PARTS="$(if $(CI),test-libraries) test-portable \
	    test-mutants test-certify vectors"

.PHONY: test-mutants test-portable test-certify test-libraries
test-mutants: all
	$(Q)$(ASSAY) mutants
test-portable: all
	$(Q)BUILD=$(BUILD) KNOWN_AS=$(if $(EXTRA_CFLAGS),,$(CC)$(OPT)) scripts/portable quick

# None of their calls runs out of time; where others run beside them, JAX compiles for long.
held_to_known = $(Q)mkdir -p $(BUILD)/certify; \
    $(ASSAY) certify --target $(call list,$(1)) --known $(KNOWN) --quiet --jobs $(3) \
        --time 120000 --out $(BUILD)/certify/$(2).jsonl >$(BUILD)/certify/$(2).txt || \
    { $(ASSAY) report $(BUILD)/certify/$(2).jsonl; exit 1; }; \
    tail -n 1 $(BUILD)/certify/$(2).txt
test-certify: all
	$(call held_to_known,reference random123 numpy randomgen,test,1)

# The third-party libraries that take longer, held to AVX2; in test-full with all that the machine
# has, too. LIBRARIES: which of them.
LIBRARIES    = openvino onednn2 $(CI_TARGETS)
LIBRARY_JOBS = 1
test-libraries: all
	$(call held_to_known,$(LIBRARIES),libraries,$(LIBRARY_JOBS))
	$(Q)$(ASSAY) report --html $(BUILD)/certify/libraries.html \
	    --junit $(BUILD)/certify/libraries.xml $(BUILD)/certify/libraries.jsonl

# ---- sanitizers and fuzzing ----------------------------------------------------------------------

# AddressSanitizer: all C tests, those behind -- alone, as they wait for time, and a day's work on
# the command line. One is left out: it judges whole suites dozens of times, by what the others run
# too, for a quarter of an hour. With WHOLE=1 alone run those that go through every suite or the
# whole battery many times, on code that is run once by the others. A build with it has no limit on
# memory, in which it could not map its shadow; what else a worker has in it stands in
# harness/host/sanitized.h, and the faulty plugins that it takes for its own are named as skipped.
# ThreadSanitizer: the tests of the rooms, which start no worker.
WAITING   := $(addprefix $(BUILD)/tests/harness/,host/tests/host_test judge/tests/zoo_test)
LENGTHY   := $(BUILD)/tests/harness/judge/tests/allowed_test
REPEATING := $(BUILD)/tests/harness/judge/tests/nulls_test \
             $(addprefix $(BUILD)/tests/stats/tests/,avalanche_law_test calibration_test \
                 distance_flaws_test particular_flaws_test rule_flaws_test)
SEQUENCE  := harness/cli/tests/sequence_test.py
SANITIZED := $(ROOM_TESTS)
ifneq ($(findstring address,$(EXTRA_CFLAGS)),)
SANITIZED := $(SEQUENCE) $(filter-out $(WAITING) $(LENGTHY) $(if $(WHOLE),,$(REPEATING)),\
                 $(TEST_PROGRAMS)) -- -- $(WAITING)
SANITIZED_PLUGINS := $(ZOO:%=$(BUILD)/zoo/%.so) \
                     $(patsubst %,$(BUILD)/targets/%.so,reference random123)
endif
SANITIZE_address := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_thread  := -fsanitize=thread
.PHONY: sanitize sanitize-thread sanitized
sanitize: ## the C tests and a sequence of commands with AddressSanitizer and UBSan
	$(Q)$(SUBMAKE) BUILD=$(BUILD)/sanitize/address OPT=-O1 \
	    EXTRA_CFLAGS="$(SANITIZE_address)" \
	    PYTHON=$(if $(wildcard $(PYTHON)),$(PYTHON),$(shell command -v python3)) sanitized
# A worker's addresses are none that ThreadSanitizer knows: the judge is given recorded answers.
SANITIZE_RECORD = $(BUILD)/sanitize/recorded
sanitize-thread: $(ASSAY) $(PLUGINS) ## the C tests and the judge with ThreadSanitizer
	$(Q)$(SUBMAKE) BUILD=$(BUILD)/sanitize/thread OPT=-O1 \
	    EXTRA_CFLAGS="$(SANITIZE_thread)" sanitized
	$(Q)rm -rf $(SANITIZE_RECORD)
	$(Q)$(ASSAY) record --target reference --suite philox,onnx.random,gradients.axes \
	    --to $(SANITIZE_RECORD)
	$(Q)ASSAY_HOME=. $(BUILD)/sanitize/thread/assay certify --recorded $(SANITIZE_RECORD)
sanitized: $(filter-out --,$(SANITIZED)) $(SANITIZED_PLUGINS) $(ASSAY)
	$(Q)ASSAY_HOME=. ASSAY_THREADS=4 $(ASSAY) emit --digest \
	    --suite philox,openvino.range >$(BUILD)/emit.txt
	$(Q)printf '%s\n' 'op: openvino.random_uniform' \
	    'attributes: {output_type: f32, global_seed: 7}' \
	    'inputs: {shape: [8000000], minval: 0, maxval: 1}' | \
	    ASSAY_THREADS=4 $(ASSAY) stream - >$(BUILD)/stream.txt
	@echo "emit and stream on 4 threads: nothing found"
	$(Q)ASSAY_THREADS=4 AT_ONCE=$(PARALLEL) BUILD=$(BUILD) PYTHON=$(PYTHON) \
	    scripts/run-tests $(SANITIZED)

# libFuzzer targets, one file each, with small seeds beside them; SECONDS is for all of them
# together.
FUZZ_DIR := harness/cli/tests/fuzz
FUZZERS  := $(patsubst $(FUZZ_DIR)/%_fuzz.c,%,$(wildcard $(FUZZ_DIR)/*_fuzz.c))
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SECONDS ?= 60
.PHONY: fuzz fuzzers
fuzz: ## fuzz every parser with libFuzzer; SECONDS=n for all together
	$(Q)$(SUBMAKE) BUILD=$(BUILD)/fuzz CC=clang OPT=-O1 \
	    EXTRA_CFLAGS="-fsanitize=fuzzer-no-link $(FUZZ_FLAGS)" fuzzers
	$(Q)BUILD=$(BUILD)/fuzz scripts/fuzz $(SECONDS) $(FUZZ_DIR) $(FUZZERS)
fuzzers: $(FUZZERS:%=$(BUILD)/fuzz-%)
$(BUILD)/fuzz-%: $(BUILD)/obj/$(FUZZ_DIR)/%_fuzz.o \
    $(filter-out %/main.o,$(call object,$(CLI))) $(ARCHIVE)
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: portable
portable: ## one digest of the portable slice over compilers, levels, instruction sets and machines
	$(Q)BUILD=$(BUILD) scripts/portable full

.PHONY: machines
machines: ## set-up, vectors and certification on a processor without AVX and on aarch64, emulated
	$(Q)BUILD_ROOT=$(BUILD) scripts/setup portable
	$(Q)BUILD=$(BUILD) PYTHON=$(PYTHON) scripts/machines

.PHONY: exhaustive
# STRIDE=n: every nth f32.
exhaustive: $(BUILD)/tests/ref/num/tests/exhaustive ## every f32, f16 and bf16 through ref/num
	$(Q)nice $< $(STRIDE)

.PHONY: documents
documents: all ## write anew what documents say of the suites: cases, errata, declared operators
	$(Q)BUILD=$(BUILD) scripts/documents

.PHONY: findings
findings: all ## make the pages of reports/findings anew, from the libraries that are here
	$(Q)$(ASSAY) findings --write

# Three programs have rows; exit code 4: no row of that name, one of the others may have it. What
# they measured is held against goals and earlier runs (HISTORY) at the end.
BENCH_PYTHON = BUILD=$(BUILD) ROWS=$(BENCH_ROWS) $(if $(wildcard $(PYTHON)),$(PYTHON),python3)
BENCH_ROWS   = $(BUILD)/bench-rows.jsonl
HISTORY     ?= $(BUILD)/bench-history.jsonl
SUMMARY      = $(BENCH_PYTHON) harness/bench/summary.py $(BENCH_ROWS) $(HISTORY)
# Ours, and every peer that can be told, with no more than AVX2.
HELD_avx2    = ASSAY_ISA=avx2 ONEDNN_MAX_CPU_ISA=AVX2 OPENBLAS_CORETYPE=Haswell \
               XLA_FLAGS=--xla_cpu_max_isa=AVX2 ATEN_CPU_CAPABILITY=avx2 \
               MKL_ENABLE_INSTRUCTIONS=AVX2 GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL
HELD         = $(if $(ISA),$(or $(HELD_$(ISA)),$(error ISA=$(ISA) is not known: ISA=avx2)))
.PHONY: bench bench-scaling
# ROW="word ..." chooses rows, CORE_MATH=DIR adds a peer, HISTORY=FILE keeps the history elsewhere,
# ISA=avx2 holds both sides to AVX2.
bench: $(if $(CORE_MATH),core-math) $(BUILD)/bench $(ASSAY) $(PLUGINS) ## speed beside named peers
	$(Q)code=4; rm -f $(BENCH_ROWS); \
	for rows in "PYTHON=$(PYTHON) $(BUILD)/bench --rows $(BENCH_ROWS)" \
	    "$(BENCH_PYTHON) harness/bench/command.py" \
	    "$(BENCH_PYTHON) harness/bench/audit.py"; do \
	    env $(HELD) $$rows $(ROW); rc=$$?; [ $$rc -eq 4 ] && continue; \
	    [ $$code -eq 4 -o $$code -eq 0 ] && code=$$rc; done; \
	$(SUMMARY) || code=$$?; exit $$code

bench-scaling: $(BUILD)/bench $(ASSAY) $(PLUGINS) ## growth with size, with threads, to 64 cores
	$(Q)code=4; rm -f $(BENCH_ROWS); for rows in growth scaling; do \
	    $(BENCH_PYTHON) harness/bench/$$rows.py $(ROW); rc=$$?; [ $$rc -eq 4 ] || code=$$rc; done; \
	$(SUMMARY) || code=$$?; exit $$code

SOURCES  = $(LIBRARY) $(CLI) $(RUNNER) $(BENCH) $(TESTS) $(FLEET) $(TARGETS:%=harness/targets/%.c) \
           $(TARGET_SHARED) $(ZOO_FILES) $(PANEL:%=stats/panel/%.c)
HEADERS  = $(filter %.h,$(call room,$(LIBRARY_ROOMS) harness/cli harness/runner)) \
           $(wildcard harness/*.h $(addsuffix /*.h,harness/bench harness/targets harness/targets/* \
               harness/tests/zoo harness/judge/tests/fleet stats/panel))

lint: lint-format lint-rooms lint-warnings lint-cppcheck lint-tidy ## warnings, format, rooms, tidy

lint-format:
	$(Q)clang-format --dry-run -Werror $(sort $(SOURCES) $(HEADERS))
	$(Q)scripts/check-columns

lint-rooms:
	$(Q)scripts/check-rooms $(sort $(SOURCES) $(HEADERS))

# In continuous integration nothing is built yet: what is tested later is built here, and nothing
# else.
LINT_GCC   := $(if $(CI),BUILD=$(BUILD),BUILD=$(BUILD)/lint/gcc OPT=-O1)
LINT_CLANG := $(if $(CI),BUILD=$(BUILD)/portable/clang-O2-NDEBUG OPT=-O2,\
                BUILD=$(BUILD)/lint/clang OPT=-O1)
lint-warnings:
	$(Q)$(SUBMAKE) $(LINT_GCC) CC=gcc WERROR=-Werror all check-objects
	$(Q)$(SUBMAKE) $(LINT_CLANG) CC=clang WERROR=-Werror ASSERTS=0 all check-objects

.PHONY: check-objects
check-objects: $(call object,$(TESTS) $(FLEET) $(BENCH))

# A file that has passed is not looked at again until it or a header changes.
TIDIED      = $(LIBRARY) $(CLI) $(TARGETS:%=harness/targets/%.c) $(TARGET_SHARED)
TIDY_STAMPS = $(patsubst %.c,$(BUILD)/lint/tidy/%.ok,$(sort $(TIDIED)))
lint-tidy:
	$(Q)$(MAKE) --no-print-directory -k -j$(PARALLEL) lint-tidy-files
.PHONY: lint-tidy-files
lint-tidy-files: $(TIDY_STAMPS)
$(BUILD)/lint/tidy/%.ok: %.c $(HEADERS) .clang-tidy
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet $< -- -std=c11 $(CPPFLAGS) $(call isa_flags,$<) \
	    2>$(@D)/$(notdir $*).log || { cat $(@D)/$(notdir $*).log; exit 1; }
	$(Q)touch $@

lint-cppcheck:
	$(Q)cppcheck --quiet -j$(PARALLEL) --std=c11 --error-exitcode=1 --enable=warning,portability \
	    --inline-suppr --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
	    --suppress=unknownMacro --suppress=memleak -I. $(sort $(LIBRARY) $(CLI))

# ---- installing ----------------------------------------------------------------------------------

include scripts/package/install.mk
