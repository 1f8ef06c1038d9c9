#!/usr/bin/env bash
# Solves large files within a time limit and prints a table in Markdown: gaps to the best known costs, and memory.
#
#   scripts/large.sh SECONDS FOLDER NAME... [-- OPTION...]
#     SECONDS   for each file, all included
#     FOLDER    has NAME.vrp, NAME.tsp or NAME.txt, and the best known cost in NAME.sol or as "NAME cost" in optimal.txt
#     OPTION    of `neuopt solve`, such as --device cuda or --policy none
#   NEUOPT=FILE is the program [build/neuopt].
# Needs GNU time. Exit codes: 0, 2 bad usage, 1 a file could not be solved.
set -uo pipefail
source "$(dirname "$0")/options.sh" || exit 2
program=${NEUOPT:-$(dirname "$0")/../build/neuopt}
[[ $# -ge 3 && -d $2 && -x $program ]] || { echo "usage: large.sh SECONDS FOLDER NAME... [-- OPTION...]" >&2; exit 2; }
seconds=$1 folder=$2
shift 2
names=()
while [[ $# -gt 0 && $1 != -- ]]; do
  names+=("$1")
  shift
done
[[ $# -eq 0 ]] || shift

best_known() { # NAME
  if [[ -r $folder/$1.sol ]]; then
    sed -n 's/^[Cc]ost[ :]*\([0-9.]*\).*/\1/p' "$folder/$1.sol"
  else
    sed -n "s/^$1 *:\{0,1\} *\([0-9.]*\).*/\1/p" "$folder/optimal.txt" 2>/dev/null
  fi
}

failures=0 sum=0 count=0
echo "| file | best known | cost | gap | seconds | MB |"
echo "|---|--:|--:|--:|--:|--:|"
for name in "${names[@]}"; do
  for file in "$folder/$name".{vrp,tsp,txt}; do
    [[ ! -r $file ]] || break
  done
  measured=$(mktemp)
  answer=$(/usr/bin/time -f '%e %M' -o "$measured" "$program" solve "$file" --time-limit "$seconds" --quiet --json "$@") ||
    answer='' # none, or one that is not feasible
  cost=$(field cost <<<"$answer")
  read -r elapsed kilobytes < <(tail -1 "$measured")
  rm -f "$measured"
  if [[ -z $cost ]]; then
    echo "| $name | | failed | | | |"
    failures=1
    continue
  fi
  reference=$(best_known "$name")
  if [[ -z $reference ]]; then
    printf '| %s | - | %s | - | %s | %d |\n' "$name" "$cost" "$elapsed" $((kilobytes / 1000))
    continue
  fi
  gap=$(awk -v c="$cost" -v r="$reference" 'BEGIN { printf "%.2f", 100 * (c / r - 1) }')
  printf '| %s | %s | %s | %s %% | %s | %d |\n' "$name" "$reference" "$cost" "$gap" "$elapsed" $((kilobytes / 1000))
  sum=$(awk -v s="$sum" -v g="$gap" 'BEGIN { print s + g }') count=$((count + 1))
done
[[ $count -eq 0 ]] || awk -v s="$sum" -v n="$count" 'BEGIN { printf "| mean of %d | | | %.2f %% | | |\n", n, s / n }'
exit $failures
