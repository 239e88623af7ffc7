# The build of Quern itself, with CMake and Ninja, into $QUERN_BUILD/release.
#
# Targets: `program` is what `quern` needs to run; `everything` also holds the tests.
# Sourced by setup.sh.
# shellcheck shell=bash

# True if no source file, folder or system package changed since the last good build of the target.
# One look at the file system, several times cheaper than asking Ninja. The time of the last change of
# the inode is compared, so that an old file copied into the tree counts as well.
build_fresh() {
  local stamp=$QUERN_BUILD/setup/built-$1
  [ -e "$stamp" ] && [ "$(<"$stamp")" = "$QUERN_ROOT" ] || return 1
  [ -x "$QUERN_BUILD/release/cli/quern" ] || return 1
  ! [ /var/lib/dpkg/status -nt "$stamp" ] || return 1
  [ -z "$(cd "$QUERN_ROOT" && find . -mindepth 1 \
    \( -samefile "$QUERN_BUILD" -o -path ./build -o -path ./.git -o -path ./results -o -path ./docs \) \
    -prune -o -cnewer "$stamp" -print -quit)" ]
}

# Makes or renews the Ninja files.
configure() {
  local log=$QUERN_BUILD/setup/cmake.log
  if [ -e "$QUERN_BUILD/release/build.ninja" ]; then
    ninja -C "$QUERN_BUILD/release" build.ninja >"$log" 2>&1
  else
    say "set-up 3/3: configuring the build (CMake)"
    cmake -S "$QUERN_ROOT" --preset release -B "$QUERN_BUILD/release" >"$log" 2>&1
  fi
}

build() {
  local target=$1 release=$QUERN_BUILD/release stamp=$QUERN_BUILD/setup/built-$1
  # A build folder of another checkout (the tree was moved or copied) is of no use.
  if [ -e "$release/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$QUERN_ROOT" "$release/CMakeCache.txt"; then
    rm -rf "$release"
  fi
  # The stamp bears the time before the build, so that what is edited meanwhile is noticed.
  echo "$QUERN_ROOT" >"$stamp.new"
  cd "$QUERN_ROOT" || fail 1 "$QUERN_ROOT: cannot enter"
  # A set-up killed inside CMake may have left half a cache: once more without it.
  configure || { rm -rf "$release/CMakeCache.txt" "$release/CMakeFiles" && configure; } ||
    fail 5 "CMake failed:"$'\n'"$(tail -n 30 "$QUERN_BUILD/setup/cmake.log")"$'\n'"To see it again:" \
      "cmake -S $(printf %q "$QUERN_ROOT") --preset release -B $(printf %q "$release")"
  [ "$target" = program ] || target=all
  local steps
  steps=$(ninja -C "$release" -n "$target" 2>/dev/null | grep -c '^\[')
  say "set-up 3/3: building what changed: $steps steps (Ninja)$([ "$steps" -lt 100 ] || echo ", some minutes")"
  if [ -n "$terminal" ]; then
    ninja -C "$release" -j "$(nproc)" "$target" >&2
  else
    ninja -C "$release" -j "$(nproc)" --quiet "$target" 2>&1 |
      { grep -v '^ninja: no work to do' >&2 || true; }
  fi || fail 5 "the build failed; to see it again: ninja -C $(printf %q "$release") $target"
  cd "$OLDPWD" || true
  mv "$stamp.new" "$stamp"
}
