# `quern test`: builds everything and runs the suites with CTest, whose output is passed on unchanged.
#
# Sourced by the entry script. Exit codes: 0 all passed, 1 a test failed or nothing was found to run,
# 2 wrong usage, 5 the set-up or the build failed.
# shellcheck shell=bash

test_usage() {
  cat <<'EOF'
Usage: quern test [--slow] [CTEST ARGUMENTS]

Builds everything and runs the fast tests. All other arguments go to ctest.

  --slow    the slow tests too
  --help    this text

Examples:
  quern test
  quern test --slow -R gemm
  quern test --rerun-failed
EOF
}

run_tests() {
  local suite=(--label-regex '^fast$') arguments=() argument status=0
  for argument in "$@"; do
    case $argument in
      --slow) suite=(--label-regex '^(fast|slow)$') ;;
      -q) ;;  # of the set-up
      -h | --help)
        test_usage
        exit 0
        ;;
      *) arguments+=("$argument") ;;
    esac
  done
  set_up everything
  ctest --test-dir "$QUERN_BUILD/release" "${suite[@]}" --parallel "$(nproc)" --output-on-failure \
    --no-tests=error "${arguments[@]}" || status=$?
  case $status in
    0 | 130) return "$status" ;;
    *) return 1 ;;
  esac
}
