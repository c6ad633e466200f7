#!/bin/sh
# resultwrite --report: the page as text. How it looks and behaves is tests/report/browser's to check.
. "$(dirname "$0")/lib.sh"

# runs COUNT: records of COUNT executions, four at a time, 1 s each, every tenth one failed.
runs()
{
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) {
            s = int(i / 4)
            bad = i % 10 == 7
            printf "{\"ExecutionName\":\"r:%d\",\"FlowName\":\"night\",\"Index\":%d,\"Input\":{\"n\":%d},", i, i, i
            printf "\"Output\":%s,\"Status\":\"%s\",", bad ? "{\"ErrorCode\":\"ExitCode.3\"}" : i, bad ? "Failed" : "Succeeded"
            printf "\"StartedTime\":\"2026-01-02T%02d:%02d:%02d.500Z\",", s / 3600, s / 60 % 60, s % 60
            s++
            printf "\"StoppedTime\":\"2026-01-02T%02d:%02d:%02d.500Z\",\"Attempts\":1,\"ItemCount\":2%s}\n", s / 3600, s / 60 % 60, s % 60,
                bad ? ",\"ErrorCode\":\"ExitCode.3\",\"Cause\":\"no\"" : ""
        }
    }'
}
# The page without its tags, one line for each that ends a block.
text_of()
{
    sed '/<style>/,/<\/style>/d; /<script/,/<\/script>/d' "$1" |
        sed 's/<title>[^<]*<\/title>//g; s/<\/\(td\|th\|tr\|p\|dd\|dt\|li\|h[1-4]\|summary\|pre\|figcaption\)>/ \n/g; s/<[^>]*>//g' |
        sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/'"'"'/g; s/&amp;/\&/g; s/ *$//; /^$/d'
}
# after FILE LINE: the line behind the first one that is LINE.
after()
{
    grep -Fx -A 1 -m 1 -e "$2" "$1" | sed -n 2p
}

runs 40 >records
check 'a page beside the results' 0 \
    '{"MapRunName":"r","ResultWriterDetails":{"Bucket":"out","Key":"r/manifest.json"}}' \
    resultwrite -o out --tolerated-failure-percentage=10 --report=page.html <records
text_of page.html >text
same 'executions that succeeded' 36 "$(after text Succeeded)"
same 'and failed' 4 "$(after text Failed)"
same 'what they are of all' '90 % of executions' "$(grep -A 2 -Fx -m 1 Succeeded text | sed -n 3p)"
same 'items in the table' '36 90 % 72 4 10 % 8 40 100 % 80' \
    "$(sed -n '/^Outcome$/,/^Timeline$/p' text | grep -E '^[0-9]' | paste -sd' ')"
ok 'the verdict' grep -Fq '✓ Succeeded, with 4 tolerated failures' text
same 'wall time' '10 s' "$(after text 'Wall time')"
same 'throughput' '4/s' "$(after text Throughput)"
same 'and of items' '8 items/s' "$(grep -A 2 -Fx Throughput text | sed -n 3p)"
same 'durations' '1 s 1 s 1 s 1 s 1 s' \
    "$(for q in shortest p50 p90 p99 longest; do after text $q; done | paste -sd' ')"
same 'a bar for each execution' 40 "$(sed -n '/id="timeline"/,/id="running"/p' page.html | grep -o '<rect' | wc -l)"
same 'of both kinds' '36 4' "$(for k in good bad; do
    sed -n '/id="timeline"/,/id="running"/p' page.html | grep -o "<rect class=\"$k\"" | wc -l; done | paste -sd' ')"
