# What to make (times on two cores):
#
# make demo          a rod finds out how to push a box, half a minute: build/demo/push.html, to open in a browser
# make play          a page one can touch, the headers in the browser, half a minute: build/play/play.html; needs clang for wasm32 and
#                    wasi-libc (Debian: clang lld wasi-libc)
# make test          every test, three minutes: needs a C compiler and make, nothing else
# make gallery       every example in its quick form, five minutes; run again it goes on where it was: build/demo/index.html
# make python        build/python, to be used from Python by numpy and PyTorch: dc.py, layout.py, libdc.so; half a minute
# make install       the headers and dc.pc for pkg-config: PREFIX=/usr/local, DESTDIR=
# make help          this text
#
# make test-all      the matrix of compilers, standards, number types and options, and the packaging tests: ten minutes
# make fuzz-short    a fixed set of inputs to each fuzz program, with the sanitizers; make fuzz: libFuzzer, FUZZ_TIME seconds each, where
#                    clang has it
# make audit         every derivative against a copy of the headers in quadruple precision, double and float: the whole table, tens of
#                    minutes, or SHARE=0.1 of its samples; make audit-short 0.01. Needs gcc with libquadmath on x86-64: else skipped
# make bits          the same hashes from other machines and compilers, under qemu-user, node and wine: minutes
# make golden        writes tests/data/golden.txt, the hashes that make test compares, anew
# make robust        hard scenes of dc_ncp.h, units, gradients, tosses: steps not solved or solved wrong; ROBUST="full" or names of families
# make vendor        drop-in trials: programs in directories of their own with the headers they need; firmware on an emulated Cortex-M
# make test-view     the pages of the viewer in a browser: skipped without node and Chromium
# make lint          white space, spelling, comments of public functions, clang-tidy
#
# make bench         times; REPEATS=n for more repeats, NATIVE= for the default instructions alone, BENCH_JOBS=2 for a quick look at
#                    figures that are no times; bench-instructions for counts through callgrind
# make figures       the figures of tests/bench/RESULTS.md beside what is measured now: ten minutes; ONLY="bench_hull" of one program
# make facts         lines, code size and worst stack of each header
# make house         how the inside of each header reads: names of members, sizes of structs, remarks, air, widths
# make concordance   the papers' equations and the lines of the headers that compute them
# make train         learned contact fields of two pairs of shapes: times and errors, about a minute and a half
# make stills        takes the pictures in examples/gallery anew: minutes; needs node, npm and Chromium
# make clean         removes build/
#
# CC, CFLAGS, LDLIBS, REAL (double, float) and WERROR (-Werror) may be set; GREATEST=path names the test framework's header,
# GREATEST=fallback our stand-in.

MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

CC ?= cc
CFLAGS ?= -O2 -g
LDLIBS ?= -lm
STD = -std=c99
REAL = double
# warnings are errors in .ci/run and in make test-all; elsewhere WERROR=-Werror makes them so
WERROR ?=

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wundef -Wvla $(WERROR)
WARN_C = -Wstrict-prototypes -Wmissing-prototypes

