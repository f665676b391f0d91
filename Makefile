# make test          every test, C99, double, the default compiler: needs a C compiler and make, nothing else
# make test-all      the matrix of compilers, standards, number types and options, and the packaging tests
# make bench         times; REPEATS=n for more repeats, bench-instructions for counts through callgrind
# make facts         lines, code size and worst stack of each header
# make demo          builds and runs the examples
# make clean
#
# CC, CFLAGS and LDLIBS may be set; GREATEST=path names the test framework's header, GREATEST=fallback our stand-in.

CC ?= cc
CFLAGS ?= -O2 -g
LDLIBS ?= -lm
STD = -std=c99
REAL = double

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wundef -Wvla -Werror
WARN_C = -Wstrict-prototypes -Wmissing-prototypes

HEADERS := $(wildcard dc_*.h)
TESTS := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
EXAMPLES := $(patsubst examples/%.c,%,$(wildcard examples/*.c))
BENCHES := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/bench_*.c))
SUPPORT := tests/support/support.c
INCLUDE = -I. -Itests/support -Ibuild/include -DDC_REAL=$(REAL) -DDC_TEST_DATA='"$(CURDIR)/tests/data"'

export CC WARN WARN_C GREATEST

.PHONY: all test test-all bench bench-instructions facts demo clean FORCE
all: test

# ---- test

test: $(TESTS:%=build/test/%)
	@sh tests/run.sh $(TESTS:%=build/test/%)

# written again only when it changes
build/include/greatest.h: FORCE
	@sh tests/greatest.sh "$(GREATEST)"

build/test/support.o: $(SUPPORT) tests/support/support.h Makefile
	@mkdir -p build/test
	$(CC) $(STD) $(CFLAGS) $(WARN) $(WARN_C) $(INCLUDE) -c $< -o $@

build/test/%: tests/%.c build/test/support.o $(HEADERS) tests/greatest_fallback.h build/include/greatest.h Makefile
	$(CC) $(STD) $(CFLAGS) $(WARN) $(WARN_C) $(INCLUDE) $< build/test/support.o -o $@ $(LDLIBS)

FORCE:

clean:
	rm -rf build
