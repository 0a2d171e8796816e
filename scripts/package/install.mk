# SPDX-License-Identifier: Apache-2.0
# Installing and packing. Nothing here is needed to build or to certify.
#
#   make install PREFIX=/usr/local DESTDIR=   program, plugins, suites, vectors, header,
#                                             pkg-config file, man pages, completion
#   make dist                                 the committed tree as build/assay-VERSION.tar.xz
#   make deb                                  build/assay_VERSION_ARCH.deb
#   make wheel                                build/wheels/*.whl: the Python package with the
#                                             program, and the suites with their vectors
# SOURCE_DATE_EPOCH (the last commit's time unless it is set) goes into everything that has a date:
# equal sources give equal bytes.

PREFIX            ?= /usr/local
DESTDIR           ?=
VERSION           := $(shell sed -n 's/^.define ASSAY_VERSION "\(.*\)"/\1/p' ref/base/version.h)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
STAGE   := $(BUILD)/stage
PYTHON3 := python3
WHERE    = $(DESTDIR)$(PREFIX)
DATE     = $(shell date -u -d @$(SOURCE_DATE_EPOCH) +%Y-%m-%d)

# Data that the program finds under share/assay by the same names as in the tree.
DATA = $(wildcard yaml/suites/*.yaml yaml/operators/*.yaml yaml/schema/*.json vectors/CHANGES \
         vectors/golden/SHA256SUMS vectors/golden/*.jsonl vectors/golden/*.safetensors \
         harness/targets/*.py harness/targets/helper/*.py harness/targets/requirements.txt \
         harness/python/assay/*.py vectors/schema/*.json \
         harness/targets/templates/*.in harness/targets/*.yaml reports/*.json \
         scripts/package/templates/*.c scripts/package/templates/*.py \
         scripts/package/templates/*.mjs scripts/package/templates/*.rs \
         scripts/package/templates/*.go \
         scripts/package/templates/*.yaml scripts/nightly)
NIGHTLY = $(addprefix scripts/package/nightly/assay-nightly.,cron service timer)

.PHONY: install put-in-place uninstall dist deb wheel
# What is installed is built without asserts, beside what is tested.
install: ## install under PREFIX (/usr/local), below DESTDIR
	$(Q)$(SUBMAKE) BUILD=$(BUILD)/release ASSERTS=0 SHARED=1 all
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/release ASSERTS=0 put-in-place

put-in-place:
	$(Q)install -d $(addprefix $(WHERE)/,bin include/assay lib/assay/targets share/pkgconfig \
	    share/man/man1 share/bash-completion/completions share/zsh/site-functions share/doc/assay)
	$(Q)install -m 755 $(ASSAY) $(WHERE)/bin/assay
	$(Q)install -m 755 $(BUILD)/assay-runner $(WHERE)/lib/assay/assay-runner
	$(Q)install -m 644 harness/plugin.h $(WHERE)/include/assay/plugin.h
	$(Q)install -m 644 $(TARGETS:%=$(BUILD)/targets/%.so) $(WHERE)/lib/assay/targets
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' \
	    scripts/package/assay-plugin.pc.in >$(WHERE)/share/pkgconfig/assay-plugin.pc
	$(Q)for file in $(DATA); do \
	    install -D -m $$(test -x $$file && echo 755 || echo 644) $$file \
	        $(WHERE)/share/assay/$$file || exit 1; done
	$(Q)$(PYTHON3) scripts/package/make-man $(ASSAY) $(WHERE)/share/man/man1 $(VERSION) $(DATE)
	$(Q)$(PYTHON3) scripts/package/make-completion $(ASSAY) \
	    $(WHERE)/share/bash-completion/completions/assay $(WHERE)/share/zsh/site-functions/_assay
	$(Q)install -m 644 README.md LICENSE $(NIGHTLY) $(WHERE)/share/doc/assay
	$(Q)(cd $(WHERE) && find bin include lib/assay share/pkgconfig/assay-plugin.pc share/assay \
	    share/man/man1/assay*.1 -type f) | $(PYTHON3) scripts/package/make-sbom \
	    $(VERSION) $(SOURCE_DATE_EPOCH) $(WHERE) >$(BUILD)/assay.spdx.json
	$(Q)install -m 644 $(BUILD)/assay.spdx.json $(WHERE)/share/doc/assay/assay.spdx.json

uninstall: ## remove what install put there
	$(Q)cd $(WHERE) && rm -rf bin/assay include/assay lib/assay share/pkgconfig/assay-plugin.pc \
	    share/assay share/man/man1/assay.1 share/man/man1/assay-*.1 share/doc/assay \
	    share/bash-completion/completions/assay share/zsh/site-functions/_assay

dist: ## the committed tree as a tar.xz
	$(Q)git archive --format=tar --prefix=assay-$(VERSION)/ HEAD | \
	    xz -9 -T1 >$(BUILD)/assay-$(VERSION).tar.xz
	@echo "$(BUILD)/assay-$(VERSION).tar.xz"

deb: ## a Debian package
	$(Q)rm -rf $(STAGE)
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(abspath $(STAGE)) PREFIX=/usr
	$(Q)scripts/package/make-deb $(STAGE) $(VERSION) $(SOURCE_DATE_EPOCH) \
	    $(BUILD)/assay_$(VERSION)_$(shell dpkg --print-architecture).deb
	@echo "$(BUILD)/assay_$(VERSION)_$(shell dpkg --print-architecture).deb"

wheel: ## the Python package as wheels (scripts/setup wheel)
	$(Q)rm -rf $(BUILD)/wheel
	$(Q)$(MAKE) --no-print-directory install DESTDIR= \
	    PREFIX=$(abspath $(BUILD))/wheel/assay/assay/program
	$(Q)scripts/package/make-wheel $(BUILD)/wheel $(VERSION) $(SOURCE_DATE_EPOCH) $(PYTHON) \
	    $(BUILD)/wheels
