#!/usr/bin/env bash
# One test, PROGRAM:SUITE.TEST, of the sanitized programs of $part, and again when it failed without a word of the
# sanitizer: limits on time are meant for programs at full speed. Prints its line of results. Called by
# scripts/campaign.sh.
set -uo pipefail
program=${1%%:*} test=${1#*:}
place=${1//[^A-Za-z0-9._]/_}
log=$out/$place.log
mkdir -p "$out/findings" "$out/root"
# What the test programs look for where they run: see NEUOPT_TEST_ROOT in tests/CMakeLists.txt.
for link in "$source" "$source/../shared" "$programs/$part/neuopt"; do
  name=$(basename "$link")
  [[ $link != "$source" ]] || name=source
  [[ -e $out/root/$name || ! -e $link ]] || ln -sfn "$link" "$out/root/$name"
done
# To files, as the tests catch what the programs that they start say.
common="log_path=$out/findings/$place"
export ASAN_OPTIONS=$common:exitcode=99 UBSAN_OPTIONS=$common:print_stacktrace=1 TSAN_OPTIONS=$common
[[ $program != test_train ]] || ASAN_OPTIONS+=:detect_leaks=0 # LibTorch keeps what it has until the end
findings() { compgen -G "$out/findings/$place.*" >/dev/null; }

cd "$out/root" || exit
for try in first second; do
  timeout 900 $plain "$programs/$part/$program" --gtest_filter="$test" >"$log" 2>&1
  status=$?
  findings && break
  [[ $status -ne 0 ]] || break
done
if findings; then
  echo "failed $1 the sanitizer's word is in $out/findings"
elif [[ $status -ne 0 ]]; then
  echo "failed $1 exit code $status: see $log"
elif grep -q '^\[  SKIPPED \]' "$log"; then
  echo "skipped $1"
else
  rm -f "$log"
  echo "passed $1 $try try"
fi
