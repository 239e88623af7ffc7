#!/bin/bash
# Tests of the entry script and its set-up, each in a small checkout of its own (in a folder with a space
# in its name) where the slow tools are stand-ins that note how they were called.
#
#   setup_test.sh CASE        CASE is the name of a function test_... below
# shellcheck disable=SC2016  # the bodies of stand-ins are not expanded here
set -u -o pipefail

source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/quern set-up.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/check\ out
calls=$work/calls
failures=0

expect() { # expect WHAT COMMAND...: the command must succeed
  local what=$1
  shift
  "$@" || { echo "FAILED: $what: $*" && failures=$((failures + 1)); }
}
expect_not() {
  local what=$1
  shift
  ! "$@" || { echo "FAILED: $what: not $*" && failures=$((failures + 1)); }
}
says() { grep -qF -- "$1" "$work/stderr"; }
called() { grep -q -- "$1" "$calls"; }
forget() { : >"$calls"; }

# stand_in NAME [BODY]: a tool that notes its call, then does BODY.
stand_in() {
  printf '#!/bin/bash\necho "%s $*" >>%q\n%s\n' "$1" "$calls" "${2:-}" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# run ARGUMENTS...: ./quern, keeping stdout, stderr and the exit code.
run() {
  PATH=$work/bin:$PATH "$root/quern" "$@" >"$work/stdout" 2>"$work/stderr"
  status=$?
}

# A Debian 12 with all packages, whose tools build a program that shows its arguments.
prepare() {
  mkdir -p "$work/bin" "$root/boards" "$root/.git" "$root/docs" "$root/base"
  cp -r "$source_root/boards/toolchain" "$root/boards"
  cp "$source_root/quern" "$root"
  echo one >"$root/base/a.cpp"
  printf 'ID=debian\nVERSION_ID=12\n' >"$work/os-release"
  export QUERN_OS_RELEASE=$work/os-release
  unset QUERN_CXX QUERN_QEMU QUERN_BUILD QUERN_ROOT QUERN_QUIET
  export QUERN_SYSROOT=$work/sysroot
  forget
  list_all | sed 's/$/ installed/' >"$work/installed"
  stand_in dpkg-query "cat '$work/installed'"
  stand_in cmake 'while [ "$1" != -B ]; do shift; done; mkdir -p "$2"; touch "$2/build.ninja"'
  stand_in ninja '
    while [ $# -gt 0 ]; do
      case $1 in -C) folder=$2; shift ;; -n | build.ninja) exit ;; esac
      shift
    done
    mkdir -p "$folder/cli"
    printf "#!/bin/bash\nprintf \"<%%s>\" \"\$@\"\n" >"$folder/cli/quern"
    chmod +x "$folder/cli/quern"'
  stand_in apt-get
  stand_in apt-cache "grep -c Candidate /dev/null; printf '  Candidate: 1\n%.0s' \"\${@:3}\""
}
list_all() { awk '{ sub(/#.*/, "") } NF { print $1 }' "$source_root/boards/toolchain/host-packages"; }
uninstall() { sed -i "/^$1 /d" "$work/installed"; }

test_first_run_builds_and_passes_arguments_on() {
  run bench --json "a b" ""
  expect "exit code" [ "$status" = 0 ]
  expect "stdout is the program's" [ "$(cat "$work/stdout")" = "<bench><--json><a b><>" ]
  expect "progress on stderr" says "building"
}

test_nothing_to_do_calls_no_tool_and_says_nothing() {
  run x
  forget
  run x
  expect "no tool called" [ ! -s "$calls" ]
  expect "no message" [ ! -s "$work/stderr" ]
}

