# Sourced by the scripts of the repository: installs missing Debian packages and builds a CMake preset.
# Usage: source scripts/setup.sh; install_packages "${solver_packages[@]}"; build_preset release [TARGET...]

# What the solver needs.
solver_packages=(
  g++ cmake ninja-build
  libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libnanoflann-dev
  libcpp-httplib-dev pkg-config
)
# What `pip install .` needs besides, in a virtual environment that sees these packages.
python_packages=(
  python3-venv python3-pip python3-setuptools python3-wheel python3-dev python3-numpy python3-pybind11
)
# What the trainer, runs under mpirun, the tests and the format check need besides. Without an optimised BLAS beside it, LibTorch is several
# times slower.
development_packages=(
  "${solver_packages[@]}"
  libgtest-dev librapidcheck-dev libbenchmark-dev
  libtorch-dev libgloo-dev libopenblas-dev libopenmpi-dev openmpi-bin
  "${python_packages[@]}" python3-pytest python3-distributed python3-matplotlib
  clang-format-14
)

fail() {
  echo "neuopt: $*" >&2
  exit 3
}

# Runs a command as root: directly, or through sudo, which may not ask for a password when nobody can answer.
as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    fail "packages are missing and neither root nor sudo is at hand; as root: apt-get install ${missing[*]}"
  elif [[ -t 0 ]]; then
    sudo "$@"
  elif sudo -n true; then
    sudo -n "$@"
  else
    fail "packages are missing and sudo wants a password; as root: apt-get install ${missing[*]}"
  fi
}

# Passes on what matters of apt-get's hundreds of lines: how much is fetched, then every tenth of unpacking and setting up.
# LibTorch and what it stands on take minutes.
show_progress() {
  local line upgraded new parts=0 ready=0 shown=0
  while IFS= read -r line; do
    case $line in
      *' upgraded, '*' newly installed, '*)
        read -r upgraded _ new _ <<<"$line"
        parts=$((2 * (upgraded + new)))
        ;;
      'Need to get '* | 'Fetched '*) echo "  $line" ;;
      'Unpacking '* | 'Setting up '*)
        ready=$((ready + 1))
        if [[ $((10 * ready)) -ge $((parts * (shown + 1))) && parts -gt 0 ]]; then
          shown=$((10 * ready / parts))
          echo "  ${shown}0 % installed"
        fi
        ;;
    esac
  done
}

# Installs those of the named packages that are missing; touches nothing, and needs neither root nor a network, when all
# are there.
install_packages() {
  missing=()
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return
  command -v apt-get >/dev/null || fail "these Debian packages are missing: ${missing[*]}"
  echo "Installing: ${missing[*]}"
  as_root apt-get update -qq ||
    fail "cannot reach the package archive (offline?); these packages are missing: ${missing[*]}"
  as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get install -y -q -o DPkg::Lock::Timeout=300 --no-install-recommends \
    "${missing[@]}" | show_progress || fail "cannot install (offline?): ${missing[*]}"
}

# Configures a preset, says what was found, and builds it: all of it or the targets named after it. CMake gets the options
# in configure_options, at first the words of NEUOPT_CONFIGURE in the environment.
read -r -a configure_options <<<"${NEUOPT_CONFIGURE:-}"
build_preset() {
  local preset=$1
  shift
  cmake --preset "$preset" "${configure_options[@]}" | sed -n 's/^-- neuopt: /  /p' || fail "cannot configure the preset $preset"
  cmake --build --preset "$preset" ${1:+--target "$@"} || fail "the build of the preset $preset failed"
}
