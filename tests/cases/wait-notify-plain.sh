# shellcheck shell=sh
# One case of Wait and Notify without --nifi, ./case.json; see wait-notify.pl.
FANLINE_CASES_PLAIN=1
export FANLINE_CASES_PLAIN
exec perl "${0%-plain.sh}.pl"