# A line before every step, none of which fills another over; percentages are for terminals.
test_every_step_says_what_it_does() {
  uninstall ninja-build
  stand_in id 'echo 0'
  sysroot_mirror
  stand_in apt-cache  # knows nothing
  run doctor
  local word
  for word in 'ninja-build' "apt's package lists" 'apt-get install' 'fetching the lists of Debian trixie' \
    'downloading 3 packages' 'unpacking' 'configuring' 'building'; do
    expect "told" says "$word"
  done
  expect "a line each" [ "$(grep -c '^quern: set-up [123]/3: ' "$work/stderr")" = 8 ]
  expect_not "no percentages" grep -q '%\|'$'\r' "$work/stderr"
  expect "stdout is the program's" [ "$(cat "$work/stdout")" = "<doctor>" ]
}

test_percentages_on_a_terminal() {
  if ! script --quiet --command true /dev/null >/dev/null 2>&1 </dev/null; then
    echo "no terminal can be made here (is /dev/pts mounted?)"
    return
  fi
  uninstall ninja-build
  stand_in id 'echo 0'
  stand_in apt-get '[[ "$*" != *Status-Fd=1*install* ]] || printf "dlstatus:1:12.3:x\npmstatus:ninja-build:45.6:y\n"'
  PATH=$work/bin:$PATH script --quiet --command "$(printf %q "$root/quern") doctor >$(printf %q "$work/stdout")" \
    /dev/null >"$work/stderr" </dev/null
  expect "downloading" says "downloading, 12 %"
  expect "installing" says "installing, 45 %"
  expect "stdout is the program's" [ "$(cat "$work/stdout")" = "<doctor>" ]
}

is_error_document() { # is_error_document CODE KIND WORD
  cat >"$work/look.cmake" <<'EOF'
file(READ "$ENV{WORK}/stdout" text)
string(JSON schema GET "${text}" schema)
string(JSON exit GET "${text}" error exit)
string(JSON kind GET "${text}" error kind)
string(JSON message GET "${text}" error message)
message("${schema} ${exit} ${kind} ${message}")
EOF
  WORK=$work "$(PATH=${PATH#"$work/bin:"} command -v cmake)" -P "$work/look.cmake" >"$work/seen" 2>&1 &&
    grep -q "^quern.error.v1 $1 $2 " "$work/seen" && grep -qF -- "$3" "$work/seen"
}

test_json_tells_failures_of_the_set_up() {
  uninstall clang-19
  stand_in id 'echo 1000'
  stand_in sudo 'exit 1'
  run bench --json </dev/null
  expect "exit code" [ "$status" = 5 ]
  expect "one document" is_error_document 5 tool_missing "  apt-get install --no-install-recommends clang-19"
  run bench -- --json </dev/null
  expect "no document unasked" [ ! -s "$work/stdout" ]
  stand_in cmake 'printf "a \"quoted\" back\\\\slash\ttab\033[31mred\377\n"; exit 1'
  run doctor --json </dev/null
  expect "exit code" [ "$status" = 5 ]
  expect "one document" is_error_document 5 tool_missing 'a "quoted" back\slash'
  expect "the command" says "cmake -S $(printf %q "$root") --preset release -B $(printf %q "$root/build/release")"
}

test_json_of_doctor_is_the_programs_if_it_starts() {
  run x
  uninstall clang-19
  rm "$root/build/setup/host-packages.stamp"
  stand_in id 'echo 1000'
  stand_in sudo 'exit 1'
  run doctor --json </dev/null
  expect "what is missing" says "apt-get install --no-install-recommends clang-19"
  expect "its document alone" [ "$(cat "$work/stdout")" = "<doctor><--json>" ]
}

test_quiet() {
  run x -q
  expect "no message" [ ! -s "$work/stderr" ]
}

test_changed_sources_are_noticed() {
  run x
  forget
  touch "$root/docs/page.md" && mkdir -p "$root/results" && touch "$root/results/b.jsonl" "$root/.git/index"
  run x
  expect_not "docs, results and git are no sources" called ninja
  echo two >"$root/base/a.cpp"
  run x
  expect "an edited file" called ninja
  forget
  touch -d '2001-01-01' "$work/old.cpp" && cp -p "$work/old.cpp" "$root/base/a.cpp"
  run x
  expect "an older file put in its place" called ninja
  forget
  rm "$root/base/a.cpp"
  run x
  expect "a removed file" called ninja
}

