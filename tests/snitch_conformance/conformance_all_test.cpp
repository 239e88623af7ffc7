// All conformance programs: holds the accuracy that docs/snitch-core.md states, and prints its
// table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <thread>

#include "tests/snitch_conformance/conformance.h"

namespace quern::snitch {
namespace {

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
    EXPECT_TRUE(near) << names[i] << ": " << got[i].warm << " cycles, measured " << warm
                      << "; checksum " << hexadecimal(got[i].checksum) << ", measured "
                      << want.at("checksum") << " " << got[i].problem;
  }
  for (const auto& [category, row] : table)
    fmt::print("{:10} {:3} of {:3} exact\n", category, row.first, row.second);
  fmt::print("all        {:3} of {:3} exact\n", exact, names.size());
  EXPECT_EQ(exact, 259);
}

}  // namespace
}  // namespace quern::snitch
