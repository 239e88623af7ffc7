# The riscv64 sysroot: Debian packages of another suite and architecture, unpacked into a folder.
#
#   machine's apt sources --mirror--> private apt configuration --download--> *.deb --dpkg -x--> sysroot
#
# One package of the list is not of that architecture: the newer user-mode emulator, a static program of
# this machine, of which nothing else is kept (quern-tools/qemu-riscv64 in the sysroot).
#
# Needs no root and changes nothing outside the build folder: apt runs with its own lists, cache and
# (empty) package database. Signatures are checked by apt against the Debian archive keys. The folder
# appears under its final name only when it is complete, so a killed set-up never leaves half a sysroot.
#
# Sourced by setup.sh.
# shellcheck shell=bash

readonly sysroot_suite=trixie  # the first Debian release that publishes riscv64
readonly sysroot_architecture=riscv64
readonly sysroot_host_architecture=amd64

# Prints the repositories this machine takes Debian's main component from, most likely mirror first.
# apt itself reads its sources here, so one-line and deb822 files, options and disabled entries are
# all understood. Security repositories carry no whole suite and are left out.
debian_mirrors() {
  # shellcheck disable=SC2016  # apt's own variables
  apt-get indextargets --no-release-info \
    --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk '$3 == "main" && $1 !~ /^cdrom:/ && $2 !~ /-security|\/updates/ && !seen[$1]++ {
           print ($1 ~ /\/debian\/?$/ ? 0 : 1), $1 }' |
    sort -s -n -k1,1 | cut -d' ' -f2-
}

# private_apt FOLDER MIRROR: writes FOLDER/apt.conf, an apt configuration of its own for MIRROR.
private_apt() {
  local folder=$1 mirror=$2 keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p "$folder"/{lists/partial,archives/partial,etc/empty}
  : >"$folder/status"
  {
    echo "Types: deb"
    echo "URIs: $mirror"
    echo "Suites: $sysroot_suite"
    echo "Components: main"
    echo "Architectures: $sysroot_architecture $sysroot_host_architecture"
    [ -e "$keyring" ] && echo "Signed-By: $keyring"
  } >"$folder/etc/mirror.sources"
  {
    # How this machine reaches the mirror (proxy, certificates) stays as its owner set it.
    apt-config dump | grep '^Acquire::' | grep -v '^Acquire::IndexTargets'
    cat <<EOF
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Get::AllowUnauthenticated "false";
APT::Architecture "$sysroot_architecture";
APT::Architectures {"$sysroot_architecture"; "$sysroot_host_architecture";};
APT::Sandbox::User "$(id -un)";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$folder/etc";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$folder/etc/empty";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$folder/etc/empty";
Dir::State "$folder";
Dir::State::lists "$folder/lists";
Dir::State::status "$folder/status";
Dir::Cache "$folder";
Dir::Cache::archives "$folder/archives";
Dir::Log "$folder";
EOF
    [ -z "${terminal:-}" ] || echo 'APT::Status-Fd "1";'
  } >"$folder/apt.conf"
}

# The packages of the list, each as "name version", as the private configuration found them.
unpacked_versions() {
  local deb
  for deb in "$1"/*.deb; do
    # shellcheck disable=SC2016  # dpkg-deb's own variables
    dpkg-deb --show --showformat='${Package} ${Version}\n' "$deb"
  done
}

# link_alternatives SYSROOT: the links that update-alternatives would make on a real machine, so that
# "-lopenblas" and "#include <cblas.h>" mean OpenBLAS and programs find their libraries when they start.
link_alternatives() {
  local triple=riscv64-linux-gnu flavour file
  for flavour in openblas-pthread blis-pthread; do
    for file in "$1/usr/lib/$triple/$flavour"/lib{openblas,blis}.{so,so.*,a}; do
      [ -e "$file" ] && ln -sf "$flavour/${file##*/}" "$1/usr/lib/$triple/${file##*/}"
    done
  done
  for file in openblas-pthread/{cblas,f77blas,openblas_config}.h blis-pthread/blis.h; do
    ln -sf "$file" "$1/usr/include/$triple/${file##*/}"
  done
}

