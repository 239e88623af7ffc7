#include "boards/timing/parameters.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "boards/timing/test_board.h"

namespace quern::timing {
namespace {

Cost cost(const Parameters& parameters, std::uint32_t word, VectorType type) {
  return cost_of(parameters, Decoder::instance().decode_word(word), type);
}

TEST(Parameters, GiveCostsByLmulAndElements) {
  const Parameters p = test_board();
  constexpr std::uint32_t vfmacc = 0xb3055457, masked = 0xb1055457, vle32 = 0x02056407,
                          vlse32 = 0x0ab56407;
  const struct {
    std::uint32_t word;
    VectorType type;
    double latency, occupancy;
  } rows[] = {
      {vfmacc, {0, 32}, 5, 1},
      {vfmacc, {2, 32}, 5, 4},
      {vfmacc, {3, 32}, 8, 8},
      {vfmacc, {-1, 32}, 5, 1},
      {masked, {0, 32}, 6, 2},  // masked_factor 2: one more cycle of
                                // occupancy
      {vle32, {0, 32}, 3, 2},
      {vle32, {1, 16}, 8, 8},  // EEW 32 at SEW 16, LMUL 2: EMUL 4
      {vlse32, {0, 32}, 10, 8},
      {vlse32, {1, 32}, 18, 16},  // 256 / 32 = 8 elements, + 2
  };
  for (const auto& row : rows) {
    const Cost c = cost(p, row.word, row.type);
    EXPECT_EQ(c.latency, to_ticks(row.latency)) << std::hex << row.word;
    EXPECT_EQ(c.occupancy, to_ticks(row.occupancy)) << std::hex << row.word;
  }
}

TEST(Parameters, CostFollowsVlWhereTheCoreDoes) {
  Json board = test_board_json();  // VLEN 256
  board["timing"]["issue"]["vl_granule"] = {{"value", 128}, {"source", "assumed"}};
  const Parameters p = load_parameters(board, "test"), q = test_board();
  constexpr std::uint32_t vfmacc = 0xb3055457, vlse32 = 0x0ab56407, vmv2r = 0x9e00b457;
  const struct {
    std::uint32_t word;
    VectorType type;
    double follows, follows_not;
  } rows[] = {
      {vfmacc, {2, 32, 0}, 4, 4},    // VLMAX = 32: eight parts of 128 bits
      {vfmacc, {2, 32, 32}, 4, 4},   //
      {vfmacc, {2, 32, 31}, 4, 4},   // still eight parts
      {vfmacc, {2, 32, 16}, 2, 4},   // four parts
      {vfmacc, {2, 32, 1}, 0.5, 4},  // one
      {vlse32, {0, 32, 3}, 3, 8},    // by element
      {vmv2r, {0, 32, 1}, 1, 1},     // whole registers
  };
  for (const auto& row : rows) {
    EXPECT_EQ(cost(p, row.word, row.type).occupancy, to_ticks(row.follows)) << row.type.vl;
    EXPECT_EQ(cost(q, row.word, row.type).occupancy, to_ticks(row.follows_not)) << row.type.vl;
  }
}

// Each change contradicts something; the message must hold the pointer.
TEST(Parameters, RejectContradictions) {
  const Json good = test_board_json();
  const struct {
    const char* pointer;  // where the change is made
    Json value;           // null: the member is removed
    const char* message;
  } rows[] = {
      {"/timing", nullptr, "/timing: missing"},
      {"/timing", "fast", "/timing: expected an object"},
      {"/timing", Json::array(), "/timing: expected an object"},
      {"/core", 3, "/core: expected an object"},
      {"/core/vlen", "256", "/core/vlen: expected a number, not \"256\""},
      {"/core/vlen", 250, "/core/vlen: 250 is not a power of two"},
      {"/core/vlen", -256, "/core/vlen: -256 is outside"},
      {"/core/clock_hz", 0, "/core/clock_hz: 0 is outside"},
      {"/core/clock_hz", 1e308, "/core/clock_hz: 1e+308 is outside"},
      {"/caches", 5, "/caches: expected an array"},
      {"/caches", Json::array(), "/caches: the timing model needs caches of level 1 and 2"},
      {"/caches/0", "L1", "/caches/0: expected an object"},
      {"/caches/0/level", "one", "/caches/0/level: expected a number"},
      {"/caches/1/level", 1, "/caches/1/level: a cache of level 1 stands above"},
      {"/caches/0/bytes", 0, "/caches/0/bytes: 0 is outside"},
      {"/caches/0/bytes", -512, "/caches/0/bytes: -512 is outside"},
      {"/caches/0/bytes", 1e308, "/caches/0/bytes: 1e+308 is outside"},
      {"/caches/0/bytes", 512.5, "/caches/0/bytes: 512.5 is not a whole number"},
      {"/caches/0/ways", 0, "/caches/0/ways: 0 is outside"},
      {"/caches/0/ways", nullptr, "/caches/0/ways: missing"},
      {"/caches/0/line", 48, "/caches/0/line: 48 is not a power of two"},
      {"/caches/0/line", -64, "/caches/0/line: -64 is outside"},
      {"/caches/1/shared_by", 0, "/caches/1/shared_by: 0 is outside"},
      {"/caches/0/ways", 3, "/caches/0/ways: 3 ways"},
      {"/caches/0/bytes", 384, "/caches/0: 3 sets: the index"},
      {"/caches/1/bytes", 512, "/caches: level 2 is no larger"},
      {"/caches/1/line", 128, "/caches: lines of levels"},
      {"/core/vlen", nullptr, "/core/vlen"},
      {"/timing/issue/width/value", 0, "/timing/issue/width/value: 0 is outside"},
      {"/timing/issue/width/value", 1.5, "/timing/issue/width/value: 1.5 is not a whole number"},
      {"/timing/issue/width/value", "2", "/timing/issue/width/value: expected a number"},
      {"/timing/issue/vector_width/value", 4, "/timing/issue/vector_width/value: 4 vector"},
      {"/timing/issue/width/source", nullptr, "/timing/issue/width/source: missing"},
      {"/timing/issue/width/source", "", "/timing/issue/width/source: expected a reference"},
      {"/timing/issue/in_order_results", nullptr, "/timing/issue/in_order_results: missing"},
      {"/timing/issue/in_order_results/value", true,
       "/timing/issue/in_order_results/value: expected one of none, fp-and-vector, all, not true"},
      {"/timing/issue/in_order_results/value", "some", "fp-and-vector, all, not \"some\""},
      {"/timing/issue/in_order_results/value", std::string(100000, 'x'), "xxxxx..."},
      {"/timing/issue/colour", 1, "/timing/issue/colour: unknown member"},
      {"/timing/memory/l2_latency/value", 3,
       "/timing/memory/l2_latency/value: 3 cycles is no more than the 3"},
      {"/timing/memory/dram_latency/value", 20,
       "/timing/memory/dram_latency/value: 20 cycles is no more"},
      {"/timing/memory/page_bytes/value", 5000,
       "/timing/memory/page_bytes/value: 5000 is not a power"},
      {"/timing/memory/tlb_entries/value", 64, "/timing/memory/tlb_walk/value"},
      {"/timing/memory/tlb_entries/value", 100, "/timing/memory/tlb_entries/value: 100 is not a"},
      {"/timing/memory/l2_latency/value", 0, "/timing/memory/l2_latency/value: 0 is outside"},
      {"/timing/memory/dram_read_cycles/value", 0, "/timing/memory/dram_read_cycles/value: 0 is"},
      {"/timing/memory/dram_read_cycles/value", -3, "/timing/memory/dram_read_cycles/value: -3 is"},
      {"/timing/memory/dram_read_cycles/value", 1e308, "1e+308 is outside"},
      {"/timing/memory/dram_read_cycles/value", "NaN", "expected a number, not \"NaN\""},
      {"/timing/memory/miss_slots", 4, "/timing/memory/miss_slots: expected an object"},
      {"/timing/memory/miss_slots/value", 0, "/timing/memory/miss_slots/value: 0 is outside"},
      {"/timing/memory/miss_slots/unit", "lines", "/timing/memory/miss_slots/unit: unknown member"},
      {"/timing/memory/prefetch_crosses_page/value", 1, "expected true or false"},
      {"/timing/issue", Json::array(), "/timing/issue: expected an object"},
      {"/timing/issue/vl_granule",
       {{"value", 96}, {"source", "x"}},
       "/timing/issue/vl_granule/value: 96 bits do not divide /core/vlen, 256"},
      {"/timing/issue/width/value", -2, "/timing/issue/width/value: -2 is outside"},
      {"/timing/issue/width/value", 1e308, "/timing/issue/width/value: 1e+308 is outside"},
      {"/timing/issue/masked_factor/value", 0, "/timing/issue/masked_factor/value: 0 is outside"},
      {"/timing/issue/mispredict_penalty/value", -1, "-1 is outside"},
      {"/timing/units", Json::object(), "/timing/units: expected units by name"},
      {"/timing/units/integer/value", 0, "/timing/units/integer/value: 0 is outside"},
      {"/timing/memory/prefetch_streams/value", 4, "/timing/memory/prefetch_distance/value"},
      {"/timing/memory/miss_slots", nullptr, "/timing/memory/miss_slots: missing"},
      {"/timing/units/vector", nullptr, "\"vector\" is not one of /timing/units"},
      {"/timing/instructions/0/latency", 0, "/timing/instructions/0/latency: 0 cycles: \"divide\""},
      {"/timing/instructions/0/occupancy", 0, "/timing/instructions/0/occupancy"},
      {"/timing/instructions/0/latency", 1e308, "expected 0 .. 100000 cycles"},
      {"/timing/instructions/0/latency", "ten", "/timing/instructions/0/latency: expected"},
      {"/timing/instructions/0/latency", {1, 2, "x", 4}, "/latency/2: expected a number"},
      {"/timing/instructions/0/classes", "divide", "/timing/instructions/0/classes: expected"},
      {"/timing/instructions/0/classes/0", "unknown", "\"unknown\" is not an instruction class"},
      {"/timing/instructions/0/by_sew", {{"e24", Json::object()}}, "/by_sew/e24: unknown member"},
      {"/timing/instructions/0/by_sew", 3, "/timing/instructions/0/by_sew: expected an object"},
      {"/timing/instructions/0/occupancy_per_element", 1, "/latency: the row has occupancy_per"},
      {"/timing/instructions", "none", "/timing/instructions: expected an array"},
      {"/timing/instructions/0", 7, "/timing/instructions/0: expected an object"},
      {"/timing/instructions/0/occupancy",
       {1, 2, 4},
       "/timing/instructions/0/occupancy: expected a number or four"},
      {"/timing/instructions/0/occupancy",
       {4, 2, 4, 8},
       "/timing/instructions/0/occupancy/1: 2 is less than 4"},
      {"/timing/instructions/0/classes/0", "lode",
       "/timing/instructions/0/classes/0: \"lode\" is not"},
      {"/timing/instructions/0/classes/0", "store", "has a row already: /timing/instructions/0"},
      {"/timing/instructions/0", nullptr, "/timing/instructions: no row for class \"divide\""},
  };
  for (const auto& row : rows) {
    Json bad = good;
    const Json::json_pointer pointer(row.pointer);
    if (row.value.is_null()) {
      Json& parent = bad[pointer.parent_pointer()];
      if (parent.is_array())
        parent.erase(static_cast<std::size_t>(std::stoul(pointer.back())));
      else
        parent.erase(pointer.back());
    } else {
      bad[pointer] = row.value;
    }
    try {
      load_parameters(bad, "test.json");
      ADD_FAILURE() << row.pointer << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(error.what()).find(row.message), std::string::npos)
          << row.pointer << ": " << error.what();
    }
  }
}

TEST(Parameters, OfEveryBoardFileLoad) {
  for (const char* board : {"k230", "bpi-f3", "x280", "generic-256"}) {
    const auto file = std::string(QUERN_SOURCE_DIR) + "/boards/" + board + ".json";
    EXPECT_NO_THROW({
      const Parameters p = load_parameters(std::filesystem::path(file));
      EXPECT_EQ(p.board, board);
    }) << file;
  }
}

}  // namespace
}  // namespace quern::timing
