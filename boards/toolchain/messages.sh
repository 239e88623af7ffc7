# What the set-up says: progress and failures on stderr; on stdout nothing, but for the one JSON document
# of a --json run that never gets as far as the program (cli/ending.h has the program's own).
#
# Sourced by setup.sh.
# shellcheck shell=bash

say() { [ -n "${QUERN_QUIET:-}" ] || printf 'quern: %s\n' "$*" >&2; }

# The terminal that progress is drawn on; empty where there is none. By name, since the commands that
# progress have their stderr in a log.
terminal=
[ ! -t 2 ] || [ -n "${QUERN_QUIET:-}" ] || terminal=$(readlink "/proc/$$/fd/2")

# fail CODE MESSAGE...: ends with one of the exit codes of the command line (base/error.h).
fail() {
  local code=$1
  shift
  printf 'quern: %s\n' "$*" >&2
  # A step of `doctor` runs in a subshell: what follows may go well, and then it has no document.
  if [ -n "${QUERN_LENIENT:-}" ]; then
    printf '%s' "$*" >"$QUERN_BUILD/setup/failure"
  else
    print_failure "$code" "$*"
  fi
  exit "$code"
}

# print_failure CODE MESSAGE: the document, if one is wanted.
print_failure() {
  [ -n "${QUERN_JSON:-}" ] || return 0
  local kind
  case $1 in
    2) kind=bad_input ;;
    130) kind=interrupted ;;
    *) kind=tool_missing ;;
  esac
  printf '{\n  "schema": "quern.error.v1",\n  "error": {\n    "exit": %d,\n    "kind": "%s",\n    "message": "%s"\n  }\n}\n' \
    "$1" "$kind" "$(json_text "$2")"
}

# The inside of a JSON string.
json_text() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\t'/\\t}
  printf '%s' "$text" | tr -d '\000-\037\177' | iconv -c -f UTF-8 -t UTF-8
}

# with_percent APT_COMMAND...: draws how far apt is, where there is a terminal. apt tells it on stdout
# (APT::Status-Fd 1; sudo would close another file): "dlstatus:PACKAGE:PERCENT:TEXT" and "pmstatus:...".
# What else it says there is passed on.
with_percent() {
  if [ -z "$terminal" ]; then
    "$@"
    return
  fi
  "$@" | {
    local line kind percent
    while IFS= read -r line; do
      case $line in
        dlstatus:* | pmstatus:*)
          IFS=: read -r kind _ percent _ <<<"$line"
          case $kind in dlstatus) kind=downloading ;; *) kind=installing ;; esac
          printf '\r\033[Kquern: %s, %s %%' "$kind" "${percent%%.*}" >"$terminal"
          ;;
        *) printf '%s\n' "$line" ;;
      esac
    done
    printf '\r\033[K' >"$terminal"
  }
}