test_edit_during_the_build_is_noticed() {
  sed -i "\$a touch '$root/base/a.cpp'" "$work/bin/ninja"
  run x
  forget
  run x
  expect "built again" called ninja
}

test_lost_program_is_built_again() {
  run x
  rm "$root/build/release/cli/quern"
  run x
  expect "exit code" [ "$status" = 0 ]
}

test_moved_checkout_is_configured_anew() {
  run x
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$root" >"$root/build/release/CMakeCache.txt"
  mv "$root" "$work/moved"
  root=$work/moved
  forget
  run x
  expect "configured" called cmake
  expect "exit code" [ "$status" = 0 ]
}

test_works_from_anywhere_and_through_links() {
  ln -s "$root/quern" "$work/link"
  ln -s link "$work/second link"
  (cd / && PATH=$work/bin:$PATH "$work/second link" x >"$work/stdout" 2>/dev/null)
  expect "program ran" [ "$(cat "$work/stdout")" = "<x>" ]
  expect "built in the checkout" [ -x "$root/build/release/cli/quern" ]
}

test_build_folder_may_be_elsewhere() {
  export QUERN_BUILD=$work/else\ where
  run x
  expect "exit code" [ "$status" = 0 ]
  expect "built there" [ -x "$QUERN_BUILD/release/cli/quern" ]
  expect "nothing here" [ ! -e "$root/build" ]
  export QUERN_BUILD=/proc/quern
  run x
  expect "bad input" [ "$status" = 2 ]
  expect "names it" says "/proc/quern"
}

test_failed_build_is_told_and_tried_again() {
  cp "$work/bin/ninja" "$work/ninja"
  sed -i '/mkdir/i echo "error: no semicolon"; exit 1' "$work/bin/ninja"
  run x
  expect "exit code" [ "$status" = 5 ]
  expect "what the compiler said" says "error: no semicolon"
  expect "the command" says "ninja -C $(printf %q "$root/build/release") program"
  expect "stdout is clean" [ ! -s "$work/stdout" ]
  cp "$work/ninja" "$work/bin/ninja"
  run x
  expect "good now" [ "$status" = 0 ]
}

test_killed_set_up_is_done_again() {
  sed -i "/mkdir/i touch '$work/building'; sleep 0.5; [ -e '$work/go' ] || kill -9 \$PPID" "$work/bin/ninja"
  run x
  expect "killed" [ "$status" = 137 ]
  touch "$work/go"
  run x
  expect "good now" [ "$status" = 0 ]
}

test_ctrl_c_ends_the_set_up() {
  sed -i "/mkdir/i [ -e '$work/go' ] || { kill -INT \$PPID; exit 2; }" "$work/bin/ninja"
  run x
  expect "exit code" [ "$status" = 130 ]
  expect "no false alarm" [ "$(grep -c failed "$work/stderr")" = 0 ]
  run x --json
  expect "exit code" [ "$status" = 130 ]
  expect "one document" is_error_document 130 interrupted interrupted
  touch "$work/go"
  run x
  expect "good now" [ "$status" = 0 ]
}

test_two_at_once_build_once() {
  sed -i "/mkdir/i sleep 0.5; echo compiled >>'$calls'" "$work/bin/ninja"
  PATH=$work/bin:$PATH "$root/quern" one >"$work/one" 2>/dev/null &
  PATH=$work/bin:$PATH "$root/quern" two >"$work/two" 2>/dev/null
  wait
  expect "first" [ "$(cat "$work/one")" = "<one>" ]
  expect "second" [ "$(cat "$work/two")" = "<two>" ]
  expect "once" [ "$(grep -c ^compiled "$calls")" = 1 ]
}

test_missing_packages_are_installed() {
  uninstall ninja-build && uninstall libfmt-dev
  stand_in id 'echo 0'
  run x
  expect "exit code" [ "$status" = 0 ]
  expect "both, no others" called '^apt-get .*install --no-install-recommends -- ninja-build libfmt-dev$'
  expect "told" says "libfmt-dev"
  expect_not "lists were good" called '^apt-get .*update'
  expect "stdout is the program's" [ "$(cat "$work/stdout")" = "<x>" ]
}

