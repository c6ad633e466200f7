# fanline: build, demo, checks.  `make help` lists the targets.
#
# Objects live under build/$(CONF)/, so that flavours do not mix: `make SAN=1` builds with
# sanitizers beside the ordinary build.  A new filter is a new file in cmd/, a new room a new
# folder in lib/; nothing here names them.

VERSION = 0.1.0
CC      = cc
PREFIX  = /usr/local
DESTDIR =
INSTALL = install
bindir  = $(PREFIX)/bin
libexecdir = $(PREFIX)/libexec
mandir  = $(PREFIX)/share/man
datadir = $(PREFIX)/share

CONF = $(if $(SAN),san,release)$(if $(findstring clang,$(CC)),-clang)
B    = build/$(CONF)

WARN     = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
           -Wpointer-arith -Wwrite-strings -Wvla
HARDEN   = -fstack-protector-strong -fstack-clash-protection -fPIE \
           $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-fcf-protection)
SANITIZE = -fsanitize=address,undefined
ifdef SAN
OPTIMIZE = -Og -fno-omit-frame-pointer $(SANITIZE) -fno-sanitize-recover=all
else
OPTIMIZE = -O2 -D_FORTIFY_SOURCE=2
endif
CFLAGS   = -g
# What every compilation needs, whatever the user sets CFLAGS to.
BASICS   = -std=c17 -D_GNU_SOURCE -DFANLINE_VERSION='"$(VERSION)"' -Ilib -I$(B)/gen
ALL_CFLAGS = $(BASICS) $(WARN) $(OPTIMIZE) $(HARDEN) -ffile-prefix-map=$(CURDIR)=. $(CFLAGS)
ALL_LDFLAGS = $(if $(SAN),$(SANITIZE)) -pie -Wl,-z,relro,-z,now,--as-needed \
           $(LDFLAGS)
LIBS     = -ljansson -lcsv -lhiredis -lsqlite3 -lssl -lcrypto -lpcre2-8 -lcurl -lexpat -lyaml -lz -lzstd -lm

