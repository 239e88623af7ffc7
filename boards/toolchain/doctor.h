// What this machine has of what Quern needs, tool by tool: found, needed, and how to get it.
//
// Looks and starts things, changes nothing. A tool counts only if it does what it is for: the
// compiler must compile and link an RVV program, the emulator must run one and load a plugin.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "boards/toolchain/toolchain.h"

namespace quern::boards {

struct Check {
  std::string name = {};
  bool ok = false;
  bool required = true;     // false: something is missing without it, the rest works
  std::string found = {};   // version or state; "nothing" if there is none
  std::string needed = {};  // "19 or later: compiles RVV 1.0 intrinsics"
  std::string fix = {};     // what to do; empty if ok
};

// All checks, in the order in which to repair what fails. `plugin` is a TCG plugin that takes
// "mark=FILE".
std::vector<Check> check_machine(const Toolchain& toolchain, const std::filesystem::path& plugin);

// A variable by which parts are supplied by hand.
struct Variable {
  std::string name;
  std::string meaning;
};
const std::vector<Variable>& variables();

// "19.1.7" of "Debian clang version 19.1.7 (3~deb12u1)": the first dotted number of a text; empty
// if none.
std::string version_in(const std::string& text);

// True if version `have` is `least` or later, number by number: 5.006 and 5.6 are the same.
bool at_least(const std::string& have, const std::string& least);

}  // namespace quern::boards
