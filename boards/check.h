// `quern board check`: does a board do what its file says, end to end? Compiles a probe, uploads it
// and a file, runs it, and fetches what it wrote.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "boards/session.h"

namespace quern::boards {

struct CheckStep {
  std::string name;  // "compile", "upload", "run", "fetch", "vlen", "timing"
  bool good = false;
  std::string found;  // what was seen, or what went wrong
};

// Steps up to the first one that makes the next ones impossible.
std::vector<CheckStep> check_board(Session& session, const std::filesystem::path& root,
                                   const std::filesystem::path& build);

}  // namespace quern::boards