HEADERS := $(wildcard dc_*.h)
TESTS := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
EXAMPLES := $(filter-out sweep_mpi,$(basename $(notdir $(wildcard examples/*.c examples/figures/*.c))))
BENCHES := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/bench_*.c))
FUZZES := $(patsubst tests/%.c,%,$(wildcard tests/fuzz_*.c))
SUPPORT := tests/support/support.c
INCLUDE = -I. -Itests/support -Iexamples/common -Ibuild/include -DDC_REAL=$(REAL) -DDC_TEST_DATA='"$(CURDIR)/tests/data"'

export CC WARN WARN_C GREATEST

.PHONY: help install python test test-all audit audit-short test-view train bench bench-instructions fuzz fuzz-short lint vendor facts house concordance figures demo play gallery stills clean FORCE golden bits robust
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

# ---- install: headers and dc.pc; CMakeLists.txt has a way of its own

PREFIX ?= /usr/local
VERSION := $(shell sed -n '1s/.* - v\([0-9.]*\) - .*/\1/p' dc_contact.h)

install:
	@mkdir -p "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/share/pkgconfig"
	cp $(HEADERS) "$(DESTDIR)$(PREFIX)/include"
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' '' 'Name: dc' 'Description: differentiable contact, single-file C headers' \
	  'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -lm' > "$(DESTDIR)$(PREFIX)/share/pkgconfig/dc.pc"

# ---- python

PYTHON ?= python3

python: build/python/libdc.so
	@cp examples/python/dc.py build/python
	@echo "PYTHONPATH=build/python $(PYTHON) examples/python/slide.py"

build/python/libdc.so: $(HEADERS) examples/python/generate.py Makefile
	$(PYTHON) examples/python/generate.py "$(CC)" . build/python
	$(CC) $(STD) $(CFLAGS) -ffp-contract=off -fPIC -shared -I. build/python/libdc.c -o $@ $(LDLIBS)

# ---- test

test: $(TESTS:%=build/test/%)
	@sh tests/run.sh $(TESTS:%=build/test/%)

# written again only when it changes
build/include/greatest.h: FORCE
	@sh tests/greatest.sh "$(GREATEST)"

# so is this: everything is built again when the compiler or its flags change
FLAGS = $(CC) $(STD) $(CFLAGS) $(WARN) $(WARN_C) $(INCLUDE) $(LDLIBS)
build/flags: FORCE
	@mkdir -p build/test build/bench build/demo
	@echo '$(subst ','"'"',$(FLAGS))' | cmp -s - $@ || echo '$(subst ','"'"',$(FLAGS))' > $@

build/test/support.o: $(SUPPORT) tests/support/support.h Makefile build/flags
	$(CC) $(STD) $(CFLAGS) -ffp-contract=off $(WARN) $(WARN_C) $(INCLUDE) -c $< -o $@

# Programs share one compiled copy of the headers, but for those that test private functions, which have their own.
BUILD_TEST = $(CC) $(STD) $(CFLAGS) -ffp-contract=off -DDC_TEST_NO_CONTRACT $(WARN) $(WARN_C) $(INCLUDE)
PRIVATE := $(patsubst tests/%.c,build/test/%,$(shell grep -l dci_ tests/test_*.c))
SHARED := $(filter-out $(PRIVATE),$(TESTS:%=build/test/%))
TEST_NEEDS = build/test/support.o $(HEADERS) $(wildcard tests/support/*.h tests/golden/*.h examples/common/*.h) tests/greatest_fallback.h build/include/greatest.h Makefile build/flags

build/test/lib.o: $(HEADERS) tests/lib.sh Makefile build/flags
	@echo "the headers are compiled once: half a minute; each test prints when it has ended"
	sh tests/lib.sh > build/test/lib.c
	$(BUILD_TEST) -c build/test/lib.c -o $@

# a fifth of the slowest sweep; the full cells of make test-all run all of it
test_witness_figure_flags = -DDC_TEST_SWEEP=0.2

$(SHARED): build/test/%: tests/%.c build/test/lib.o $(TEST_NEEDS)
	$(BUILD_TEST) $($(@F)_flags) $$(sh tests/lib.sh flags) $< build/test/lib.o build/test/support.o -o $@ $(LDLIBS)

$(PRIVATE): build/test/%: tests/%.c $(TEST_NEEDS)
	$(BUILD_TEST) $< build/test/support.o -o $@ $(LDLIBS)

FORCE:

# ---- golden

GOLDEN_HEAD = '\# Hashes of what tests/golden computes, made by `make golden`: header, case, in double of values and derivatives, in float of both; -: none.'

golden: build/golden/double build/golden/float
	@build/golden/double > build/golden/double.txt && build/golden/float > build/golden/float.txt
	@echo $(GOLDEN_HEAD) > tests/data/golden.txt
	@paste -d ' ' build/golden/double.txt build/golden/float.txt | awk '{ print $$1, $$2, $$4, $$5, $$9, $$10 }' >> tests/data/golden.txt

build/golden/%: tests/golden/golden.c $(SUPPORT) $(HEADERS) $(wildcard tests/support/*.h tests/golden/*.h) Makefile build/flags
	@mkdir -p build/golden
	$(CC) $(STD) $(CFLAGS) -ffp-contract=off $(WARN) $(WARN_C) -I. -Itests/support -Itests/golden -DDC_REAL=$* $< $(SUPPORT) -o $@ $(LDLIBS)

# ---- bits

bits:
	@sh tests/bits.sh $(TARGET)

# ---- test-all

test-all: WERROR = -Werror
test-all:
	@sh tests/matrix.sh

# ---- test-view

test-view: build/view/pages
	@sh tests/view/run.sh

build/view/pages: tests/view/pages.c examples/common/view.h examples/common/device.h Makefile build/flags
	@mkdir -p build/view
	$(CC) $(STD) $(CFLAGS) $(WARN) $(WARN_C) $(INCLUDE) $< -o $@ $(LDLIBS)

# ---- bench: each program built twice; those with peers link the libraries found here

PKG_CONFIG ?= pkg-config
CXX ?= c++
REPEATS ?= 15
BENCH_JOBS ?= 1
PEERS := $(shell $(PKG_CONFIG) --exists fcl ccd 2>/dev/null && $(CXX) --version >/dev/null 2>&1 && echo fcl ccd)
CHIPMUNK := $(shell echo '\#include <chipmunk/chipmunk.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
MUJOCO := $(shell echo '\#include <mujoco/mujoco.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
BENCH_FLAGS = -std=c99 -O3 $(WARN) $(WARN_C) -I. -Itests/bench -Itests/support -Iexamples/common -DDC_REAL=$(REAL) -DDC_TEST_DATA='"$(CURDIR)/tests/data"'
NATIVE ?= yes
BENCH_PROGRAMS = $(BENCHES:%=build/bench/%) $(if $(NATIVE),$(BENCHES:%=build/bench/%_native))

bench: $(BENCH_PROGRAMS)
ifeq ($(PEERS),)
	@echo "peers skipped: $(PKG_CONFIG) does not find fcl and ccd (Debian: libfcl-dev libccd-dev), or there is no $(CXX)"
endif
	@printf '%s\n' $(BENCH_PROGRAMS) | xargs -P $(BENCH_JOBS) -I '{}' sh -c \
	  '{} $(REPEATS) >{}.txt 2>&1; status=$$?; echo "== {}"; cat {}.txt; exit $$status'

bench-instructions: $(BENCHES:%=build/bench/%)
	@sh tests/bench/instructions.sh $$(cd tests/bench && grep -l '"bench.h"' $(BENCHES:%=%.c) | sed 's,\(.*\)\.c,build/bench/\1,')

# Peers are called from tests/bench/bench_x_peers.cc, which is built without -march=native: Eigen's alignment has to be
# that of the packaged library.
build/bench/%_peers.o: tests/bench/%_peers.cc Makefile build/flags
	$(CXX) -std=c++14 -O3 $$($(PKG_CONFIG) --cflags $(PEERS) | sed 's/-std=[^ ]*//; s/-I/-isystem /g') -c $< -o $@

# MuJoCo is in C and asks for no alignment: bench_manifold.c, bench_witness.c, bench_sim_mujoco.c and the figure contact_speed.c call
# it themselves.
ifneq ($(MUJOCO),)
bench_witness_flags = -DDC_BENCH_MUJOCO
bench_witness_libs = -lmujoco
bench_sim_mujoco_flags = $(bench_witness_flags)
bench_sim_mujoco_libs = $(bench_witness_libs)
bench_design_mujoco_flags = $(bench_witness_flags)
bench_design_mujoco_libs = $(bench_witness_libs)
bench_manifold_flags = $(bench_witness_flags)
bench_manifold_libs = $(bench_witness_libs)
contact_speed_flags = $(bench_witness_flags)
contact_speed_libs = $(bench_witness_libs)
endif

ifneq ($(CHIPMUNK),)
bench_grains_flags = -DDC_BENCH_CHIPMUNK
bench_grains_libs = -lchipmunk -lpthread
endif

define bench_rules
$(1)_peers := $$(if $$(PEERS),$$(patsubst tests/bench/%.cc,build/bench/%.o,$$(wildcard tests/bench/$(1)_peers.cc)))
build/bench/$(1): ARCH =
build/bench/$(1)_native: ARCH = -march=native
build/bench/$(1) build/bench/$(1)_native: tests/bench/$(1).c $$(wildcard tests/bench/*.h examples/common/*.h) build/test/support.o $$(HEADERS) $$($(1)_peers) Makefile build/flags
	$$(CC) $$(BENCH_FLAGS) $$(ARCH) $$(if $$($(1)_peers),-DDC_BENCH_PEERS) $$($(1)_flags) $$< -c -o $$@.o
	$$(if $$($(1)_peers),$$(CXX),$$(CC)) $$@.o build/test/support.o $$($(1)_peers) -o $$@ $$(if $$($(1)_peers),$$$$($$(PKG_CONFIG) --libs $$(PEERS))) $$($(1)_libs) $$(LDLIBS)
endef
$(foreach b,$(BENCHES),$(eval $(call bench_rules,$(b))))

# ---- train: TRAIN="A B k=v ..", or "all k=v .. dir=D"; see tests/tools/train_fields.c

train: build/bench/train_fields
	@$< $(TRAIN)

build/bench/train_fields: tests/tools/train_fields.c $(HEADERS) Makefile build/flags
	$(CC) $(BENCH_FLAGS) $< -o $@ $(LDLIBS)

# ---- fuzz: the headers are compiled once for all programs. At -O1 that takes minutes with the sanitizers, at -O0 seconds

FUZZ_TIME ?= 20
FUZZ_OPTIMIZE ?= -O0
SANITIZE := address,undefined,float-cast-overflow
# can COMPILER FLAGS: whether it links a program with them
can = $(shell echo '$(3)' | $(1) $(2) -x c - -o /dev/null >/dev/null 2>&1 && echo yes)
FUZZ_MAIN = int main(void) { return 0; }
FUZZ_TARGET = int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n); int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d == 0 && n > 0; }
SHORT = build/fuzz/$(REAL)
LIBFUZZER = build/fuzz/libfuzzer_$(REAL)
FUZZ_NEEDS = build/fuzz/support.o tests/support/fuzz.h tests/support/fuzz_field.h $(HEADERS) tests/lib.sh Makefile
FUZZ_BUILD = -std=c99 -g1 -ffp-contract=off $(WARN) $(WARN_C) $(INCLUDE) $(FUZZ_SANITIZE)

ifneq ($(filter fuzz%,$(MAKECMDGOALS)),)
FUZZ_SANITIZE := $(if $(call can,$(CC),-fsanitize=$(SANITIZE),$(FUZZ_MAIN)),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all)
HAVE_LIBFUZZER := $(call can,clang,-fsanitize=fuzzer -fsanitize=$(SANITIZE),$(FUZZ_TARGET))
endif

fuzz-short: $(FUZZES:%=$(SHORT)/%)
	@echo "standalone, $(REAL), $(if $(FUZZ_SANITIZE),$(FUZZ_SANITIZE),no sanitizers)"
	@sh tests/run.sh $(FUZZES:%=$(SHORT)/%)

ifeq ($(HAVE_LIBFUZZER),yes)
fuzz: $(FUZZES:%=$(LIBFUZZER)/%)
	@echo "libFuzzer, $(REAL), $(FUZZ_TIME) s each"
	@sh tests/fuzz.sh $(FUZZ_TIME) $(FUZZES:%=$(LIBFUZZER)/%)
else
fuzz: fuzz-short
	@echo "clang has no libFuzzer here"
endif

build/fuzz/support.o: $(SUPPORT) tests/support/support.h Makefile
	@mkdir -p build/fuzz
	$(CC) $(STD) -O1 $(WARN) $(WARN_C) $(INCLUDE) -c $< -o $@
$(SHORT)/lib.o: $(HEADERS) tests/lib.sh Makefile
	@mkdir -p $(SHORT)
	sh tests/lib.sh > $(SHORT)/lib.c
	$(CC) $(FUZZ_BUILD) $(FUZZ_OPTIMIZE) -c $(SHORT)/lib.c -o $@
$(SHORT)/%: tests/%.c $(SHORT)/lib.o $(FUZZ_NEEDS)
	$(CC) $(FUZZ_BUILD) -O1 $$(sh tests/lib.sh flags) $< $(SHORT)/lib.o build/fuzz/support.o -o $@ $(LDLIBS)

$(LIBFUZZER)/lib.o: $(HEADERS) tests/lib.sh Makefile
	@mkdir -p $(LIBFUZZER)
	sh tests/lib.sh > $(LIBFUZZER)/lib.c
	clang $(FUZZ_BUILD) $(FUZZ_OPTIMIZE) -fsanitize=fuzzer-no-link -c $(LIBFUZZER)/lib.c -o $@
$(LIBFUZZER)/%: tests/%.c $(LIBFUZZER)/lib.o $(FUZZ_NEEDS)
	clang $(FUZZ_BUILD) -O1 -DDC_FUZZ_LIBFUZZER -fsanitize=fuzzer $$(sh tests/lib.sh flags) $< $(LIBFUZZER)/lib.o build/fuzz/support.o -o $@ $(LDLIBS)

# ---- audit: the headers and their copy in quadruple precision are compiled once for all programs

SHARE ?= 1
AUDITS := $(patsubst tests/audit/%.c,%,$(wildcard tests/audit/audit_*.c))
AUDIT_PROGRAMS = $(AUDITS:%=build/audit/%_double) $(AUDITS:%=build/audit/%_float)
AUDIT_BUILD = gcc -std=gnu99 -O1 -Wall -Wextra -Wno-unused-function -I. -Itests/support -Ibuild/audit
AUDIT_LINKED = $$(sh tests/lib.sh flags) $$(sh tests/lib.sh flags | sed s/DC_/DQ_/g)

ifneq ($(filter audit%,$(MAKECMDGOALS)),)
HAVE_QUAD := $(shell echo 'int main(void) { return (int)sqrtq(sizeof(__int128)); }' \
               | gcc -include quadmath.h -x c - -o /dev/null -lquadmath >/dev/null 2>&1 && echo yes)
endif

audit audit-short: $(if $(HAVE_QUAD),$(AUDIT_PROGRAMS))
	@sh tests/audit/run.sh $(if $(filter audit,$@),$(SHARE),0.01) $^

build/audit/quad.o: $(HEADERS) tests/audit/quad.sh tests/lib.sh
	@mkdir -p build/audit
	sh tests/audit/quad.sh build/audit
	sh tests/lib.sh | sed 's/DC_/DQ_/; s/"dc_/"dq_/' > build/audit/quad.c
	$(AUDIT_BUILD) -c build/audit/quad.c -o $@
build/audit/lib_%.o: $(HEADERS) tests/lib.sh
	@mkdir -p build/audit
	sh tests/lib.sh > build/audit/lib_$*.c
	$(AUDIT_BUILD) -DDC_REAL=$* -c build/audit/lib_$*.c -o $@
build/audit/support.o: $(SUPPORT) tests/support/support.h
	@mkdir -p build/audit
	$(AUDIT_BUILD) -c $< -o $@

define audit_rules
build/audit/$(1)_$(2): tests/audit/$(1).c $$(wildcard tests/audit/*.h) build/audit/quad.o build/audit/lib_$(2).o build/audit/support.o
	$$(AUDIT_BUILD) -DDC_REAL=$(2) $$(AUDIT_LINKED) $$< $$(filter %.o,$$^) -o $$@ -lquadmath -lm
endef
$(foreach a,$(AUDITS),$(foreach r,double float,$(eval $(call audit_rules,$(a),$(r)))))

# ---- robust: what hard contact should do and does not yet do everywhere, so make test leaves it out. ROBUST="full", or names and
# options of tests/robust/ncp_robust.c; distances need double

ROBUSTS = build/robust/ncp_units build/robust/ncp_exact build/robust/ncp_toss

robust: build/robust/ncp_robust $(ROBUSTS)
	@$< $(ROBUST); for p in $(ROBUSTS); do $$p; done

build/robust/ncp_robust: tests/robust/ncp_robust.c dc_contact.h dc_ncp.h $(SUPPORT) tests/support/support.h Makefile
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) -ffp-contract=off $(WARN) $(WARN_C) -I. -Itests/support $< $(SUPPORT) -o $@ $(LDLIBS)

$(ROBUSTS): build/robust/%: tests/robust/%.c $(TEST_NEEDS)
	@mkdir -p $(@D)
	$(BUILD_TEST) $< build/test/support.o -o $@ $(LDLIBS)

# ---- lint, vendor

lint vendor: WERROR = -Werror
lint:
	@sh tests/lint.sh

vendor:
	@echo "== build/vendor"
	@sh tests/vendor/run.sh

# ---- facts, house, concordance

facts:
	@sh tests/facts.sh

house:
	@sh tests/house.sh

concordance:
	@sh tests/concordance.sh

# ---- figures: rows of tests/bench/RESULTS.md beside what is measured now; ONLY="bench_hull .." for some

ifneq ($(filter figures,$(MAKECMDGOALS)),)
FIGURES := $(shell ONLY='$(ONLY)' sh tests/figures.sh targets)
endif
figures: $(FIGURES)
	@REPEATS=$(if $(filter file,$(origin REPEATS)),,$(REPEATS)) sh tests/figures.sh

# ---- demo: the examples, run in build/demo, where they leave what they write

demo: build/demo/push
	@cd build/demo && ./push
	@echo; echo "to look at, in a browser: $(CURDIR)/build/demo/push.html"

play: build/play/play.html
	@echo "to look at, in a browser: $(CURDIR)/build/play/play.html"

build/play/play.html: $(wildcard examples/play/*) $(HEADERS) Makefile
	@sh examples/play/build.sh $@

gallery: $(EXAMPLES:%=build/demo/%)
	@sh examples/gallery.sh build/demo $(EXAMPLES)

PLOTS = long_range potential_plot witness_montecarlo
STILLS = push manifold_drop ncp_tumble sim_chain sim_ant $(filter grain_silo,$(EXAMPLES))
stills: $(PLOTS:%=build/demo/%) $(STILLS:%=build/demo/%)
	@cd build/demo && for p in $(PLOTS) $(STILLS); do ./$$p || exit 1; done
	@for p in $(PLOTS); do cp build/demo/$$p.svg examples/gallery || exit 1; done
	@sh tests/view/run.sh stills

# DC_STATIC: functions that a program does not call take no time to compile
BUILD_DEMO = $(CC) $(STD) $(CFLAGS) $(WARN) $(WARN_C) -DDC_STATIC -I. -Iexamples/common -DDC_REAL=$(REAL) -DGRAIN_FIELDS='"$(CURDIR)/examples/fields"' -DMODELS='"$(CURDIR)/examples/models"'
DEMO_NEEDS = $(wildcard examples/common/*) $(HEADERS) Makefile build/flags

build/demo/%: examples/%.c $(DEMO_NEEDS)
	$(BUILD_DEMO) $< -o $@ $(LDLIBS)

build/demo/sweep_mpi: CC = mpicc

build/demo/%: examples/figures/%.c $(DEMO_NEEDS)
	$(BUILD_DEMO) $($(@F)_flags) $< -o $@ $($(@F)_libs) $(LDLIBS)

build/demo/contact_speed: tests/bench/witness_baselines.h tests/bench/mujoco_lobes.h

clean:
	rm -rf build
