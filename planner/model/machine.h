// A machine with explicitly managed memories, as data: tiers, in-order pipes, and what it costs to
// move a buffer out and back. machines/*.json describe them; nothing in the planner names a
// machine.
//
//   tier L1 [........4096........]      pipes MTE2 |==load==|==load==|
//   tier UB [..1024..]                        CUBE |   |=matmul=|=matmul=|
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quern::planner {

struct Tier {
  std::string name;
  std::int64_t capacity = 0;
  bool counts_in_peak = true;
  int peak_live_limit = 0;  // 0: no limit
};

// Eviction costs; see `transfer` in machines/schema.json.
struct Transfer {
  int out_pipe = 0;
  int in_pipe = 0;
  std::int64_t fixed_cycles = 0;
  double cycles_per_unit = 0;
  std::vector<std::string> backed_by;  // ops whose buffers need no write-back
};

struct Machine {
  std::string name;
  std::vector<Tier> tiers;
  std::vector<std::string> pipes;
  Transfer transfer;

  int find_tier(std::string_view tier) const;  // -1 if unknown
  int find_pipe(std::string_view pipe) const;  // -1 if unknown

  std::int64_t in_cycles(std::int64_t size) const {
    return transfer.fixed_cycles + static_cast<std::int64_t>(std::ceil(transfer.cycles_per_unit *
                                                                       static_cast<double>(size)));
  }
  std::int64_t out_cycles(std::int64_t size, bool backed) const {
    return backed ? 0 : in_cycles(size);
  }
  // Units moved by one eviction: out and in, or only in when a copy exists outside.
  std::int64_t pair_traffic(std::int64_t size, bool backed) const {
    return backed ? size : 2 * size;
  }
};

// Reads a description and checks it against `schema` (machines/schema.json). Throws bad_input.
Machine read_machine(const std::filesystem::path& path, const std::filesystem::path& schema);

}  // namespace quern::planner
