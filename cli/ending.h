// How a command ended, told to people (stderr) and to scripts: the exit code and, with --json, the
// one document on stdout, also where the command came to none of its own.
//
//   { "schema": "quern.error.v1",
//     "error": { "exit": 2, "kind": "bad_input", "message": "x.json:3:1: not JSON: ...",
//                "file": "x.json", "line": 3, "column": 1 } }
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/error.h"
#include "base/json_file.h"

namespace quern::cli {

struct Ending {
  ExitCode code = ExitCode::good;
  std::string message = {};    // empty: all is said
  std::string kind = {};       // empty: as the exit code is called
  bool stdout_failed = false;  // then nothing more can be said there
};

// The body of the document. Where the message names its place, as the ones of bad input do
// ("FILE:LINE:COLUMN: ..." or "FILE: /JSON/POINTER: ..."), the place is given in parts as well.
Json error_body(const Ending& ending);

// Does the command line ask for JSON? Of the words themselves, since a command line that is wrong
// is not parsed to its end. What stands behind `run`'s PROGRAM is the program's.
bool json_wanted(const CLI::App& app, int argc, char** argv);

}  // namespace quern::cli
