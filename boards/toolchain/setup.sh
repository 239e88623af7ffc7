# Set-up of a machine, step by step; the entry script ./quern sources this file and calls set_up.
#
#   host packages  --->  riscv64 sysroot  --->  build of the program
#   host_packages.sh     sysroot.sh             build.sh
#
# Every step looks first whether there is anything to do, and a step that was killed half-way is done
# again. Every step says what it is about to do before it does it (messages.sh); stdout belongs to the
# program. A step that fails tells the command that would do it, and the exit code is 5.
# shellcheck shell=bash

# shellcheck source=boards/toolchain/messages.sh
. "$QUERN_ROOT/boards/toolchain/messages.sh"
# shellcheck source=boards/toolchain/host_packages.sh
. "$QUERN_ROOT/boards/toolchain/host_packages.sh"
# shellcheck source=boards/toolchain/sysroot.sh
. "$QUERN_ROOT/boards/toolchain/sysroot.sh"
# shellcheck source=boards/toolchain/build.sh
. "$QUERN_ROOT/boards/toolchain/build.sh"

# The names in a package list: the first word of every line, comments left out.
list_packages() { awk '{ sub(/#.*/, "") } NF { print $1 }' "$1"; }

# Two set-ups at once would install, unpack and compile over each other: the second one waits.
lock_set_up() {
  mkdir -p "$QUERN_BUILD/setup" 2>/dev/null
  [ -w "$QUERN_BUILD/setup" ] ||
    fail 2 "$QUERN_BUILD: cannot write there; set QUERN_BUILD to a folder for compiled things"
  exec {set_up_lock}>>"$QUERN_BUILD/setup/lock"
  if ! flock --nonblock "$set_up_lock"; then
    say "another set-up is running; waiting for it"
    flock "$set_up_lock"
  fi
}

unlock_set_up() { exec {set_up_lock}>&-; }

# set_up TARGET: makes ready what TARGET (program or everything) needs.
set_up() {
  host_packages_present && sysroot_present && build_fresh "$1" && return
  lock_set_up
  host_packages_present || install_host_packages
  sysroot_present || make_sysroot
  build_fresh "$1" || build "$1"
  unlock_set_up
}

# As set_up program, but a step that fails does not keep the program from starting if it is there:
# `doctor` is for just that case.
set_up_leniently() {
  host_packages_present && sysroot_present && build_fresh program && return
  lock_set_up
  QUERN_LENIENT=1
  host_packages_present || (install_host_packages) || true
  sysroot_present || (make_sysroot) || true
  build_fresh program || (build program) || [ -x "$QUERN_BUILD/release/cli/quern" ] || {
    print_failure 5 "$(cat "$QUERN_BUILD/setup/failure" 2>/dev/null)"
    exit 5
  }
  unlock_set_up
}