same 'four at once, all the time' 4 "$(sed -n '/^Running at once$/,/^Durations$/p' text | grep -Ex '[0-9.,]+' | sort -u | tail -n 1)"
same 'the failures' 'ExitCode.34100 %' "$(sed -n '/^Failures by ErrorCode$/,$p' text | sed -n 2p)"
same 'their cause' no "$(after text 'First cause')"
same 'their inputs' '{"n":7} {"n":17} {"n":27}' "$(grep -x '{"n":[0-9]*}' text | paste -sd' ')"
same 'links that lead to the files' 'out/r/manifest.json out/r/SUCCEED_0.json out/r/FAILED_0.json' \
    "$(sed -n 's/.*<a href="\.\/\([^"]*\)".*/\1/p' page.html | while read -r f; do [ -f "$f" ] && echo "$f"; done | paste -sd' ')"
mkdir -p 'a b' deep/er
check_status 'from another folder' 0 resultwrite -o 'a b/é:#%' --tolerated-failure-count=4 \
    --report=deep/er/page.html <records
same 'they are relative and escaped' '../../a%20b/%C3%A9%3A%23%25/r/manifest.json' \
    "$(sed -n 's/.*<a href="\([^"]*manifest.json\)".*/\1/p' deep/er/page.html)"
check_status 'in the folder of the run' 0 resultwrite -o own --tolerated-failure-count=4 \
    --report=own/r/page.html --run-name r <records
same 'they are names' './manifest.json' "$(sed -n 's/.*<a href="\([^"]*manifest.json\)".*/\1/p' own/r/page.html)"
check_status 'without files' 0 sh -c 'resultwrite --tolerated-failure-count=4 --report=bare.html <records >/dev/null'
ok 'it says so' grep -Fq 'No files were written.' bare.html
check_status 'when too many failed' 4 sh -c 'resultwrite --report=bad.html <records >/dev/null'
ok 'there is a page all the same' grep -Fq 'Failed: 4 of 40 executions failed, more than is tolerated' bad.html
check_status 'of nothing' 0 sh -c 'resultwrite --report=nothing.html </dev/null >/dev/null'
ok 'there is little to show' grep -Fq 'Nothing ran.' nothing.html
check_err 'a page that cannot be written' 1 'cannot write no/page.html' \
    resultwrite -o out --run-name late --tolerated-failure-count=4 --report=no/page.html <records
ok 'the results are there' test -s out/late/manifest.json
check_status 'an existing run is drawn again' 0 sh -c '
    resultwrite -o out --run-name r --append-run --tolerated-failure-count=4 --report=again.html </dev/null >/dev/null'
text_of again.html >text2
same 'from its files' '36 4 10 s' "$(after text2 Succeeded) $(after text2 Failed) $(after text2 'Wall time')"

# ---- one page, nothing else ----

same 'it names no address' '' "$(grep -oE "(src|href|url|import|action)[=(][\"' ]*(https?:|//|[a-z]+:)[^\"']*" page.html | grep -v '^href="data:,$')"
ok 'and forbids itself to ask for any' grep -Fq "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-" page.html
same 'one script, with the nonce' 1 "$(grep -c '<script' page.html)"
same 'which the policy names' "$(sed -n "s/.*script-src 'nonce-\([^']*\)'.*/\1/p" page.html)" \
    "$(sed -n 's/.*<script nonce="\([^"]*\)".*/\1/p' page.html)"
same 'all marks of the static page are filled' '' "$(grep -F '<!--=' page.html)"

# ---- what others have written ----

cat >hostile <<'END'
{"ExecutionName":"x\"onload=\"alert(1):0","FlowName":"</title><script>alert(2)</script>","Index":0,"Input":{"a":"</pre><img src=x onerror=alert(3)>"},"Output":null,"Status":"Failed","StartedTime":"2026-01-02T00:00:00Z","StoppedTime":"2026-01-02T00:00:01Z","ErrorCode":"<b>\u202egnp.exe\u202c\u0000\u001b[2J'\"&","Cause":"</script>\n<!--=script-->\u200b\u2028\u0085\ufeff\udb40\udc41"}
END
check_status 'hostile texts' 4 sh -c 'resultwrite -o out --run-name "<i>&" --report=hostile.html <hostile >/dev/null'
same 'no tag comes of them' '' "$(grep -oE '<(img|b>|i>|/title><script>alert)' hostile.html | grep -v '^<b>$')"
same 'one script still' 1 "$(grep -c '<script' hostile.html)"
same 'one end of it' 1 "$(grep -o '</script' hostile.html | wc -l)"
same 'no attribute comes of them' '' "$(grep -oE ' onload="| onerror="' hostile.html)"
ok 'the run is text' grep -Fq '<h1>&lt;i&gt;&amp;</h1>' hostile.html
esc()
{
    printf '<span class="escape">\\%s</span>' "$1"
}
ok 'what is hidden is shown' grep -Fq \
    "&lt;b&gt;$(esc u202e)gnp.exe$(esc u202c)$(esc u0000)$(esc u001b)[2J&#39;&quot;&amp;" hostile.html
ok 'in a cause too, where lines stay lines' grep -Fq \
    "&lt;!--=script--&gt;$(esc u200b)$(esc u2028)$(esc u0085)$(esc ufeff)$(esc 'u{e0041}')" hostile.html
same 'no byte of them is left' 0 "$(LC_ALL=C tr -d '\n' <hostile.html | LC_ALL=C tr -dc '\000-\037\177' | wc -c)"

# ---- many ----

runs 100000 >many
check_status 'many executions' 0 sh -c 'resultwrite --tolerated-failure-percentage=10 --report=many.html <many >/dev/null'
ok 'the page stays small' test "$(wc -c <many.html)" -lt 200000
text_of many.html >text
same 'its numbers are exact' '90,000 10,000 100,000' \
    "$(after text Succeeded) $(after text Failed) $(after text Total)"
same 'counts over time add up to all' 100000 "$(sed -n '/^Timeline$/,/^Running at once$/p' text |
    awk '/^[0-9]:.*–/ { getline; getline a; getline b; gsub(",", "", a); gsub(",", "", b); n += a + b } END { print n }')"
same 'and so do durations' 100000 "$(sed -n '/^Durations$/,/^Failures by/p' text |
    awk '/ – .*s$/ { getline a; getline b; gsub(",", "", a); gsub(",", "", b); n += a + b } END { print n }')"
awk 'BEGIN { x = "\\u202e\\u0001<&"; while (length(x) < 20000) x = x x
    for (i = 0; i < 600; i++)
        printf "{\"Index\":%d,\"Input\":\"%s\",\"Output\":null,\"Status\":\"Failed\",\"ErrorCode\":\"%d%s\",\"Cause\":\"%s\"}\n", i, x, i % 300, x, x }' >worst
check_status 'the worst of texts' 4 sh -c 'resultwrite --report=worst.html <worst >/dev/null'
ok 'stay below 2 MB' test "$(wc -c <worst.html)" -lt 2000000
ok 'what is left out is counted' grep -Fq '200 more failures have further codes.' worst.html

done_testing
