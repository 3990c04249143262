# make help lists the targets. BUILD picks the flags and the folder below build/, so that
# builds never mix: release (default), clang, debug, asan, ubsan, tsan, cov, fuzz.
# WERROR=1 makes warnings errors, MPI=1 builds with Open MPI, V=1 shows the commands, JOBS=N
# sets the parallelism.
BUILD ?= release
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(BUILD),clang)
CC := clang
endif
PREFIX     ?= /usr/local
DESTDIR    ?=
PKG_CONFIG ?= pkg-config
JOBS       ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# The first "## x.y.z" of the change log; the same bytes with and without git.
HASH    := \#
VERSION := $(shell sed -n '/^$(HASH)$(HASH) [0-9]/{s/^$(HASH)* *\([0-9.]*\).*/\1/p;q;}' CHANGELOG.md 2>/dev/null)
ifeq ($(VERSION),)
VERSION := 0.0.0
endif

O    := build/$(BUILD)
PKGS := yaml-0.1 libcjson yajl gsl zlib libzstd liblzma libxxhash sqlite3 libmicrohttpd
# MPI=1: sweep under mpirun, below build/release-mpi. ompi-c is what mpicc adds.
ifeq ($(MPI),1)
O    := $O-mpi
PKGS += ompi-c
override CPPFLAGS += -DGQSIM_MPI
else
NO_MPI := sim/study/sweep_mpi.c
endif
DEMO := scenarios/gpu-queue-lab.yaml scenarios/three-teams-24-h100.yaml

STD  := -std=c11 -D_POSIX_C_SOURCE=200809L -pthread
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wformat=2 -Wundef \
        -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
        -Wcast-qual -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough -Wvla -Wnull-dereference
ifeq ($(WERROR),1)
WARN += -Werror
endif
# No contraction, no reassociation: the same numbers on every compiler and CPU.
FP   := -ffp-contract=off -fno-fast-math
HARD := -fno-common -fstack-protector-strong -fno-strict-overflow
ifeq (,$(shell $(CC) --version 2>/dev/null | grep clang))
FP   += -fexcess-precision=standard
endif

# Asserts stay on in every build.
OPT_release := -O2 -g -D_FORTIFY_SOURCE=2
OPT_clang   := $(OPT_release)
OPT_debug   := -Og -g3 -DMEM_FAULTS
OPT_asan    := -O1 -g1 -DMEM_FAULTS -fno-omit-frame-pointer -fsanitize=address,undefined \
               -fno-sanitize-recover=all
OPT_ubsan   := -O2 -g -fsanitize=undefined -fno-sanitize-recover=all
OPT_tsan    := -O1 -g -fsanitize=thread
OPT_cov     := -O0 -g -DMEM_FAULTS --coverage -fprofile-abs-path -fprofile-update=atomic
OPT_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
# First with PGO=generate, which counts, then with what was counted beside the objects.
OPT_pgo     := $(OPT_release) $(if $(filter generate,$(PGO)),-fprofile-generate -fprofile-update=atomic,\
               -fprofile-use -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch -Wno-maybe-uninitialized -flto=auto)
OPT := $(or $(OPT_$(BUILD)),$(OPT_release))
# Some 300 test programs hold the whole project each: without what a debugger reads they are a
# fifth. The debug build keeps it, and the sanitizers' keep the lines that their reports name.
SMALL_release := -Wl,-S
SMALL_clang   := -Wl,-S
SMALL_cov     := -Wl,-S
SMALL := $(SMALL_$(BUILD))

