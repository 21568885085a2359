# Sourced by ./run and ./test: install Debian packages that are missing, and say so.

# A fresh Debian's own cmake and python3, not whatever else is first on PATH.
CMAKE=/usr/bin/cmake
PYTHON=/usr/bin/python3

say() { printf '== %s\n' "$*"; }

need_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  say "installing with apt-get: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

BUILD_PACKAGES=(g++ cmake ninja-build pkg-config zlib1g-dev libsimdjson-dev nlohmann-json3-dev libcli11-dev libboost-dev)
TEST_PACKAGES=(ccache libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev clang-16 clang-tidy-16 clang-format-16
  libclang-rt-16-dev python3-venv python3-dev git)

# build PRESET [ARGUMENT...]: configure once, and when the presets changed, then build; quiet unless it fails.
build() {
  local preset=$1 log
  shift
  log="build/$preset.log"
  mkdir -p build
  if [ ! -f "build/$preset/build.ninja" ] || [ CMakePresets.json -nt "build/$preset/build.ninja" ]; then
    local launcher=()
    command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    "$CMAKE" --preset "$preset" "${launcher[@]}" >"$log" 2>&1 || { cat "$log"; return 1; }
  fi
  "$CMAKE" --build --preset "$preset" "$@" >"$log" 2>&1 || { tail -n 60 "$log"; return 1; }
}

# Objects of another checkout of the same sources serve too.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
