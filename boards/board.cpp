#include "boards/board.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "boards/schedule_costs.h"
#include "boards/timing/parameters.h"

namespace quern::boards {
namespace {

// What the schema cannot say: values that contradict each other.
void check_consistency(const Board& board) {
  const auto fail = [&](const std::string& pointer, const std::string& what) {
    throw bad_input("{}: {}: {}", board.file.string(), pointer, what);
  };
  if (board.kind == "rvv" && board.vlen == 0) fail("/core/vlen", "missing, kind \"rvv\" needs it");
  if (board.kind == "rvv" && board.vector_fma_per_cycle == 0) {
    fail("/core/vector_fma_per_cycle", "missing, kind \"rvv\" needs it");
  }
  if (board.kind == "rvv" && !board.extensions.contains("v")) {
    fail("/core/isa", fmt::format("\"{}\" has no V extension, kind \"rvv\" needs it", board.isa));
  }
  for (const auto& extension : board.extensions) {
    if (extension.starts_with("zvl") && extension.ends_with("b")) {
      const int bits = std::atoi(extension.c_str() + 3);
      if (bits > board.vlen) {
        fail("/core/vlen",
             fmt::format("{} is smaller than {} in \"{}\"", board.vlen, extension, board.isa));
      }
    }
  }
  for (std::size_t i = 0; i < board.caches.size(); ++i) {
    const Cache& cache = board.caches[i];
    const auto pointer = fmt::format("/caches/{}", i);
    const std::int64_t way_line = static_cast<std::int64_t>(cache.ways) * cache.line;
    if (cache.bytes % way_line != 0) {
      fail(pointer + "/ways", fmt::format("{} ways of {}-byte lines do not divide {} bytes",
                                          cache.ways, cache.line, cache.bytes));
    }
    if (cache.shared_by > board.cores) {
      fail(pointer + "/shared_by",
           fmt::format("{} is more than the {} cores", cache.shared_by, board.cores));
    }
    if (i > 0 && cache.level <= board.caches[i - 1].level) {
      fail(pointer + "/level", "caches must be listed from the core outwards");
    }
  }
}

// The schema of the timing block, for a whole board file.
Json timing_schema(const std::filesystem::path& root) {
  Json block = read_json(root / "boards" / "timing" / "timing.schema.json");
  Json definitions = block["definitions"];
  block.erase("definitions");
  return {{"definitions", definitions}, {"properties", {{"timing", block}}}};
}

Board parse_board(const std::filesystem::path& root, const std::filesystem::path& file) {
  Board board;
  board.file = file;
  board.document = read_json(file);
  validate_json(board.document, read_json(root / "boards" / "board.schema.json"), file.string());
  const Json& j = board.document;
  board.name = j["name"];
  board.description = j["description"];
  board.kind = j["kind"];
  board.core = j["core"]["name"];
  board.isa = j["core"]["isa"];
  board.extensions = isa_extensions(board.isa);
  board.vlen = j["core"].value("vlen", 0);
  board.vector_fma_per_cycle = j["core"].value("vector_fma_per_cycle", 0.0);
  board.clock_hz = j["core"]["clock_hz"];
  board.cores = j["core"]["cores"];
  for (const Json& cache : j.value("caches", Json::array())) {
    board.caches.push_back(
        {cache["level"], cache["bytes"], cache["ways"], cache["line"], cache["shared_by"]});
  }
  board.compiler = j["toolchain"]["compiler"];
  board.compiler_flags = j["toolchain"]["flags"].get<std::vector<std::string>>();
  board.via = j["via"];
  check_consistency(board);
  if (j.contains("timing")) {
    board.costs = schedule_costs(timing::load_parameters(j, file.string()));  // or JSON pointer
    validate_json(j, timing_schema(root), file.string());
  }
  return board;
}

}  // namespace

double Board::peak_gflops(int element_bits) const {
  return 2.0 * vlen / element_bits * vector_fma_per_cycle * clock_hz / 1e9;
}

std::set<std::string> isa_extensions(const std::string& isa) {
  std::set<std::string> out;
  std::size_t at = 4;  // behind "rv64"
  for (; at < isa.size() && isa[at] != '_'; ++at) {
    if (isa[at] == 'z') break;  // "rv64gzvl..." is not legal but harmless
    out.insert(std::string(1, isa[at]));
  }
  while (at < isa.size()) {
    if (isa[at] == '_') ++at;
    const auto end = std::min(isa.find('_', at), isa.size());
    if (end > at) out.insert(isa.substr(at, end - at));
    at = end;
  }
  if (out.contains("g")) out.insert({"i", "m", "a", "f", "d", "zicsr", "zifencei"});
  if (out.contains("v")) out.insert({"zve64d", "zvl128b"});
  if (out.contains("zvfh")) out.insert("zvfhmin");
  return out;
}

std::vector<std::filesystem::path> board_files(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root / "boards", error)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".schema.json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Board load_board(const std::filesystem::path& root, const std::string& name) {
  if (name.ends_with(".json")) return parse_board(root, name);
  const auto files = board_files(root);
  std::vector<std::string> known;
  for (const auto& file : files) {
    if (file.stem() == name) return parse_board(root, file);
    known.push_back(file.stem());
  }
  throw bad_input("unknown board \"{}\": expected one of {}, or a path to a board file (.json)",
                  name, fmt::join(known, ", "));
}

}  // namespace quern::boards
