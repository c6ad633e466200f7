#!/bin/sh
# tests/lint/layers finds each kind of breach, and nothing where there is none.
. "$(dirname "$0")/../cli/lib.sh"

mkdir -p lib/low lib/mid lib/side lib/cli cmd
cat >lib/LAYERS <<'EOF'
# comment
ground low
middle mid side>mid
top cli
header third.h lib/mid/one*.c
call getenv lib/mid/one.c
call malloc lib/mid/one.c
EOF
for room in low mid side cli; do
    : >lib/$room/$room.h
done

# row NAME FILE MESSAGE <<CODE: a breach, or none where MESSAGE is empty.
row()
{
    cat >"$2"
    check "$1" "$([ -z "$3" ]; echo $?)" "${3:+$2:1: $3}" "$ROOT/tests/lint/layers" .
    rm "$2"
}

row 'down is fine' lib/mid/a.c '' <<'EOF'
#include "low/low.h"
EOF
row 'its own room is fine, also without a folder' lib/mid/a.c '' <<'EOF'
#include "mid.h"
EOF
row 'up' lib/low/a.c 'includes "mid/mid.h": mid is not below low' <<'EOF'
#include "mid/mid.h"
EOF
row 'sideways' lib/mid/a.h 'includes "side/side.h": side is not below mid' <<'EOF'
#include "side/side.h"
EOF
row 'sideways where it is allowed' lib/side/a.c '' <<'EOF'
#include "mid/mid.h"
EOF
row 'a room without a floor' lib/low/a.c 'includes "new/new.h": lib/LAYERS has no room new' <<'EOF'
#  include "new/new.h"
EOF
row 'a program may include all' cmd/a.c '' <<'EOF'
#include "cli/cli.h"
EOF
row 'a header of the system' lib/low/a.c '' <<'EOF'
#include <sys/epoll.h>
EOF
row 'a third-party header at its place' lib/mid/one-more.c '' <<'EOF'
#include <third.h>
EOF
row 'a third-party header elsewhere' lib/mid/a.c \
    'includes <third.h>, which belongs to lib/mid/one*.c' <<'EOF'
#include <third.h>
EOF
row 'an unknown third-party header' cmd/a.c \
    'includes <new/x.h>, a third-party header that lib/LAYERS does not name' <<'EOF'
#include <new/x.h>
EOF
row 'printing' lib/low/a.c 'calls fprintf(): printing is left to cli and cmd' <<'EOF'
int f(void) { return fprintf (f, "%d", 1); }
EOF
row 'a stream' lib/low/a.c 'uses stdout or stderr: printing is left to cli and cmd' <<'EOF'
int f(void) { return g(stderr); }
EOF
row 'exiting' lib/mid/a.c 'calls exit(): exiting is left to cli and cmd' <<'EOF'
void f(void) { exit(1); }
EOF
row 'the environment' lib/mid/a.c 'calls getenv(): the environment is left to cli and cmd' <<'EOF'
char *f(void) { return getenv("X"); }
EOF
row 'a call that LAYERS allows' lib/mid/one.c '' <<'EOF'
char *f(void) { return getenv("X"); }
EOF
row 'memory that may be missing' lib/low/a.c 'calls strdup(): memory is asked for with base/mem.h' <<'EOF'
char *f(const char *s) { return strdup(s); }
EOF
row 'what is unsafe, also in a program' cmd/a.c 'calls sprintf(): it writes without a limit' <<'EOF'
void f(char *s) { sprintf(s, "%d", 1); }
EOF
row 'numbers' cmd/a.c 'calls atoi(): numbers are read with base/units.h' <<'EOF'
int f(char *s) { return atoi(s); }
EOF
row 'memory where LAYERS allows it' lib/mid/one.c '' <<'EOF'
void *f(void) { return malloc(1); }
EOF
row 'cli may do all that' lib/cli/a.c '' <<'EOF'
void f(void) { printf(getenv("X")); exit(1); }
EOF
row 'comments, strings and longer names are no calls' lib/low/a.c '' <<'EOF'
/* printf( */ int f(void) { snprintf(b, "exit(1) \" getenv(", '"', '\''); } // abort(
/* exit(1)
   exit(2) */
EOF
row 'JSON in a format' cmd/a.c 'JSON in a format string: "{\"a\":%d}"' <<'EOF'
int f(void) { printf("{\"a\":%d}", 1); }
EOF
row 'JSON without a format' cmd/a.c '' <<'EOF'
int f(void) { printf("{\"a\":"); }
EOF
row 'a quoted name in a message' lib/low/a.c '' <<'EOF'
int f(void) { snprintf(b, "no member \"%s\"", name); }
EOF

done_testing
