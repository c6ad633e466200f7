# shellcheck shell=sh
# One case of Wait and Notify, ./case.json; see wait-notify.pl.
exec perl "${0%.sh}.pl"
