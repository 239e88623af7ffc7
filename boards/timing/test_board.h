// A made-up board with round numbers, for tests whose expected values are worked out by hand.
//
//   issue 2 a cycle; loads 3, flw 4, vle 3/4/8/16 busy 2/4/8/16; vfmacc 5 busy LMUL; everything
//   else 1 L1 4 sets x 2 ways x 64 B; L2 16 x 4; L2 20 cycles and 4 a line, DRAM 100 and 10 a line
#pragma once

#include <string>

#include "boards/timing/parameters.h"

namespace quern::timing {

inline Json test_board_json() {
  const auto value = [](auto v) { return Json{{"value", v}, {"source", "assumed"}}; };
  const auto row = [](std::vector<std::string> classes, const char* unit, Json latency,
                      Json occupancy) {
    return Json{{"classes", std::move(classes)},
                {"unit", unit},
                {"latency", std::move(latency)},
                {"occupancy", std::move(occupancy)},
                {"source", "assumed"}};
  };
  Json board;
  board["name"] = "test";
  board["core"] = {{"vlen", 256}, {"clock_hz", 1e9}};
  board["caches"] = {{{"level", 1}, {"bytes", 512}, {"ways", 2}, {"line", 64}, {"shared_by", 1}},
                     {{"level", 2}, {"bytes", 4096}, {"ways", 4}, {"line", 64}, {"shared_by", 1}}};
  Json& timing = board["timing"];
  timing["issue"] = {{"width", value(2)},
                     {"vector_width", value(2)},
                     {"store_data_slack", value(0)},
                     {"masked_factor", value(2)},
                     {"mispredict_penalty", value(7)},
                     {"taken_branch_bubble", value(0)},
                     {"in_order_results", value("none")},
                     {"predictor_bits", value(4)},
                     {"predictor_history", value(0)},
                     {"misaligned_vector_traps", value(true)},
                     {"trap_cycles", value(50)}};
  timing["units"] = {{"integer", value(2)}, {"branch", value(1)},        {"load-store", value(1)},
                     {"fp", value(1)},      {"vector-memory", value(1)}, {"vector", value(1)}};
  timing["memory"] = {{"miss_slots", value(2)},
                      {"l2_latency", value(20)},
                      {"l2_read_cycles", value(4)},
                      {"l2_write_cycles", value(4)},
                      {"dram_latency", value(100)},
                      {"dram_read_cycles", value(10)},
                      {"dram_write_cycles", value(10)},
                      {"store_queue", value(2)},
                      {"streaming_after", value(0)},
                      {"prefetch_streams", value(0)},
                      {"prefetch_distance", value(0)},
                      {"prefetch_stride", value(1)},
                      {"prefetch_crosses_page", value(false)},
                      {"page_bytes", value(4096)},
                      {"tlb_entries", value(0)},
                      {"tlb_walk", value(0)},
                      {"line_cross", value(3)}};
  Json& rows = timing["instructions"];
  rows = Json::array();
  using enum InstructionClass;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < instruction_class_count; ++i) {
    const auto c = static_cast<InstructionClass>(i);
    const std::string name(name_of(c));
    switch (c) {
      case unknown:
        break;
      case load:
        rows.push_back(row({name}, "load-store", 3, 1));
        break;
      case fp_load:
        rows.push_back(row({name}, "load-store", 4, 1));
        break;
      case store:
      case fp_store:
        rows.push_back(row({name}, "load-store", 0, 1));
        break;
      case branch:
        rows.push_back(row({name}, "branch", 0, 1));
        break;
      case divide:
        rows.push_back(row({name}, "integer", 10, 10));
        break;
      case vector_fma:
        rows.push_back(row({name}, "vector", {5, 5, 5, 8}, {1, 2, 4, 8}));
        break;
      case vector_load:
        rows.push_back(row({name}, "vector-memory", {3, 4, 8, 16}, {2, 4, 8, 16}));
        break;
      case vector_store:
        rows.push_back(row({name}, "vector-memory", 0, {2.5, 5, 10, 20}));
        break;
      case vector_load_strided:
        rows.push_back({{"classes", {name}},
                        {"unit", "vector-memory"},
                        {"occupancy_per_element", 1},
                        {"latency_over_occupancy", 2},
                        {"source", "assumed"}});
        break;
      default:
        rest.push_back(name);
    }
  }
  rows.push_back(row(rest, "integer", 1, 1));
  return board;
}

inline Parameters test_board() { return load_parameters(test_board_json(), "test.json"); }

}  // namespace quern::timing