test_copied_build_folder_does_not_vouch_for_packages() {
  run x
  echo 12345 >"$root/build/setup/host-packages.stamp"  # of a machine with another package database
  uninstall clang-19
  stand_in id 'echo 0'
  run x
  expect "installed" called 'install.*clang-19'
}

test_old_package_lists_are_refreshed() {
  uninstall ninja-build
  stand_in id 'echo 0'
  stand_in apt-cache  # knows nothing
  run x
  expect "update before install" [ "$(grep -o 'update\|install ' "$calls" | tr -d '\n ')" = "updateinstall" ]
}

test_failed_install_is_repaired_once_then_told() {
  uninstall ninja-build
  stand_in id 'echo 0'
  stand_in apt-get "case \"\$*\" in *' -- '*) echo 'E: no route to mirror'; exit 100 ;; esac"
  run x
  expect "exit code" [ "$status" = 5 ]
  expect "apt's words" says "E: no route to mirror"
  expect "the command" says "apt-get install --no-install-recommends ninja-build"
  expect "refreshed in between" called update
  expect_not "no build" called '^ninja'
}

test_without_rights_the_command_is_told() {
  uninstall clang-19
  stand_in id 'echo 1000'
  stand_in sudo 'exit 1'
  run x </dev/null
  expect "exit code" [ "$status" = 5 ]
  expect "the exact command" says "  apt-get install --no-install-recommends clang-19"
  expect "stdout is clean" [ ! -s "$work/stdout" ]
  expect_not "no install" called 'apt-get'
}

test_sudo_is_used_where_it_works() {
  uninstall clang-19
  stand_in id 'echo 1000'
  stand_in sudo 'case $1 in -n) exit ;; esac; "$@"'
  run x
  expect "through sudo" called '^sudo env DEBIAN_FRONTEND=noninteractive apt-get .*install.*clang-19'
  expect "exit code" [ "$status" = 0 ]
}

test_optional_packages_are_not_insisted_on() {
  uninstall verilator
  stand_in id 'echo 1000'
  stand_in sudo 'exit 1'
  run x </dev/null
  expect "exit code" [ "$status" = 0 ]
  expect "told once" says "optional packages verilator"
  run x </dev/null
  expect "and only once" [ ! -s "$work/stderr" ]
}

test_replaced_tools_are_not_installed() {
  uninstall clang-19 && uninstall qemu-user
  export QUERN_CXX=/opt/clang++ QUERN_QEMU=/opt/qemu
  run x
  expect "exit code" [ "$status" = 0 ]
  expect_not "no install" called 'apt-get'
}

test_other_hosts_are_told_what_is_needed() {
  printf 'ID=fedora\nVERSION_ID=43\n' >"$QUERN_OS_RELEASE"
  export QUERN_CXX=quern-no-such-compiler
  run x
  expect "exit code" [ "$status" = 5 ]
  local word
  for word in quern-no-such-compiler QUERN_SYSROOT QUERN_CXX QUERN_QEMU QUERN_RESULTS host-packages; do
    expect "names" says "$word"
  done
  expect_not "no install" called 'apt-get'
  stand_in quern-no-such-compiler
  stand_in ld.lld-19 && stand_in qemu-riscv64 && stand_in c++
  run x
  expect "with all tools there" [ "$status" = 0 ]
}