PROGRAMS := $(patsubst cmd/%.c,%,$(wildcard cmd/*.c))
LIB_SRC  := $(wildcard lib/*/*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(B)/%.o)
EMBEDDED := $(wildcard lib/*/*.lua lib/*/*.html lib/*/*.css lib/*/*.js)
EMBED_GEN := $(EMBEDDED:lib/%=$(B)/gen/%.h)
BINARIES := $(PROGRAMS:%=$(B)/bin/%)
HEADERS  := $(wildcard lib/*/*.h)
ALONE    := $(HEADERS:%.h=$(B)/alone/%.o)
MAN      := $(wildcard man/*.[1-8])
UNIT_SRC := $(wildcard tests/unit/*.c)
UNITS    := $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)

FUZZ_SRC := $(wildcard tests/fuzz/*.c)
SOURCES  := $(LIB_SRC) $(HEADERS) $(wildcard cmd/*.[ch]) $(UNIT_SRC) $(FUZZ_SRC) \
            $(wildcard tests/bench/*.c tests/stub/*.c tests/cases/*.c tests/fault/*.c)
# One short line a step; V=1 shows the commands, -s nothing.
Q        := $(if $(V),,@)
QUIET    := $(V)$(findstring s,$(firstword -$(MAKEFLAGS)))
SAY       = @$(if $(QUIET),:,echo '  $(1) $(@:$(B)/%=%)')

# Programs whose source is gone are not left behind.
STALE    := $(filter-out $(BINARIES) $(UNITS),$(wildcard $(B)/bin/* $(B)/unit/*))
# Nothing has its name before it is whole, so that two makes in one tree do each other no harm.
INTO      = && mv -f $@.$$$$ $@
DEPS      = -MMD -MP -MF $(@:.o=.d) -MT $@

# Sub-makes use all processors unless -j was given.
JOBS      = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
SUBMAKE   = $(MAKE) --no-print-directory $(JOBS)

all: $(BINARIES)
	$(if $(STALE),@rm -f $(STALE))

help:
	@echo 'make             build the programs into build/release/bin (SAN=1: build/san/bin)'
	@echo 'make demo        install what is missing, build, run two whole flows on real data'
	@echo 'make check       install what is missing, build, run all tests; SAN=1 with sanitizers'
	@echo 'make units       build the unit tests into build/release/unit'
	@echo 'make lint        floors, layout, scripts, man pages, completions, static analysis'
	@echo 'make format      lay the C sources out by .clang-format'
	@echo 'make completions write completions/ anew from the option tables'
	@echo 'make bench       compare with jq, gojq, jansson, cat and xargs, side by side (BENCH_MB=200)'
	@echo 'make check-s3    test object stores against a real S3 server (installs Ceph)'
	@echo 'make check-report look at the report of resultwrite in a browser (installs Chromium)'
	@echo 'make soak        check-s3, then whole flows with crashes for a long time (SOAK_SECONDS=600)'
	@echo 'make fuzz        run the fuzz targets with libFuzzer (FUZZ_SECONDS=60 each)'
	@echo 'make install     into DESTDIR and PREFIX (/usr/local); LINK_WAIT=1 links wait too'
	@echo 'make uninstall   takes that away again'
	@echo 'make clean       removes build/'
	@echo 'NO_INSTALL=1 keeps demo and check from installing Debian packages.'

# What is missing may be what the build needs: so the build is a make of its own.
demo:
	@tests/setup demo
	@$(SUBMAKE) all
	@FANLINE_BIN=$(B)/bin tests/demo/languages
	@FANLINE_BIN=$(B)/bin tests/demo/registry

check:
	@tests/setup check
	@$(SUBMAKE) all units headers fuzz-replay faulty $(B)/stub/object $(B)/fault/proxy $(B)/fault/clock.so \
	    $(B)/bench/measure
	@SAN=$(SAN) tests/run $(B)

lint:
	@tests/setup lint
	@$(SUBMAKE) all headers
	@CFLAGS="$(subst ",\",$(BASICS))" tests/lint/run $(B)/bin $(SOURCES)

format:
	clang-format -i $(SOURCES)

completions: all
	completions/generate $(B)/bin completions

bench:
	@tests/setup bench
	@$(SUBMAKE) all $(B)/bench/generate $(B)/bench/measure $(B)/bench/bare $(B)/bench/scanner $(B)/bench/wake
	@tests/bench/run $(B)

# A real S3 server, of Debian's packages.
check-s3:
	@tests/setup s3
	@$(SUBMAKE) all $(B)/stub/object
	@FANLINE_BIN=$(B)/bin prove -v tests/stub/check-s3

check-report:
	@tests/setup report
	@$(SUBMAKE) all
	@FANLINE_BIN=$(B)/bin prove tests/report/browser

soak: check-s3 $(B)/fault/proxy
	@FANLINE_BIN=$(B)/bin tests/fault/soak
	@FANLINE_BIN=$(B)/bin tests/fault/signal-soak
	@FANLINE_BIN=$(B)/bin tests/fault/tunnel-soak

$(B)/bin/%: $(B)/cmd/%.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(call SAY,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$ $< $(B)/libfanline.a $(LIBS) $(INTO)

$(B)/libfanline.a: $(LIB_OBJ) $(B)/members
	$(call SAY,AR)
	$(Q)$(AR) rcsD $@.$$$$ $(LIB_OBJ) $(INTO)

# An archive whose list of members changed is made again.
$(B)/members: FORCE
	@mkdir -p $(@D)
	@echo '$(LIB_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ)' >$@

$(B)/%.o: %.c $(B)/flags | $(EMBED_GEN) $(B)/gen/filters.h
	@mkdir -p $(@D)
	$(call SAY,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(DEPS) -c -o $@.$$$$ $< $(INTO)

# Files that a program carries with it, as string constants: lib/store/take.lua becomes lua_take.
$(EMBED_GEN): $(B)/gen/%.h: lib/%
	@mkdir -p $(@D)
	@{ printf 'static const char %s_%s[] = {' $(subst .,,$(suffix $*)) $(basename $(notdir $*)); \
	   od -An -v -tx1 $< | sed 's/ \(..\)/0x\1,/g'; printf '0};\n'; } >$@.$$$$ $(INTO)

# The list of filters that `fanline` shows: name and summary from the table of each program.
$(B)/gen/filters.h: $(filter-out cmd/fanline.c,$(wildcard cmd/*.c))
	@mkdir -p $(@D)
	@awk '/struct cli_program program/ { open = 1 } \
	     open && /\.name = "/ { name = $$0; sub(/.*\.name = /, "", name) } \
	     open && /\.summary = "/ { sub(/.*\.summary = /, ""); sub(/,$$/, ""); \
	       print "    {" name " " $$0 "},"; open = 0 }' $^ >$@.$$$$ $(INTO)

# Anything built with other flags is built again.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(subst ','\'',$(ALL_CFLAGS) $(ALL_LDFLAGS))' | cmp -s - $@ || \
	 echo '$(CC) $(subst ','\'',$(ALL_CFLAGS) $(ALL_LDFLAGS))' >$@

# Unit tests: one Criterion program per file, linked with the library.
units: $(UNITS)
	$(if $(STALE),@rm -f $(STALE))

$(B)/unit/%: $(B)/tests/unit/%.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(call SAY,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$ $< $(B)/libfanline.a $(LIBS) -lcriterion $(INTO)

# Each header compiles alone.
headers: $(ALONE)

$(B)/alone/%.o: %.h $(B)/flags
	@mkdir -p $(@D)
	@$(CC) $(ALL_CFLAGS) $(DEPS) -x c -c -o $@.$$$$ $< $(INTO)

# notify and wait over a store that conflicts and breaks on demand: tests/cases/faults.c.
FAULTS = -Wl,--wrap=store_fetch,--wrap=store_replace,--wrap=store_remove,--wrap=clock_real
faulty: $(B)/faulty/notify $(B)/faulty/wait

$(B)/faulty/%: $(B)/cmd/%.o $(B)/tests/cases/faults.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(call SAY,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(FAULTS) -o $@.$$$$ $< $(B)/tests/cases/faults.o \
	    $(B)/libfanline.a $(LIBS) $(INTO)

# What tests use to fill and look at object stores.
$(B)/stub/%: $(B)/tests/stub/%.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(call SAY,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$ $< $(B)/libfanline.a $(LIBS) $(INTO)

# A wrong time of day for a server; loaded by programs that know nothing of sanitizers.
$(B)/fault/clock.so: tests/fault/clock.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -fPIC -shared -o $@.$$$$ $< && \
	    mv -f $@.$$$$ $@

# What fault tests put between our programs and a server.
$(B)/fault/%: $(B)/tests/fault/%.o
	@mkdir -p $(@D)
	$(call SAY,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$ $< $(INTO)

# Helpers of the benchmark.
$(B)/bench/%: $(B)/tests/bench/%.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(call SAY,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$ $< $(B)/libfanline.a $(LIBS) $(INTO)

# Fuzz targets: with libFuzzer to look for new inputs (make fuzz), and with a main() that feeds
# them files, to run again over the inputs that are kept (make check).
FUZZ_NAMES  := $(filter-out replay,$(FUZZ_SRC:tests/fuzz/%.c=%))
FUZZ_REPLAY := $(FUZZ_NAMES:%=$(B)/fuzz/%)
FUZZ_BUILD   = build/fuzz
FUZZ_LIB    := $(LIB_SRC:%.c=$(FUZZ_BUILD)/%.o)
FUZZ_FLAGS   = $(BASICS) -g -O1 -fsanitize=address,undefined,fuzzer-no-link \
               -fno-sanitize-recover=all
FUZZ_SECONDS ?= 60

fuzz-replay: $(FUZZ_REPLAY)

$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(call SAY,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$ $^ $(LIBS) $(INTO)

$(FUZZ_BUILD)/%.o: %.c | $(EMBED_GEN)
	@mkdir -p $(@D)
	$(call SAY,CLANG)
	$(Q)clang $(FUZZ_FLAGS) $(DEPS) -c -o $@.$$$$ $< $(INTO)

$(FUZZ_BUILD)/bin/%: $(FUZZ_BUILD)/tests/fuzz/%.o $(FUZZ_LIB)
	@mkdir -p $(@D)
	$(call SAY,CLANG)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@.$$$$ $^ $(LIBS) $(INTO)

fuzz-programs: $(FUZZ_NAMES:%=$(FUZZ_BUILD)/bin/%)

fuzz:
	@tests/setup fuzz
	@$(SUBMAKE) fuzz-programs
	@set -e; for name in $(FUZZ_NAMES); do \
	    mkdir -p $(FUZZ_BUILD)/corpus/$$name tests/fuzz/$$name.seeds; \
	    echo "== $$name, $(FUZZ_SECONDS) s"; \
	    $(FUZZ_BUILD)/bin/$$name -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 \
	        -artifact_prefix=$(FUZZ_BUILD)/ $(FUZZ_BUILD)/corpus/$$name tests/fuzz/$$name.seeds; \
	done

# The programs lie together in libexec, `fanline` among them; bindir has links to them.
LINKED = $(if $(LINK_WAIT),$(PROGRAMS),$(filter-out wait,$(PROGRAMS)))
PUBLIC = $(DESTDIR)$(bindir)
PRIVATE = $(DESTDIR)$(libexecdir)/fanline
BASHDIR = $(DESTDIR)$(datadir)/bash-completion/completions
ZSHDIR  = $(DESTDIR)$(datadir)/zsh/site-functions
FISHDIR = $(DESTDIR)$(datadir)/fish/vendor_completions.d

install: all
	$(INSTALL) -d $(PUBLIC) $(PRIVATE) $(BASHDIR) $(ZSHDIR) $(FISHDIR)
	$(INSTALL) -m 755 $(BINARIES) $(PRIVATE)
	for p in $(LINKED); do ln -sfr $(PRIVATE)/$$p $(PUBLIC)/$$p || exit 1; done
	for m in $(MAN); do \
	    $(INSTALL) -D -m 644 $$m $(DESTDIR)$(mandir)/man$${m##*.}/$${m#man/} || exit 1; done
	$(INSTALL) -m 644 completions/fanline.bash $(BASHDIR)/fanline
	$(INSTALL) -m 644 completions/_fanline $(ZSHDIR)/_fanline
	$(INSTALL) -m 644 completions/fanline.fish $(FISHDIR)/fanline.fish
	for p in $(filter-out wait fanline,$(PROGRAMS)); do \
	    ln -sf fanline $(BASHDIR)/$$p && ln -sf fanline.fish $(FISHDIR)/$$p.fish || exit 1; done

uninstall:
	cd $(PUBLIC) && for p in $(PROGRAMS); do \
	    case $$(readlink $$p) in */fanline/$$p) rm $$p ;; esac; done
	cd $(PRIVATE) && rm -f $(PROGRAMS) && cd .. && rmdir fanline
	for m in $(MAN); do rm -f $(DESTDIR)$(mandir)/man$${m##*.}/$${m#man/}; done
	cd $(BASHDIR) && rm -f $(PROGRAMS)
	cd $(FISHDIR) && rm -f $(PROGRAMS:%=%.fish)
	rm -f $(ZSHDIR)/_fanline

clean:
	rm -rf build

FORCE:
.PHONY: all help demo check check-report check-s3 units headers lint format completions bench \
        soak fuzz fuzz-replay fuzz-programs install uninstall clean FORCE
.SECONDARY:
-include $(wildcard $(B)/cmd/*.d $(B)/lib/*/*.d $(B)/tests/*/*.d $(B)/alone/lib/*/*.d \
                    $(FUZZ_BUILD)/lib/*/*.d $(FUZZ_BUILD)/tests/*/*.d)
