// What every structured program must keep to, whatever produced it. A violation is a bug of the
// lowering.
//
//   * an frep.o body holds FP instructions only, at most as many and as deep as the sequencer takes
//   * all results that enter one stream come from one pipeline: others would overtake each other
//   * read streams are never written, the write stream is never read
#pragma once

#include <string>

#include "generator/snitch/machine.h"
#include "generator/snitch/program.h"

namespace quern::generator::snitch {

// Empty, or what is wrong.
std::string violation(const Program& program, const Machine& machine);

}  // namespace quern::generator::snitch