# The engine, the schedulers and what they stand on are optimised as one: they call each other
# some hundred times a job. Their objects hold plain code, too, by which tests link.
# They see what the loaders have checked, so they go without the guard of each stack frame, which
# costs 3 %.
ifneq (,$(and $(filter release,$(BUILD)),$(findstring Free Software Foundation,$(shell $(CC) --version 2>/dev/null))))
HOT   := $(patsubst %.c,$O/%.o,$(wildcard core/clock.c core/cluster.c core/evq.c core/mem.c core/name.c core/quota.c core/sort.c \
        sim/engine/*.c sim/kube/*.c sim/kueue/*.c sim/policy/*.c sim/world/*.c \
        sim/scenario/profile.c sim/scenario/scenario.c))
WHOLE := $O/gqsim $O/tests/bench/bench
lto   = $(if $(filter $@,$(HOT)),-O3 -fno-stack-protector -flto -ffat-lto-objects -Wno-null-dereference,$(if $(filter $@,$(WHOLE)),-flto=auto -Wno-null-dereference,-fno-lto))
endif

CFLAGS  ?=
LDFLAGS ?=
PKG_CFLAGS   := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS     := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lm
CHECK_CFLAGS := $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
CHECK_LIBS   := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)
ALL_CPPFLAGS = -I. -MMD -MP -DGQSIM_VERSION='"$(VERSION)"' $(PKG_CFLAGS) $(CPPFLAGS) \
               $(if $(filter $O/tests/%,$@),$(CHECK_CFLAGS))
# Rows of test tables leave out what is zero.
ALL_CFLAGS   = $(STD) $(WARN) $(if $(filter $O/tests/%,$@),-Wno-missing-field-initializers) \
               $(FP) $(HARD) $(OPT) $(lto) $(CFLAGS)

CORE    := $(patsubst %.c,$O/%.o,$(sort $(wildcard core/*.c)))
SIM     := $(patsubst %.c,$O/%.o,$(sort $(filter-out sim/command/main.c $(NO_MPI),$(wildcard sim/*/*.c))))
# Files that are built into the program: sim/page/page_files.h, sim/page/plot_files.h.
PAGE    := page_html=sim/page/page.html page_css=sim/page/page.css page_js=sim/page/page.js \
           page_lab_js=sim/page/lab.js page_lab_yaml=scenarios/lab/cluster.yaml
PLOTS   := look timeline quotas waits nodes shares
PLOT    := $(foreach p,$(PLOTS),plot_$p=plots/$p.gp)
SIM     += $O/sim/page/page_files.o $O/sim/page/plot_files.o
SUPPORT := $(patsubst %.c,$O/%.o,$(sort $(wildcard tests/support/*.c)))
UNIT    := $(patsubst %.c,$O/%,$(sort $(wildcard tests/core/test_*.c tests/sim/*/test_*.c tests/prop/*.c)))
PROPS   := $(filter $O/tests/prop/%,$(UNIT))
FUZZ    := $(patsubst %.c,$O/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
# One program of several files: Kueue's own test tables.
TABLES  := $(patsubst %.c,$O/%.o,$(sort $(wildcard tests/conformance/kueue_tables*.c)))
# Another: figures of traces.
FIGURES := $(patsubst %.c,$O/%.o,$(sort $(wildcard tests/conformance/trace_figures*.c)))
COMPARERS := $(patsubst %.c,$O/%,$(sort $(filter-out tests/conformance/kueue_tables_%.c tests/conformance/trace_figures_%.c,$(wildcard tests/conformance/*.c))))
# Programs that the scripts of these folders call.
HELPERS := $(COMPARERS) $(patsubst %.c,$O/%,$(sort $(wildcard tests/golden/*.c tests/bench/*.c)))
BENCHES := $(patsubst %.c,$O/%,$(sort $(wildcard tests/bench/*.c)))
LIBS    := $(if $(SIM),$O/libsim.a) $O/libcore.a
C_FILES  = $(wildcard core/*.[ch] sim/*/*.[ch] tests/*/*.[ch] tests/sim/*/*.[ch])

CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
CLANG_TIDY   ?= $(shell command -v clang-tidy-14 || echo clang-tidy)

# A fresh make, which sees libraries installed a moment ago.
AGAIN = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
SUITE = GQSIM=$O/gqsim O=$O UNIT="$(UNIT)" FUZZ="$(FUZZ)" MAKE="$(MAKE)" BUILD="$(BUILD)" JOBS="$(JOBS)" tests/run

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-5s %s\n'
endif

.PHONY: all tests deps demo check unit golden fuzz-replay suite conformance check-web plots check-traces check-mpi reproduce prop bench pgo lint fixes \
        layers mirror headers symbols unique length format format-check cppcheck tidy determinism \
        same-bytes asan ubsan tsan valgrind coverage fuzz install uninstall clean help FORCE
.SECONDARY:
.DELETE_ON_ERROR:

all: $O/gqsim ## build build/release/gqsim

$O/gqsim: $O/sim/command/main.o $O/libsim.a $O/libcore.a
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)
$O/libcore.a: $(CORE) $O/objects
	$(Q)rm -f $@ && $(AR) rcs $@ $(CORE)
$O/libsim.a: $(SIM) $O/objects
	$(Q)rm -f $@ && $(AR) rcs $@ $(SIM)
$O/%.o: %.c $O/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<
EMBED    = $(Q)mkdir -p $(@D) && sim/page/embed.sh $(patsubst $O/%.c,%.h,$@)
$O/sim/page/page_files.c: $(foreach p,$(PAGE),$(lastword $(subst =, ,$p))) sim/page/embed.sh
	$(say) EMBED $@
	$(EMBED) $(PAGE) > $@
$O/sim/page/plot_files.c: $(foreach p,$(PLOTS),plots/$p.gp) sim/page/embed.sh
	$(say) EMBED $@
	$(EMBED) $(PLOT) > $@
$O/%_files.o: $O/%_files.c $O/flags
	$(say) CC $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<
# Everything is rebuilt when the flags change.
$O/flags: FORCE
	@$(PKG_CONFIG) --exists $(PKGS) || { echo "missing libraries (libyaml, cJSON, yajl, GSL, zlib, zstd, xz, xxHash, SQLite, libmicrohttpd): run make deps" >&2; exit 1; }
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)' > $@
# The archives are made anew when a source comes or goes.
$O/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(CORE) $(SIM)' | cmp -s - $@ || echo '$(CORE) $(SIM)' > $@