# A mirror that has the sysroot's packages: apt-get download makes small real packages.
sysroot_mirror() {
  unset QUERN_SYSROOT
  printf 'libc6 # C\nlibopenblas0-pthread # peer\nqemu-user:amd64 # QEMU\n' \
    >"$root/boards/toolchain/sysroot-packages"
  stand_in apt-get '
    case "$*" in
      *indextargets*)
        echo "http://security.invalid/debian-security bookworm-security main"
        echo "http://other.invalid/things bookworm main"
        echo "http://mirror.invalid/debian/ bookworm main"
        echo "http://mirror.invalid/debian/ bookworm contrib" ;;
      *update*) grep -h ^URIs "${APT_CONFIG%/*}/etc/mirror.sources" >>'"'$work/tried'"' ;;
      *download*)
        shift 2
        for name; do
          architecture=riscv64
          [ "$name" = "${name%:*}" ] || architecture=${name#*:} name=${name%:*}
          mkdir -p p/DEBIAN p/usr/bin "p/usr/lib/riscv64-linux-gnu/openblas-pthread"
          echo "$name" >"p/usr/lib/$name"
          echo "$name" >"p/usr/bin/qemu-riscv64"
          echo "$name" >"p/usr/lib/riscv64-linux-gnu/openblas-pthread/libopenblas.so.0"
          printf "Package: %s\nVersion: 1.2-3\nArchitecture: %s\nMaintainer: a <a@b.c>\nDescription: d\n" \
            "$name" "$architecture" >p/DEBIAN/control
          dpkg-deb --build p "${name}_1.2-3_$architecture.deb" >/dev/null
          rm -r p
        done ;;
    esac'
}

test_sysroot_is_made_from_the_machines_mirror() {
  sysroot_mirror
  run x
  local sysroot=$root/build/sysroot-riscv64
  expect "exit code" [ "$status" = 0 ]
  expect "unpacked" [ "$(cat "$sysroot/usr/lib/libc6")" = libc6 ]
  expect "/lib as on a machine" [ "$(cat "$sysroot/lib/libc6")" = libc6 ]
  expect "libraries found by name" [ -e "$sysroot/usr/lib/riscv64-linux-gnu/libopenblas.so.0" ]
  expect "versions kept" [ "$(cat "$sysroot/quern-packages")" = "$(printf '%s 1.2-3\n' libc6 libopenblas0-pthread qemu-user)" ]
  expect "the newer emulator" [ "$(cat "$sysroot/quern-tools/qemu-riscv64")" = qemu-user ]
  expect "and nothing else of this machine" [ "$(ls "$sysroot/quern-tools")" = qemu-riscv64 ]
  expect_not "nor in the sysroot" [ -e "$sysroot/usr/lib/qemu-user" ]
  expect "the likely mirror, no security" [ "$(cat "$work/tried")" = "URIs: http://mirror.invalid/debian/" ]
  expect "nothing else left" [ ! -e "$root/build/setup/apt-trixie" ]
  forget
  run x
  expect_not "once" called apt-get
  echo libgomp1 >>"$root/boards/toolchain/sysroot-packages"
  run x
  expect "a longer list makes it anew" [ -e "$sysroot/usr/lib/libgomp1" ]
}

test_sysroot_tries_all_mirrors_then_tells() {
  sysroot_mirror
  sed -i 's/\*download\*)/*download*) echo "E: Unable to locate package libc6"; exit 100;;&/' "$work/bin/apt-get"
  run x
  expect "exit code" [ "$status" = 5 ]
  expect "two tried" [ "$(grep -c . "$work/tried")" = 2 ]
  expect "apt's words" says "E: Unable to locate package libc6"
  expect "a way out" says QUERN_SYSROOT
  expect "the command" says "apt-get download libc6 libopenblas0-pthread qemu-user:amd64"
  expect "nothing half-made" [ ! -e "$root/build/sysroot-riscv64" ]
  run doctor
  expect "doctor runs all the same" [ "$(cat "$work/stdout")" = "<doctor>" ]
}

test_killed_sysroot_is_made_again() {
  sysroot_mirror
  stand_in dpkg-deb "[ -e '$work/go' ] || case \$1 in --extract) kill -9 \$PPID ;; esac; exec /usr/bin/dpkg-deb \"\$@\""
  run x
  expect "killed" [ "$status" = 137 ]
  expect "nothing half-made" [ ! -e "$root/build/sysroot-riscv64" ]
  touch "$work/go"
  run x
  expect "exit code" [ "$status" = 0 ]
  expect "whole" [ -e "$root/build/sysroot-riscv64/usr/lib/libopenblas0-pthread" ]
}

