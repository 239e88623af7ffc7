// Compiles programs for a board, each piece once.
//
//     unit (name, text) --compiler--> object
//     objects + libraries --linker--> program
//
// Both are cached under build/objects by a hash of everything that they depend on: text, headers,
// flags, compiler version.
//
// That a unit does not compile is a value (generated code may be wrong, and a sweep goes on); that
// there is no compiler is an Error.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "boards/board.h"
#include "boards/toolchain/toolchain.h"

namespace quern::boards {

// The tools for a board: its own compiler unless QUERN_CXX names another.
Toolchain toolchain_for(const Board& board, const std::filesystem::path& build);

struct Unit {
  std::string name;  // file name; ".c", ".cpp" or ".S" selects the language
  std::string text;
  std::vector<std::string> flags = {};  // beside the board's
};

struct Compiled {
  bool good = false;
  bool timed_out = false;
  std::filesystem::path file;  // object or program
  std::string log;             // what the compiler said, with the command
};

class Compiler {
 public:
  // `root` is searched for #include "gemm/..." and "bench/...".
  Compiler(const Board& board, const std::filesystem::path& root,
           const std::filesystem::path& build);

  // Objects of all units, in their order, on all processors. An interrupt ends it early: units that
  // were not reached are not good and have an empty log.
  std::vector<Compiled> compile(const std::vector<Unit>& units) const;
  Compiled compile(const Unit& unit) const;

  // A program from objects; `flags` may name libraries ("-lm").
  Compiled link(const std::string& name, const std::vector<std::filesystem::path>& objects,
                const std::vector<std::string>& flags = {}) const;

  // "Debian clang version 19.1.7 ..." for records.
  const std::string& version() const { return version_; }
  // The flags that every unit is compiled with, without paths of this machine, for records.
  std::string flags() const;
  const Toolchain& toolchain() const { return toolchain_; }

 private:
  Compiled run(const std::string& key, const std::string& suffix,
               std::vector<std::string> command) const;

  Board board_;
  Toolchain toolchain_;
  std::filesystem::path root_;
  std::filesystem::path objects_;
  std::string version_;
  std::string headers_;  // digest of the headers that units may include
};

}  // namespace quern::boards
