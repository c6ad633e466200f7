# Written by 'make completions' from the option tables; changes belong there.
_fanline_fanline()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}

_fanline_batcher()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --oversize)
        COMPREPLY=($(compgen -W 'fail alone reject' -- "$cur"))
        return
        ;;
    --count)
        COMPREPLY=($(compgen -W 'cloudflow exact' -- "$cur"))
        return
        ;;
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --max-items= --max-bytes= --batch-input= --oversize= --count= --max-wait= --input= --context= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_batcher batcher

_fanline_evalexpr()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --attributes --null-input --nifi --input= --context= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_evalexpr evalexpr

_fanline_itemconstruct()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --template= --entry= --sort-keys --explain= --input= --context= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_itemconstruct itemconstruct

_fanline_mapflow()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --format | -f)
        COMPREPLY=($(compgen -W 'text json' -- "$cur"))
        return
        ;;
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --format= --input= --actions= --bucket-root= --from= --state= --name= --journals= --trace= --temp-dir= --answers --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_mapflow mapflow

_fanline_maprun()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --tolerate-by)
        COMPREPLY=($(compgen -W 'executions items' -- "$cur"))
        return
        ;;
    --stop)
        COMPREPLY=($(compgen -W 'abort now drain' -- "$cur"))
        return
        ;;
    --output-format)
        COMPREPLY=($(compgen -W 'auto json text none' -- "$cur"))
        return
        ;;
    --emit)
        COMPREPLY=($(compgen -W 'record output' -- "$cur"))
        return
        ;;
    --items)
        COMPREPLY=($(compgen -W 'auto one batch' -- "$cur"))
        return
        ;;
    --worker)
        COMPREPLY=($(compgen -W 'none lines answers' -- "$cur"))
        return
        ;;
    --mode)
        COMPREPLY=($(compgen -W 'express standard' -- "$cur"))
        return
        ;;
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --max-concurrency= --control= --rate= --delay= --load= --memfree= --keep-order --max-items= --total= --tolerated-failure-count= --tolerated-failure-percentage= --tolerate-by= --stop= --finish-all --retry= --retry-policy= --catch= --timeout= --heartbeat= --kill-after= --replace= --no-replace --shell= --output-format= --emit= --items= --worker= --window= --mode= --journal= --force --line-buffer --tag --dry-run --log= --run-name= --flow-name= --temp-dir= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_maprun maprun

_fanline_mapsplit()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --format | -f)
        COMPREPLY=($(compgen -W 'auto json jsonl csv tsv lines nul objects inventory results s3ls' -- "$cur"))
        return
        ;;
    --context)
        COMPREPLY=($(compgen -W 'none plain aws' -- "$cur"))
        return
        ;;
    --header)
        COMPREPLY=($(compgen -W 'auto first none skip' -- "$cur"))
        return
        ;;
    --ragged)
        COMPREPLY=($(compgen -W 'fail pad cut divert' -- "$cur"))
        return
        ;;
    --encoding)
        COMPREPLY=($(compgen -W 'utf-8 latin1' -- "$cur"))
        return
        ;;
    --invalid)
        COMPREPLY=($(compgen -W 'fail replace' -- "$cur"))
        return
        ;;
    --listing)
        COMPREPLY=($(compgen -W 'cloudflow aws' -- "$cur"))
        return
        ;;
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --format= --max-items= --fragment --original= --context --count --require-items --items-path= --require-array --delimiter= --csv-headers= --header= --ragged= --dedupe-header --empty-names --types= --backslash --encoding= --invalid= --object-version= --etag --follow --load --listing= --raw-keys --status= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_mapsplit mapsplit

_fanline_notify()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --store-failure)
        COMPREPLY=($(compgen -W 'retry failure exit' -- "$cur"))
        return
        ;;
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --signal= --counter= --delta= --clear --buffer= --attributes= --set= --once= --of= --no-signal --ttl= --failure= --store-failure= --nifi --triggers= --left= --store= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_notify notify

