// One generated kernel against the reference, in the interpreter, for tests: right result, nothing
// written beside the output, inputs untouched, no stream element left over.
#pragma once

#include <string>
#include <vector>

namespace quern::bench::snitch {

// Empty, or what is wrong with the kernel of this point.
std::string kernel_problem(const std::string& id);

// All types x kernels x sizes as ids.
std::vector<std::string> kernel_ids(const std::vector<std::string>& kernels,
                                    const std::vector<std::string>& sizes,
                                    const std::string& suffix = "");

// Fails the running test for each that has a problem.
void expect_right(const std::vector<std::string>& ids);

}  // namespace quern::bench::snitch
