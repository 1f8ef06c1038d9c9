#!/usr/bin/env bash
# Tries the program in every way that takes long: all fuzz targets, the whole suite under sanitizers, a training run that
# is killed again and again, and solves of random small instances, each answer verified. What it counted is in
# FOLDER/report.txt, a line for each part; logs, crashes and wrong answers lie in FOLDER beside it. A campaign that was
# interrupted goes on where it was when it is called again with the same FOLDER.
#
#   scripts/campaign.sh FOLDER [OPTION VALUE]... [PART]...
#     parts: fuzz asan tsan kill solves [all]
#     --minutes-per-fuzz-target M  [15]
#     --kills N                    training runs that are killed [200]
#     --solves N                   random instances [2000]
#     --jobs N                     at a time [as many as cores]
#     --seed S                     of what is drawn [1]
#     --programs DIR               take the programs of this folder, which --build-only made; else they are built
#     --build-only DIR             build all programs into DIR, with the libraries they need, and stop. With a copy of
#                                  the source tree it serves on another machine, which needs no compiler
# Sanitized programs are built by clang, with the sanitizers inside. The trainer has a sanitized test only where g++ and
# LibTorch are found, and none under the thread sanitizer, to which LibTorch's own threads look like races.
# Exit codes: 0 all is well, 1 something was found, 2 bad usage, 3 nothing could be built.
set -euo pipefail
export LC_ALL=C
here=$(dirname "$(realpath "$0")")
source=$(dirname "$here")
source "$here/options.sh"

folder='' parts=()
declare -A option=([minutes-per-fuzz-target]=15 [kills]=200 [solves]=2000 [jobs]=$(nproc) [seed]=1 [programs]=''
  [build-only]='')
while [[ $# -gt 0 ]]; do
  if [[ $1 == --* ]]; then
    take_option "$@"
    shift
  elif [[ $1 =~ ^(fuzz|asan|tsan|kill|solves)$ ]]; then
    parts+=("$1")
  elif [[ -z $folder ]]; then
    folder=$1
  else
    complain 2 "$1 is no part; there are fuzz, asan, tsan, kill and solves"
  fi
  shift
done
expect '[0-9]+' 'a whole number' kills solves jobs seed
if [[ ${option[build-only]} ]]; then
  "$here/campaign/build.sh" "${option[build-only]}" "${option[jobs]}"
  exit
fi
[[ $folder ]] || complain 2 "no folder was given"
[[ ${#parts[@]} -gt 0 ]] || parts=(fuzz asan tsan kill solves)
mkdir -p "$folder"
folder=$(realpath "$folder")
programs=${option[programs]}
if [[ -z $programs ]]; then
  programs=$folder/programs
  "$here/campaign/build.sh" "$programs" "${option[jobs]}" || complain 3 "the programs could not be built"
fi
[[ -d $programs ]] || complain 2 "$programs is no folder"
programs=$(realpath "$programs")
export source programs seed=${option[seed]}
export seconds=$(awk "BEGIN { print int(60 * ${option[minutes-per-fuzz-target]}) }")
[[ ! -d $programs/lib ]] || export LD_LIBRARY_PATH=$programs/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# Names of the jobs of a part, one for each line; its job script gets one of them.
jobs_of_fuzz() { find "$programs/fuzz" -name 'fuzz_*' -printf '%f\n' | sed 's/^fuzz_//' | sort; }
jobs_of_kill() { seq "${option[kills]}"; }
jobs_of_solves() { seq "${option[solves]}"; }
jobs_of_asan() { sanitized_tests asan; }
jobs_of_tsan() { sanitized_tests tsan; }

# Every test of every test program, as PROGRAM:SUITE.TEST.
sanitized_tests() {
  local program
  for program in "$programs/$1"/test_*; do
    in_plain_memory "$program" --gtest_list_tests | awk -v program="$(basename "$program")" '
      /^[^ ]/ { suite = $1; next }
      suite ~ /\.$/ { print program ":" suite $1 }'
  done
}

# The sanitizers of older compilers do not know how far newer kernels spread addresses.
if setarch -R true 2>/dev/null; then plain='setarch -R'; else plain=''; fi
export plain
in_plain_memory() { $plain "$@"; }

# Runs the jobs of a part that have no line in its results yet: "passed NAME ...", "failed NAME ..." or "skipped NAME ...".
run_part() {
  export part=$1 out=$folder/$1
  local job=$1
  [[ $job != [at]san ]] || job=test
  [[ $job != solves ]] || job=solve
  mkdir -p "$out"
  touch "$out/results.txt"
  [[ $part != kill ]] || "$here/campaign/kill.sh" prepare || return
  "jobs_of_$part" >"$out/jobs.txt"
  awk 'FILENAME == ARGV[1] { done[$2] = 1; next } !($1 in done)' "$out/results.txt" "$out/jobs.txt" |
    xargs -r -d '\n' -n 1 -P "${option[jobs]}" "$here/campaign/$job.sh" >>"$out/results.txt"
  awk -v part="$part" '
    FILENAME == ARGV[1] { wanted[$1] = 1; next }
    $2 in wanted { ++count[$1]; if (/second try/) ++again; if ($3 == "executions") executions += $4; if ($3 == "kills") kills += $4 }
    END {
      printf "%s: %d passed, %d failed", part, count["passed"], count["failed"]
      if (count["skipped"]) printf ", %d skipped", count["skipped"]
      if (again) printf ", %d of them on the second try", again
      if (executions) printf ", %d executions", executions
      if (kills) printf ", %d kills", kills
      print ""
      exit count["failed"] > 0 || !count["passed"]
    }' "$out/jobs.txt" "$out/results.txt" >"$out/summary.txt"
}

failed=0
for part in "${parts[@]}"; do
  run_part "$part" || failed=1
  cat "$folder"/*/summary.txt >"$folder/report.txt"
  grep "^$part:" "$folder/report.txt" || echo "$part: could not be run"
done
exit $failed
