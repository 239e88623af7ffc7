// All conformance programs: holds the accuracy that docs/snitch-core.md states, and prints its
// table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "tests/snitch_conformance/conformance.h"

namespace quern::snitch {
namespace {

// Known to be further off than 2 cycles or 1 %; docs/snitch-core.md says why. The test is red when
// one of them is right after all, so that the page stays true.
const std::set<std::string> known_off = {"fx_vcvt"};

TEST(ConformanceAll, HoldsTheStatedAccuracy) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : expected().items()) names.push_back(name);
  std::vector<Measured> got(names.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> workers;
  for (int w = 0; w < 2; ++w)
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < names.size(); i = next++) got[i] = measure(names[i]);
    });
  for (auto& worker : workers) worker.join();

  std::map<std::string, std::pair<int, int>> table;  // category: exact, all
  int exact = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Json& want = expected().at(names[i]);
    const auto warm = want.at("warm").get<std::int64_t>();
    const std::int64_t off = std::abs(got[i].warm - warm);
    auto& row = table[want.at("category").get<std::string>()];
    ++row.second;
    if (off == 0) {
      ++row.first;
      ++exact;
    } else {
      fmt::print("{}: {} cycles, measured {}\n", names[i], got[i].warm, warm);
    }
    const bool near = static_cast<double>(off) <= std::max(2.0, 0.01 * static_cast<double>(warm)) &&
                      got[i].problem.empty() &&
                      hexadecimal(got[i].checksum) == want.at("checksum").get<std::string>();
    EXPECT_EQ(near, !known_off.contains(names[i]))
        << names[i] << ": " << got[i].warm << " cycles, measured " << warm << "; checksum "
        << hexadecimal(got[i].checksum) << ", measured " << want.at("checksum") << " "
        << got[i].problem;
  }
  for (const auto& [category, row] : table)
    fmt::print("{:10} {:3} of {:3} exact\n", category, row.first, row.second);
  fmt::print("all        {:3} of {:3} exact\n", exact, names.size());
  EXPECT_GE(exact, 258);
}

}  // namespace
}  // namespace quern::snitch