$O/tests/core/test_%: $O/tests/core/test_%.o $O/libcore.a
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(SMALL) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(PKG_LIBS)
$O/tests/sim/%: $O/tests/sim/%.o $(SUPPORT) $(LIBS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(SMALL) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(PKG_LIBS)
$O/tests/prop/%: $O/tests/prop/%.o $(SUPPORT) $(LIBS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(SMALL) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(PKG_LIBS)
ifeq ($(BUILD),fuzz)
FUZZ_MAIN := -fsanitize=fuzzer
else
$(FUZZ): $O/tests/fuzz/replay.o
endif
$O/tests/fuzz/fuzz_%: $O/tests/fuzz/fuzz_%.o $(LIBS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(FUZZ_MAIN) $(SMALL) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(PKG_LIBS)

# Small programs that scripts use: comparers, generators, measuring loops.
$O/tests/conformance/%: $O/tests/conformance/%.o
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)
$O/tests/bench/%: $O/tests/bench/%.o $(LIBS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$O/tests/conformance/kueue_tables: $(TABLES)
$O/tests/conformance/trace_figures: $(FIGURES)
$(HELPERS): $O/%: $O/%.o $(LIBS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(PKG_LIBS)

tests: $(UNIT) $(FUZZ) $(HELPERS) ## build the test programs

deps: ## install what is missing (apt-get or Homebrew)
	@.ci/deps
demo: ## plain Kubernetes and Kueue side by side, on two scenarios
	@.ci/deps
	@$(AGAIN) all
	@for s in $(DEMO); do echo; echo "\$$ $O/gqsim compare $$s"; $O/gqsim compare $$s || exit 1; done
check: ## every test; ends with "N passed, N failed"
	@.ci/deps
	@$(AGAIN) all tests
	@$(MAKE) --no-print-directory suite
unit: all tests ## the unit and property tests alone
	@$(SUITE) unit
golden: all $O/tests/conformance/summary_equal ## the golden cases alone
	@$(SUITE) golden
fuzz-replay: $(FUZZ) ## the fuzz targets over their corpus
	@$(SUITE) fuzz
SUITES ?= unit golden fuzz lint
suite: all tests
	@$(SUITE) $(SUITES)

CASES ?= $(GOLDEN)/../cases
CORPUS ?= $(GOLDEN)/../yaml-corpus
conformance: all $(COMPARERS) ## decisions of the real schedulers: make conformance GOLDEN=dir
	@GQSIM=$O/gqsim O=$O tests/conformance/run.sh "$(GOLDEN)"
	@GQSIM=$O/gqsim O=$O tests/conformance/ties.sh "$(GOLDEN)"
	@O=$O tests/conformance/tables.sh "$(GOLDEN)/kueue-tables"
	@GQSIM=$O/gqsim O=$O tests/conformance/cases.sh "$(CASES)"
	@GQSIM=$O/gqsim tests/conformance/never.sh "$(GOLDEN)"
	@[ ! -d "$(CORPUS)" ] || GQSIM=$O/gqsim O=$O tests/conformance/corpus.sh "$(CORPUS)"
check-web: all $O/tests/bench/philly_like ## the pages in a real browser: chromium, chromedriver, curl, jq
	@GQSIM=$O/gqsim O=$O tests/web/run.sh
check-traces: all $(COMPARERS) ## public traces against published figures: make check-traces TRACES=dir
	@GQSIM=$O/gqsim O=$O tests/conformance/traces.sh "$(TRACES)"
reproduce: all $(COMPARERS) ## results that others published: make reproduce TRACES=dir
	@export GQSIM=$O/gqsim O=$O; bad=0; \
	for script in reproduce reproduce_openb; do \
		tests/conformance/$$script.sh "$(TRACES)" || bad=1; \
	done; exit $$bad
check-mpi: all ## sweeps under mpirun, beside threads and shards
	@$(AGAIN) MPI=1 all
	@GQSIM_MPI=$O-mpi/gqsim $(SUITE) mpi
# A trace of few jobs on few nodes, so that something waits.
plots: all ## every figure of plots/ as PNG and SVG, into build/plots (gnuplot)
	@mkdir -p build/plots
	@for kind in $(filter-out look,$(PLOTS)); do for ending in png svg; do \
		for s in $(DEMO); do \
			$O/gqsim plot $$kind $$s -o build/plots/$$(basename $$s .yaml)-$$kind.$$ending || exit 1; done; \
		$O/gqsim plot $$kind --trace traces/cluster_job_log --nodes v100=4x8 \
			-o build/plots/trace-$$kind.$$ending || exit 1; done; done
COUNT ?= 1000
SEED  ?= 1
prop: all tests ## random systems by the thousand: make prop COUNT=10000 SEED=1
	@for p in $(PROPS); do $$p $(SEED) $(COUNT) || exit 1; done
export SIZES LOADS REPEATS LIMIT
bench: all $(BENCHES) ## CPU time, memory and growth: make bench SIZES="10000 100000" SECTIONS="load run"
	@O=$O tests/bench/run.sh $(SECTIONS)

pgo: ## a faster program: build/pgo/gqsim, guided by profiles of its own runs (gcc)
	@$(AGAIN) BUILD=pgo PGO=generate all build/pgo/tests/bench/philly_like build/pgo/tests/bench/bench
	@find build/pgo -name '*.gcda' -delete
	@O=build/pgo tests/bench/train.sh
	@$(AGAIN) BUILD=pgo all build/pgo/tests/bench/bench

lint: layers mirror headers symbols unique length fixes format-check cppcheck ## everything that reads the code
layers: ## includes point downwards only
	@tests/lint/layers.sh
mirror: ## every source has its test
	@tests/lint/mirror.sh
length: ## no function is longer than 70 lines
	@tests/lint/length.sh
fixes: ## every warning says what to do about it
	@tests/lint/fixes.sh
headers: ## each header compiles on its own, twice
	@for h in core/*.h sim/*/*.h; do \
		printf '#include "%s"\n#include "%s"\nint main(void);\n' $$h $$h | $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) \
			-MF /dev/null -Werror -fsyntax-only -xc - || exit 1; done
unique: $(CORE) $(SIM) $(SUPPORT) ## no global function is defined twice
	@tests/lint/unique.sh $^
symbols: $(CORE) $(SIM) ## prefixes of globals, no writable statics, no banned calls
	@tests/lint/symbols.sh $^
format: ## lay out the C files
	$(CLANG_FORMAT) -i $(C_FILES)
format-check: ## fails if make format would change a file
	@bad=0; for f in $(C_FILES); do $(CLANG_FORMAT) $$f | cmp -s - $$f || \
		{ echo "$$f: not laid out: make format"; bad=1; }; done; exit $$bad
# The suppressed ones are false alarms of cppcheck 2.10 (pointers into arrays, designators).
cppcheck: ## static analysis
	@cppcheck --quiet -j $(JOBS) --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppress=objectIndex --suppress=unknownEvaluationOrder --suppress=arrayIndexThenCheck \
		--error-exitcode=1 -I. core sim
tidy: ## clang-tidy (slow)
	@printf '%s\n' core/*.c $(filter-out $(NO_MPI),$(wildcard sim/*/*.c)) | xargs -P $(JOBS) -n 4 sh -c \
		'$(CLANG_TIDY) --quiet "$$@" -- -I. $(STD) $(PKG_CFLAGS) -DGQSIM_VERSION=\"0\"' tidy
determinism: all ## the same bytes whatever the environment
	@for s in $(DEMO); do tests/lint/determinism.sh $O/gqsim compare $$s || exit 1; done
same-bytes: ## the same bytes from gcc and from clang
	@$(AGAIN) BUILD=release all
	@$(AGAIN) BUILD=clang all
	@for s in $(DEMO); do tests/lint/same_bytes.sh build/release/gqsim build/clang/gqsim compare $$s || exit 1; done

# Leaks of a program that ends on purpose in the middle are not leaks: no fault tests here.
asan: ## the suite under AddressSanitizer and UBSan
	@$(AGAIN) BUILD=asan all tests
	@CK_FORK=no CK_EXCLUDE_TAGS=faults $(MAKE) --no-print-directory BUILD=asan SUITES="unit golden fuzz" suite
ubsan: ## the suite under UBSan, optimised
	@$(AGAIN) BUILD=ubsan all tests
	@CK_FORK=no $(MAKE) --no-print-directory BUILD=ubsan SUITES="unit golden fuzz" suite
tsan: ## the suite under ThreadSanitizer
	@$(AGAIN) BUILD=tsan all tests
	@CK_FORK=no CK_EXCLUDE_TAGS=faults $(MAKE) --no-print-directory BUILD=tsan SUITES="unit golden" suite
valgrind: ## the unit tests and the corpus under valgrind
	@$(AGAIN) BUILD=debug all tests
	@CK_FORK=no CK_EXCLUDE_TAGS=faults CK_DEFAULT_TIMEOUT=3600 \
		WRAP="valgrind -q --leak-check=full --error-exitcode=1" \
		$(MAKE) --no-print-directory BUILD=debug SUITES="unit fuzz" suite
coverage: ## lines of core/ and sim/ that the suite runs; fails below 85 %
	@command -v gcovr >/dev/null || { echo "gcovr is missing: .ci/deps all" >&2; exit 1; }
	@find build/cov -name '*.gcda' -delete 2>/dev/null || :
	@$(AGAIN) BUILD=cov all tests
	@CK_FORK=no $(MAKE) --no-print-directory BUILD=cov SUITES="unit golden fuzz" suite; status=$$?; \
		gcovr --root . --object-directory build/cov --filter 'core/' --filter 'sim/' \
			--fail-under-line 85 && exit $$status

FUZZ_SECONDS ?= 60
fuzz: ## libFuzzer on every target, FUZZ_SECONDS each (clang)
	@echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n == 0; }' | \
		clang -fsanitize=fuzzer -xc - -o /dev/null 2>/dev/null || \
		{ echo "clang with libFuzzer is missing (Debian: clang libclang-rt-14-dev)" >&2; exit 1; }
	@$(AGAIN) BUILD=fuzz CC=clang fuzz-programs
	@for f in $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c))); do \
		echo "== $$f"; mkdir -p build/fuzz/corpus/$$f; \
		build/fuzz/tests/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -print_final_stats=0 -verbosity=1 \
			-artifact_prefix=build/fuzz/$$f- build/fuzz/corpus/$$f tests/fuzz/corpus/$${f#fuzz_} || exit 1; done
.PHONY: fuzz-programs
fuzz-programs: $(FUZZ)

SHARE := $(DESTDIR)$(PREFIX)/share
install: all ## into $(DESTDIR)$(PREFIX): program, man page, completions
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
		$(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 $O/gqsim $(DESTDIR)$(PREFIX)/bin/gqsim
	[ ! -e sim/command/gqsim.1 ] || install -m 644 sim/command/gqsim.1 $(SHARE)/man/man1/gqsim.1
	$O/gqsim completion bash > $(SHARE)/bash-completion/completions/gqsim
	$O/gqsim completion zsh > $(SHARE)/zsh/site-functions/_gqsim
	$O/gqsim completion fish > $(SHARE)/fish/vendor_completions.d/gqsim.fish
uninstall: ## removes what install wrote
	rm -f $(DESTDIR)$(PREFIX)/bin/gqsim $(SHARE)/man/man1/gqsim.1 \
		$(SHARE)/bash-completion/completions/gqsim $(SHARE)/zsh/site-functions/_gqsim \
		$(SHARE)/fish/vendor_completions.d/gqsim.fish
clean: ## remove build/
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## /\1	/p' Makefile | awk -F '\t' '{ printf "  %-14s %s\n", $$1, $$2 }'

-include $(shell find $O -name '*.d' 2>/dev/null)
