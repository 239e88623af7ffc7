// A board: one machine, described by a JSON file (boards/<name>.json, schema
// boards/board.schema.json).
//
//     boards/bpi-f3.json --parse--> schema --check--> Board --> generator (Target), transports,
//     blocking model
//
// The file holds facts with their sources; this type holds what the rest of the product asks for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json_file.h"
#include "generator/core/emitter.h"

namespace quern::boards {

struct Cache {
  int level = 1;
  std::int64_t bytes = 0;
  int ways = 0;
  int line = 64;      // bytes
  int shared_by = 1;  // cores
  std::int64_t sets() const { return bytes / (static_cast<std::int64_t>(ways) * line); }
};

struct Board {
  std::string name;
  std::string description;
  std::string kind;  // emitter family: "rvv", "snitch"
  std::string core;  // "SpacemiT X60"
  std::string isa;   // -march string
  std::set<std::string>
      extensions;  // single letters and z-names of `isa`, "g" and "zvl*b" spelled out
  int vlen = 0;    // bits; 0: no vector unit
  double vector_fma_per_cycle = 0;  // LMUL 1 vfmacc a cycle
  double clock_hz = 0;
  int cores = 1;
  std::vector<Cache> caches;  // from the core outwards
  std::string compiler;
  std::vector<std::string> compiler_flags;
  std::string via;
  generator::Costs costs;  // from the timing tables
  std::filesystem::path file;
  Json document;  // the whole file, for `board show` and rooms with a block of their own

  // What a generated kernel may rely on here.
  generator::Target target() const { return {vlen, extensions, costs}; }
  // Peak GFLOPS of one core for elements of `element_bits`; 0 without a vector unit.
  double peak_gflops(int element_bits) const;
};

// The files that describe boards: boards/*.json but the schemas, sorted.
std::vector<std::filesystem::path> board_files(const std::filesystem::path& root);

// Loads `name` (a board's name, or a path to a board file if it ends in ".json").
// Throws bad_input: unknown name (lists the known ones), syntax error with line, schema violation
// or contradiction with JSON pointer.
Board load_board(const std::filesystem::path& root, const std::string& name);

// "rv64gcv_zvl256b" -> {i,m,a,f,d,c,v,zvl256b,...}: every extension that the string names or
// implies in the ways that matter here ("g" = imafd + zicsr + zifencei; "v" = zve64d + zvl128b).
std::set<std::string> isa_extensions(const std::string& isa);

}  // namespace quern::boards
