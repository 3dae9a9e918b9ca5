#!/bin/sh
# How speed grows with workers, or with processes of one thread each. Prints a
# line per row: frames a second of one, by the clock, then how many times as many
# there are with several.
# usage: tests/bench/scale.sh [-p] [-n "1 2 4 8 16"] [-t SECONDS] [ROW...]
#   -p  processes instead of workers
#   -n  how many of them
#   -t  seconds of each of three samples, of which the best counts (0.5)
# It needs what is built and a stock driver, but no Python: BUILD_DIR may lie in a
# packed root on a machine with more cores than this one.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD_DIR:-build}
counts='1 2 4 8 16'
seconds=0.5
processes=false
while getopts pn:t: option; do
    case $option in
    p) processes=true ;;
    n) counts=$OPTARG ;;
    t) seconds=$OPTARG ;;
    *) sed -n 's/^# usage: /usage: /p' "$0" >&2 && exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- fill_gouraud_rgba8 tex_bilinear_1to1 alu_fma_vec4 \
    fs_phong vtx_1M_tiny_tris tri_16px draw_10k msaa4_fill cs_fma
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# client ROW WORKERS: frames and seconds of each sample.
client() {
    printf 'time %s\n' 0.1 "$seconds" "$seconds" "$seconds" |
        EGL_PLATFORM=surfaceless MESA_SHADER_CACHE_DISABLE=true \
            "$build/src/cli/softlake" -j "$2" -- "$build/tests/bench/glbench" "$1" |
        awk '$1 == "time" { print $2, $3 }'
}

# speed ROW COUNT: frames a second of all together.
speed() {
    rm -f "$out"/*
    if $processes; then
        i=0
        while [ $i -lt "$2" ]; do
            client "$1" 0 >"$out/$i" &
            i=$((i + 1))
        done
        wait
    else
        client "$1" "$(($2 > 1 ? $2 : 0))" >"$out/0"
    fi
    cat "$out"/* | awk -v samples="$2" -v processes=$processes '
        $1 / $2 > best { best = $1 / $2 }
        { sum += $1 / $2; n++ }
        END { print processes == "true" ? sum / n * samples : best }'
}

for row in "$@"; do
    "$build/tests/bench/glbench" --list | grep -q "^$row " || {
        echo "$0: no row $row: see $build/tests/bench/glbench --list" >&2
        exit 2
    }
done
printf '%-24s %9s' row frames/s
for n in $counts; do
    printf ' %6s' "$n"
done
echo
for row in "$@"; do
    one=
    for n in $counts; do
        now=$(speed "$row" "$n")
        [ -n "$one" ] || {
            one=$now
            printf '%-24s %9.1f' "$row" "$one"
        }
        echo "$now $one" | awk '{ printf " %6.2f", $1 / $2 }'
    done
    echo
done