_fanline_resultwrite()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --tolerate-by)
        COMPREPLY=($(compgen -W 'executions items' -- "$cur"))
        return
        ;;
    --wrap)
        COMPREPLY=($(compgen -W 'object array lines' -- "$cur"))
        return
        ;;
    --records)
        COMPREPLY=($(compgen -W 'cloudflow full aws' -- "$cur"))
        return
        ;;
    --transform)
        COMPREPLY=($(compgen -W 'none compact flatten' -- "$cur"))
        return
        ;;
    --type)
        COMPREPLY=($(compgen -W 'json jsonl' -- "$cur"))
        return
        ;;
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --output= --run-name= --append-run --redrive= --expect= --tolerated-failure-count= --tolerated-failure-percentage= --tolerate-by= --wrap= --records= --transform= --type= --max-file-bytes= --max-file-items= --summary --report= --temp-dir= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_resultwrite resultwrite

_fanline_signalctl()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --format | -f)
        COMPREPLY=($(compgen -W 'auto json table' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --counter= --nifi --older-than= --ttl= --quiet --verbose --format= --store= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_signalctl signalctl

_fanline_tunnelctl()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --type)
        COMPREPLY=($(compgen -W 'base stream base-and-stream' -- "$cur"))
        return
        ;;
    --format | -f)
        COMPREPLY=($(compgen -W 'auto json table' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --type= --stream= --partitions= --base= --base-range= --from= --until= --max-age= --max-length= --limit= --watch --format= --store= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_tunnelctl tunnelctl

_fanline_tunnelget()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --worker)
        COMPREPLY=($(compgen -W 'lines' -- "$cur"))
        return
        ;;
    --poison)
        COMPREPLY=($(compgen -W 'stop dlq skip' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --to= --batch= --max-concurrency= --worker= --max-channels= --heartbeat-interval= --heartbeat-timeout= --checkpoint-interval= --close-limit= --client-tag= --on-open= --on-shutdown= --poison= --attempts= --drain --quiet --verbose --store= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_tunnelget tunnelget

_fanline_tunnelput()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --stream= --key= --partitions= --buffer= --store= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _fanline_tunnelput tunnelput

_fanline_wait()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --copy)
        COMPREPLY=($(compgen -W 'keep replace' -- "$cur"))
        return
        ;;
    --mode)
        COMPREPLY=($(compgen -W 'hold pass' -- "$cur"))
        return
        ;;
    --store-failure)
        COMPREPLY=($(compgen -W 'retry failure exit' -- "$cur"))
        return
        ;;
    --progress)
        COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W ' --signal= --count= --counter= --buffer= --releasable= --expire= --copy= --print --expired= --waiting= --failure= --fail-on= --counters --release-once --duplicate= --mode= --penalty= --store-failure= --spool= --max-memory= --temp-dir= --lease= --nifi --triggers= --left= --store= --end-mark --rejects= --max-depth= --max-item-bytes= --strict --quiet --verbose --progress= --help --version' -- "$cur"))
        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}

_fanline_command()
{
    if ((COMP_CWORD == 1)) && [[ ${COMP_WORDS[1]} != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'help batcher evalexpr itemconstruct mapflow maprun mapsplit notify resultwrite signalctl tunnelctl tunnelget tunnelput wait' -- "${COMP_WORDS[1]}")
    elif declare -F "_fanline_${COMP_WORDS[1]}" >/dev/null; then
        "_fanline_${COMP_WORDS[1]}"
    elif [[ ${COMP_WORDS[1]} == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'fanline batcher evalexpr itemconstruct mapflow maprun mapsplit notify resultwrite signalctl tunnelctl tunnelget tunnelput wait' -- "${COMP_WORDS[COMP_CWORD]}")
    else
        _fanline_fanline
    fi
}
complete -o filenames -F _fanline_command fanline
