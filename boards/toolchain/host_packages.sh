# The packages of the host: what is missing of the list boards/toolchain/host-packages is installed.
#
# Sourced by setup.sh.
# shellcheck shell=bash

# Debian 12 on x86-64 is the host that Quern sets up by itself.
host_is_supported() (
  ID='' VERSION_ID=''
  # shellcheck source=/dev/null
  . "${QUERN_OS_RELEASE:-/etc/os-release}" 2>/dev/null
  [ "$ID" = debian ] && [ "$VERSION_ID" = 12 ] && [ "$(uname -m)" = x86_64 ]
)

# Packages of the list in whose place the user gave a tool of his own.
replaced_packages() {
  [ -z "${QUERN_CXX:-}" ] || echo clang-19
  [ -z "${QUERN_QEMU:-}" ] || echo qemu-user
}

# missing_packages [optional]: names in the list that are not installed; all, or only the optional ones.
missing_packages() {
  # shellcheck disable=SC2016  # dpkg-query's own variables
  dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' 2>/dev/null |
    awk -v only="${1:-}" -v replaced="$(replaced_packages)" '
      BEGIN { count = split(replaced, name); for (i = 1; i <= count; ++i) have[name[i]] = 1 }
      FILENAME == "-" { if ($2 == "installed") have[$1] = 1; next }
      { sub(/#.*/, "") }
      NF && !have[$1] && (only == "" || $2 == only) { print $1 }
    ' - "$QUERN_ROOT/boards/toolchain/host-packages"
}

# What the answer depends on: the list, the user's own tools, and this machine's package database (a copied
# build folder must not vouch for another machine).
host_packages_stamp() {
  {
    replaced_packages
    cat "$QUERN_ROOT/boards/toolchain/host-packages"
    stat --format '%i %s %Y' /var/lib/dpkg/status 2>/dev/null
  } | cksum
}

# True when all was there at the last look and dpkg has changed nothing since.
host_packages_present() {
  local stamp=$QUERN_BUILD/setup/host-packages.stamp
  [ -e "$stamp" ] && [ "$(<"$stamp")" = "$(host_packages_stamp)" ]
}

remember_host_packages() {
  host_packages_stamp >"$QUERN_BUILD/setup/host-packages.stamp.new"
  mv "$QUERN_BUILD/setup/host-packages.stamp.new" "$QUERN_BUILD/setup/host-packages.stamp"
}

# apt_get ARGUMENTS...: as root, or through sudo; never asks, waits for another apt.
apt_get() {
  local as_root=() progress=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  [ -z "$terminal" ] || progress=(-o APT::Status-Fd=1)
  with_percent "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "${progress[@]}" "$@" </dev/null
}

# True if we can act as root: we are, or sudo needs no password, or there is someone to type it.
can_install() {
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 2 ]; }
}

# True if apt knows all of the packages; on a fresh machine its lists may be empty or old.
apt_knows() {
  [ "$(apt-cache policy -- "$@" 2>/dev/null | grep -c '^  Candidate: [^(]')" -eq $# ]
}

try_install() {
  apt_get install --no-install-recommends -- "$@"
}

install_host_packages() {
  host_is_supported || { check_tools_by_hand && remember_host_packages; return; }
  local packages log=$QUERN_BUILD/setup/apt.log
  mapfile -t packages < <(missing_packages)
  [ ${#packages[@]} -gt 0 ] || { remember_host_packages; return; }
  local command="apt-get install --no-install-recommends ${packages[*]}"
  if ! can_install; then
    if [ -z "$(comm -23 <(missing_packages | sort) <(missing_packages optional | sort))" ]; then
      say "going on without the optional packages ${packages[*]}; to install them: $command"
      remember_host_packages
      return
    fi
    fail 5 "these Debian packages are missing; install them as root, then start again:"$'\n\n'"  $command"
  fi
  say "set-up 1/3: ${#packages[@]} Debian packages are missing: ${packages[*]}"
  if ! apt_knows "${packages[@]}"; then
    say "set-up 1/3: refreshing apt's package lists (apt-get update)"
    apt_get update >"$log" 2>&1 || true  # one broken repository need not hurt; install will tell
  fi
  say "set-up 1/3: downloading and installing them (apt-get install), some minutes; log: $log"
  # Lists may be older than the mirror, and an earlier set-up may have been killed inside dpkg.
  if ! try_install "${packages[@]}" >>"$log" 2>&1; then
    say "set-up 1/3: that failed; refreshing apt's lists, repairing what is half installed, and once more"
    apt_get update >>"$log" 2>&1 || true
    apt_get install --fix-broken >>"$log" 2>&1 || repair_dpkg >>"$log" 2>&1
    try_install "${packages[@]}" >>"$log" 2>&1 ||
      fail 5 "installing failed:"$'\n'"$(tail -n 15 "$log")"$'\n'"Once that is repaired, as root: $command"
  fi
  remember_host_packages
}

repair_dpkg() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a </dev/null
}

# On other hosts nothing is installed; what is needed must be there.
check_tools_by_hand() {
  local missing=() tool
  for tool in c++ cmake ninja "${QUERN_CXX:-clang++-19}" ld.lld-19 "${QUERN_QEMU:-qemu-riscv64}"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  fail 5 "this is not Debian 12 on x86-64, the host that ./quern sets up by itself." \
    "Not found here: ${missing[*]}"$'\n'"$(by_hand)"
}

by_hand() {
  cat <<EOF
To set up another host by hand, install the counterparts of the packages in
  $QUERN_ROOT/boards/toolchain/host-packages
and say where the parts are that it names differently:
  QUERN_CXX      clang++ 19 or later, with lld beside it (compiles for the boards)
  QUERN_QEMU     qemu-riscv64 7.2 or later, dynamically linked so that it can load a plugin
  QUERN_NEWER_QEMU  qemu-riscv64 9 or later, for bfloat16 kernels (optional)
  QUERN_SYSROOT  a riscv64 Linux sysroot with the packages of
                 $QUERN_ROOT/boards/toolchain/sysroot-packages
  QUERN_BUILD    folder for compiled things (default: build/ of this checkout)
  QUERN_RESULTS  folder for measured results (default: results/ of this checkout)
EOF
}
