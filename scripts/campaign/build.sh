#!/usr/bin/env bash
# Builds what scripts/campaign.sh runs into the folder $1, $2 files at a time: neuopt and its trainer; fuzz/, asan/ and tsan/ with the fuzz
# targets and the sanitized programs; lib/ with the shared libraries that another machine may not have. The sources are
# built in build-campaign/.
set -euo pipefail
cd "$(dirname "$0")/../.."
into=$1 jobs=$2
trees=build-campaign
clang=$(command -v clang++-14 || command -v clang++) || { echo "the sanitized programs need clang" >&2 && exit 3; }
common=(-DNEUOPT_CUDA=OFF -DNEUOPT_MPI=OFF -DNEUOPT_PYTHON=OFF)
# Without the lines of the sources, which would make most of the bytes; functions keep their names.
checked=("${common[@]}" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNEUOPT_TEST_ROOT=.)

make_tree() { # NAME PRESET TARGETS OPTION...
  local name=$1 preset=$2 targets=$3
  shift 3
  cmake --preset "$preset" -B "$trees/$name" "$@" >"$trees/$name.log"
  cmake --build "$trees/$name" -j"$jobs" --target $targets
}
put() { # FOLDER FILE...
  mkdir -p "$into/$1"
  cp "${@:2}" "$into/$1"
}

mkdir -p "$trees" "$into"
make_tree programs release all "${common[@]}" -DNEUOPT_TESTS=OFF -DNEUOPT_BENCH=OFF
put . "$trees"/programs/neuopt*
make_tree fuzz fuzz all "${checked[@]}" -DCMAKE_CXX_COMPILER="$clang"
put fuzz "$trees"/fuzz/fuzz/fuzz_*
for kind in asan tsan; do
  make_tree $kind $kind all "${checked[@]}" -DCMAKE_CXX_COMPILER="$clang"
  put $kind $trees/$kind/neuopt $trees/$kind/tests/test_*
done
if [[ -e $into/neuopt-train ]]; then # clang cannot read the headers of older LibTorch as C++20
  make_tree asan-train asan "neuopt-train test_train" "${checked[@]}" -DCMAKE_CXX_COMPILER=g++ -DNEUOPT_TRAIN=ON \
    -DCMAKE_EXE_LINKER_FLAGS='-static-libasan -static-libubsan'
  put asan $trees/asan-train/neuopt-train $trees/asan-train/tests/test_train
fi

find "$into" -type f -executable ! -name '*.so*' -exec strip --strip-debug {} +
# All but what every machine has, and LibTorch, which has hundreds behind it: where that is missing, nobody trains.
mkdir -p "$into/lib"
for program in "$into"/neuopt "$into"/*/*; do
  [[ -f $program && -x $program && $program != "$into"/lib/* ]] || continue
  readelf -d "$program" | grep -q 'NEEDED.*libtorch' || ldd "$program" | awk '$3 ~ /^\// { print $3 }'
done | sort -u | grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libstdc\+\+)\.so' |
  xargs -r -I{} cp -L {} "$into/lib"
