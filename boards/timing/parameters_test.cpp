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

// Each change contradicts something; the message must hold the pointer.
TEST(Parameters, RejectContradictions) {
  const Json good = test_board_json();
  const struct {
    const char* pointer;  // where the change is made
    Json value;           // null: the member is removed
    const char* message;
  } rows[] = {
      {"/caches/0/ways", 3, "/caches/0/ways: 3 ways"},
      {"/caches/0/bytes", 384, "/caches/0: 3 sets"},
      {"/caches/1/bytes", 512, "/caches: level 2 is no larger"},
      {"/caches/1/line", 128, "/caches: lines of levels"},
      {"/core/vlen", nullptr, "/core/vlen"},
      {"/timing/issue/width/value", 0, "/timing/issue/width/value: 0 is outside"},
      {"/timing/issue/width/value", 1.5, "/timing/issue/width/value: 1.5 is not a whole number"},
      {"/timing/issue/width/value", "2", "/timing/issue/width/value: expected a number"},
      {"/timing/issue/vector_width/value", 4, "/timing/issue/vector_width/value: 4 vector"},
      {"/timing/issue/width/source", nullptr, "/timing/issue/width/source: missing"},
      {"/timing/issue/width/source", "", "/timing/issue/width/source: expected a reference"},
      {"/timing/issue/colour", 1, "/timing/issue/colour: unknown member"},
      {"/timing/memory/l2_latency/value", 3,
       "/timing/memory/l2_latency/value: 3 cycles is no more than the 3"},
      {"/timing/memory/dram_latency/value", 20,
       "/timing/memory/dram_latency/value: 20 cycles is no more"},
      {"/timing/memory/page_bytes/value", 5000,
       "/timing/memory/page_bytes/value: 5000 is not a power"},
      {"/timing/memory/tlb_entries/value", 64, "/timing/memory/tlb_walk/value"},
      {"/timing/memory/prefetch_streams/value", 4, "/timing/memory/prefetch_distance/value"},
      {"/timing/memory/miss_slots", nullptr, "/timing/memory/miss_slots: missing"},
      {"/timing/units/vector", nullptr, "\"vector\" is not one of /timing/units"},
      {"/timing/instructions/0/latency", 0, "/timing/instructions/0/latency: 0 cycles: \"divide\""},
      {"/timing/instructions/0/occupancy", 0, "/timing/instructions/0/occupancy"},
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
