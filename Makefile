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
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -DFANLINE_VERSION='"$(VERSION)"' -Ilib -I$(B)/gen \
           $(WARN) $(OPTIMIZE) $(HARDEN) -ffile-prefix-map=$(CURDIR)=. $(CFLAGS)
ALL_LDFLAGS = $(if $(SAN),$(SANITIZE)) -pie -Wl,-z,relro,-z,now,--as-needed \
           $(LDFLAGS)
LIBS     = -ljansson -lcsv -lhiredis -lsqlite3

PROGRAMS := $(patsubst cmd/%.c,%,$(wildcard cmd/*.c))
LIB_SRC  := $(wildcard lib/*/*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(B)/%.o)
LUA      := $(wildcard lib/*/*.lua)
LUA_GEN  := $(LUA:lib/%=$(B)/gen/%.h)
BINARIES := $(PROGRAMS:%=$(B)/bin/%)
UNIT_SRC := $(wildcard tests/unit/*.c)
UNITS    := $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)

all: $(BINARIES)

$(B)/bin/%: $(B)/cmd/%.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/libfanline.a $(LIBS)

$(B)/libfanline.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcsD $@ $^

$(B)/%.o: %.c $(B)/flags | $(LUA_GEN) $(B)/gen/filters.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# A script that runs inside a server, as a string constant: lib/store/take.lua becomes lua_take.
$(B)/gen/%.lua.h: lib/%.lua
	@mkdir -p $(@D)
	@{ printf 'static const char lua_%s[] = {' $(notdir $*); \
	   od -An -v -tx1 $< | sed 's/ \(..\)/0x\1,/g'; printf '0};\n'; } >$@

# The list of filters that `fanline` shows: name and summary from the table of each program.
$(B)/gen/filters.h: $(filter-out cmd/fanline.c,$(wildcard cmd/*.c))
	@mkdir -p $(@D)
	@awk '/struct cli_program program/ { open = 1 } \
	     open && /\.name = "/ { name = $$0; sub(/.*\.name = /, "", name) } \
	     open && /\.summary = "/ { sub(/.*\.summary = /, ""); sub(/,$$/, ""); \
	       print "    {" name " " $$0 "},"; open = 0 }' $^ >$@

# Anything built with other flags is built again.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(subst ','\'',$(ALL_CFLAGS) $(ALL_LDFLAGS))' | cmp -s - $@ || \
	 echo '$(CC) $(subst ','\'',$(ALL_CFLAGS) $(ALL_LDFLAGS))' >$@

# Unit tests: one Criterion program per file, linked with the library.
units: $(UNITS)

$(B)/unit/%: $(B)/tests/unit/%.o $(B)/libfanline.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/libfanline.a $(LIBS) -lcriterion

clean:
	rm -rf build

FORCE:
.PHONY: all units clean FORCE
.SECONDARY:
-include $(wildcard $(B)/cmd/*.d $(B)/lib/*/*.d $(B)/tests/*/*.d)