# The machine's own apt reads sources of both styles.
test_mirrors_are_read_from_both_styles_of_sources() {
  mkdir -p "$work/etc/sources.list.d" "$work/lists/partial"
  cat >"$work/etc/sources.list" <<'EOF'
# deb http://commented.invalid/debian bookworm main
deb [arch=amd64] http://one.invalid/debian bookworm main contrib
deb http://one.invalid/debian-security bookworm-security main
deb-src http://sources.invalid/debian bookworm main
deb http://vendor.invalid/apt stable tools
EOF
  cat >"$work/etc/sources.list.d/a.sources" <<'EOF'
Types: deb
URIs: http://two.invalid/debian http://three.invalid/mirror
Suites: bookworm bookworm-updates
Components: main

Types: deb
Enabled: no
URIs: http://disabled.invalid/debian
Suites: bookworm
Components: main
EOF
  printf 'Dir::Etc "%s";\nDir::State::lists "%s";\n' "$work/etc" "$work/lists" >"$work/apt.conf"
  export QUERN_ROOT=$root
  local mirrors
  rm "$work/bin/apt-get"
  # shellcheck source=/dev/null
  . "$root/boards/toolchain/sysroot.sh"
  mirrors=$(APT_CONFIG=$work/apt.conf debian_mirrors)
  expect "mirrors" [ "$mirrors" = "$(printf '%s\n' http://one.invalid/debian/ http://two.invalid/debian/ \
    http://three.invalid/mirror/)" ]
}

test_private_apt_keeps_signatures_on() {
  export QUERN_ROOT=$root
  rm "$work/bin/apt-get"
  # shellcheck source=/dev/null
  . "$root/boards/toolchain/sysroot.sh"
  cat >"$work/machine.conf" <<'EOF'
Acquire::AllowInsecureRepositories "true";
APT::Get::AllowUnauthenticated "true";
Acquire::http::Proxy "http://proxy.invalid:3128";
EOF
  (APT_CONFIG=$work/machine.conf private_apt "$work/private" http://mirror.invalid/debian/)
  local seen
  seen=$(APT_CONFIG=$work/private/apt.conf apt-config dump)
  expect "signatures" grep -qxF 'Acquire::AllowInsecureRepositories "false";' <<<"$seen"
  expect "signatures" grep -qxF 'APT::Get::AllowUnauthenticated "false";' <<<"$seen"
  expect "the proxy stays" grep -qxF 'Acquire::http::Proxy "http://proxy.invalid:3128";' <<<"$seen"
  expect "own lists" grep -qxF "Dir::State::lists \"$work/private/lists\";" <<<"$seen"
}

test_test_runs_ctest() {
  stand_in ctest 'printf "%s|" "$@"; echo; echo "100% tests passed, 0 tests failed out of 3"; exit ${CTEST_CODE:-0}'
  run test -R "a b"
  expect "exit code" [ "$status" = 0 ]
  expect "closing line" [ "$(tail -n 1 "$work/stdout")" = "100% tests passed, 0 tests failed out of 3" ]
  expect "fast tests only" grep -qF -- '--label-regex|^fast$|' "$work/stdout"
  expect "arguments" grep -qF -- '|-R|a b|' "$work/stdout"
  expect "everything was built" called '^ninja .* all$'
  run test --slow
  expect "all tests" grep -qF -- '--label-regex|^(fast|slow)$|' "$work/stdout"
  CTEST_CODE=8 run test
  expect "a test failed" [ "$status" = 1 ]
  forget
  run test --help
  expect "help" grep -q '^Usage: quern test' "$work/stdout"
}

case ${1:-} in
  test_*) prepare && "$1" ;;
  *) echo "usage: $0 test_CASE" >&2 && exit 2 ;;
esac
[ "$failures" = 0 ] || { echo "--- stderr" && cat "$work/stderr" && echo "--- calls" && cat "$calls" && exit 1; }
