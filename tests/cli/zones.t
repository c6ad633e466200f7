#!/bin/sh
# Time zones named by places, beside GNU date, which has the same database from the C library.
. "$(dirname "$0")/lib.sh"

zones='Europe/Berlin Europe/Dublin America/New_York America/Sao_Paulo America/St_Johns Asia/Kolkata
Asia/Tehran Asia/Gaza Africa/Casablanca Australia/Lord_Howe Pacific/Apia Pacific/Kiritimati
Antarctica/Troll America/Nuuk Asia/Kathmandu Africa/Monrovia Etc/GMT+5 EST5EDT UTC'
if [ ! -e /usr/share/zoneinfo/Europe/Berlin ] || ! date --version 2>&1 | grep -q GNU; then
    skip 'time zones of places' 'needs tzdata and GNU date'
    done_testing
fi

# From 1850 to 2250, and around the changes of a year within the tables and of one beyond them.
{
    seq -- -3786825600 40000003 8835987600
    seq 1790000000 40009 1824000000
    seq 3682000000 40009 3714000000
} >moments
sed 's/.*/{"n":&000}/' moments >lines
# shellcheck disable=SC2016 # for evalexpr
for zone in $zones; do
    sed 's/^/@/' moments | TZ=$zone date -f - '+%Y-%m-%d %H:%M:%S %:z %Z' |
        sed 's/-00:00 -00$/+00:00 -00/' >want
    evalexpr --attributes '${n:format("yyyy-MM-dd HH:mm:ss xxx zzz", "'"$zone"'")}' <lines | tr -d '"' >got
    diff got want >differences
    same "$zone" '' "$(head -n 6 differences)"

    # Back again.  Of an hour that is there twice it is the first one, which has the same text.
    cut -c 1-19 got | sed 's/.*/{"there":"&"}/' |
        evalexpr --attributes '${there:toDate("yyyy-MM-dd HH:mm:ss", "'"$zone"'"):toNumber()}' | tr -d '"' |
        paste -d ' ' moments - got | awk '$1 "000" != $2' >others
    ok "$zone: few are another moment" [ "$(wc -l <others)" -lt 30 ]
    cut -d ' ' -f 2 others | sed 's/...$//' | sed 's/^/@/' | TZ=$zone date -f - '+%Y-%m-%d %H:%M:%S' >again
    cut -d ' ' -f 3-4 others >first
    ok "$zone: ... with the same text" cmp first again
done

# The zone may be an expression too.
# shellcheck disable=SC2016 # for evalexpr
check 'a zone for each line' 0 '"2026-07-01 14:00 CEST"
"2026-07-01 08:00 EDT"' sh -c 'evalexpr --attributes "\${n:format(\"yyyy-MM-dd HH:mm zzz\", \${z})}"' <<END
{"n":1782907200000,"z":"Europe/Berlin"}
{"n":1782907200000,"z":"America/New_York"}
END
# shellcheck disable=SC2016 # for evalexpr
check_err 'a zone that is none, on a line' 1 "there is no time zone 'Europe/Bonn'" \
    sh -c 'echo "{\"z\":\"Europe/Bonn\"}" | evalexpr --attributes "\${now():format(\"yyyy\", \${z})}"'
# shellcheck disable=SC2016 # for evalexpr
for zone in Europe/Bonn europe/berlin ../zoneinfo/UTC /usr/share/zoneinfo/UTC Europe right/UTC zone.tab '' 'a b'; do
    check_err "no zone: '$zone'" 2 'time zone.* at character 24$' \
        evalexpr --attributes '${now():format("yyyy", '"'$zone')}"
done

done_testing