# unpack_sysroot_package DEB SYSROOT
unpack_sysroot_package() {
  local tools=$2/quern-tools
  case $1 in
    *_"$sysroot_host_architecture".deb)
      mkdir -p "$tools/unpacked" && dpkg-deb --extract "$1" "$tools/unpacked" &&
        mv "$tools/unpacked/usr/bin/qemu-riscv64" "$tools" && rm -rf "$tools/unpacked" ;;
    *) dpkg-deb --extract "$1" "$2" ;;
  esac
}

# fetch_sysroot_packages APT_FOLDER: downloads every package of the list, from the first of the
# machine's mirrors that has the suite. Where none has, fetch_command is what failed last.
fetch_sysroot_packages() {
  local apt=$1 log=$1/log mirror packages
  fetch_command="apt-get indextargets"  # names no mirror
  mkdir -p "$apt"
  mapfile -t packages < <(list_packages "$QUERN_ROOT/boards/toolchain/sysroot-packages")
  while read -r mirror; do
    private_apt "$apt" "$mirror"
    say "set-up 2/3: riscv64 sysroot: fetching the lists of Debian $sysroot_suite from $mirror"
    fetch_command="APT_CONFIG=$apt/apt.conf apt-get update"
    if APT_CONFIG=$apt/apt.conf with_percent apt-get -q -o APT::Update::Error-Mode=any update \
      >"$log" 2>&1; then
      say "set-up 2/3: riscv64 sysroot: downloading ${#packages[@]} packages"
      fetch_command="cd $apt/archives && APT_CONFIG=$apt/apt.conf apt-get download ${packages[*]}"
      (cd "$apt/archives" && APT_CONFIG=$apt/apt.conf with_percent apt-get -q download "${packages[@]}") \
        >>"$log" 2>&1 && return 0
    fi
    say "$(grep -m 3 '^[EW]:' "$log" || tail -n 3 "$log")"
  done < <(debian_mirrors)
  return 1
}

# The stamp inside a complete sysroot: what it was made from.
sysroot_stamp() {
  cat "$QUERN_ROOT/boards/toolchain/sysroot-packages" "$QUERN_ROOT/boards/toolchain/sysroot.sh" | sha256sum | cut -d' ' -f1
}

# True if the sysroot is complete and of this list. One that the user gives is his business.
sysroot_present() {
  [ -n "${QUERN_SYSROOT:-}" ] ||
    [ "$(cat "$QUERN_BUILD/sysroot-riscv64/.quern-stamp" 2>/dev/null)" = "$(sysroot_stamp)" ]
}

# Makes the sysroot $QUERN_BUILD/sysroot-riscv64 anew.
make_sysroot() {
  local sysroot=$QUERN_BUILD/sysroot-riscv64 apt new deb
  apt=$QUERN_BUILD/setup/apt-$sysroot_suite
  new=$QUERN_BUILD/setup/sysroot.new
  command -v apt-get >/dev/null ||
    fail 5 "the riscv64 sysroot is made with Debian's apt-get, which is not here."$'\n'"$(by_hand)"
  if ! fetch_sysroot_packages "$apt"; then
    fail 5 "cannot fetch the riscv64 sysroot: no repository of this machine's apt sources serves" \
      "Debian $sysroot_suite for $sysroot_architecture just now. Try again later, or set QUERN_SYSROOT" \
      "to a riscv64 sysroot with the packages of $QUERN_ROOT/boards/toolchain/sysroot-packages."$'\n'"The" \
      "command that failed: $fetch_command"
  fi
  say "set-up 2/3: riscv64 sysroot: unpacking it"
  rm -rf "$new"
  mkdir -p "$new"
  for deb in "$apt/archives"/*.deb; do unpack_sysroot_package "$deb" "$new"; done
  ln -s usr/lib "$new/lib"  # the loader's path, /lib/ld-linux-riscv64-lp64d.so.1, as on any Debian
  link_alternatives "$new"
  unpacked_versions "$apt/archives" >"$new/quern-packages"
  sysroot_stamp >"$new/.quern-stamp"
  rm -rf "$new.old"
  [ ! -e "$sysroot" ] || mv "$sysroot" "$new.old"
  mv "$new" "$sysroot"
  rm -rf "$new.old" "$apt"
}
