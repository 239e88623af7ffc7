#include "boards/validation/validate.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "boards/session.h"
#include "boards/toolchain/compiler.h"

namespace quern::boards {
namespace {

constexpr double isolated_goal = 0.10, gemm_goal = 0.20;

struct Layer {
  const char* name;
  int m, n, k;
};
// BERT-Large, sequence 384 (results/published/gemm-f32.json); B1..B5 in the paper's file order.
constexpr Layer bert[] = {{"B1", 1024, 384, 1024},
                          {"B2", 384, 384, 64},
                          {"B3", 64, 384, 384},
                          {"B4", 4096, 384, 1024},
                          {"B5", 1024, 384, 4096}};

class Runner {
 public:
  Runner(const Board& board, const std::filesystem::path& root, const std::filesystem::path& build)
      : board_(board), root_(root), build_(build), session_(board, "qemu") {}

  double gflops(int m_r, int n_r, const std::vector<std::string>& arguments) {
    Program run;
    run.binary = program(m_r, n_r);
    run.arguments = arguments;
    run.environment = {{"OPENBLAS_NUM_THREADS", "1"}};
    run.time_limit = std::chrono::minutes(20);
    const RunResult result = session_.run(run).result;
    if (result.outcome != Outcome::ok)
      throw make_error(
          result.outcome == Outcome::interrupted ? ExitCode::interrupted : ExitCode::check_failed,
          "validation {}: {}: {}", fmt::join(arguments, " "), to_string(result.outcome),
          result.reason);
    return parse_json(result.output, "validation program")["gflops"];
  }

 private:
  std::filesystem::path program(int m_r, int n_r) {
    auto& known = programs_[{m_r, n_r}];
    if (!known.empty()) return known;
    Board board = board_;
    board.compiler_flags = {"-O3", fmt::format("-mrvv-vector-bits={}", board.vlen)};
    const Compiler compiler(board, root_, build_);
    const std::string text = fmt::format(
        "#define VALIDATION_VLEN {}\n#define VALIDATION_M_R {}\n#define VALIDATION_N_R {}\n"
        "#include \"boards/validation/naive_gemm.h\"\n"
        "int main(int argc, char** argv) {{ return quern::validation::main_of(argc, argv); }}\n",
        board.vlen, m_r, n_r);
    const Compiled object = compiler.compile(Unit{"validation.cpp", text});
    if (!object.good)
      throw make_error(ExitCode::check_failed, "the validation program does not compile:\n{}",
                       object.log);
    const Compiled linked = compiler.link("validation", {object.file}, {"-lopenblas"});
    if (!linked.good)
      throw make_error(ExitCode::check_failed, "the validation program does not link:\n{}",
                       linked.log);
    return known = linked.file;
  }

  Board board_;
  std::filesystem::path root_, build_;
  Session session_;
  std::map<std::pair<int, int>, std::filesystem::path> programs_;
};

// The text for the first entry of the board whose `row` begins the row's name and whose direction
// is the row's.
std::string cause_of(const Json& causes, const std::string& board, const ValidationRow& row) {
  for (const Json& entry : causes["causes"])
    if (entry["board"] == board && row.what.starts_with(entry["row"].get<std::string>()) &&
        (row.error > 0) == (entry["model"] == "faster"))
      return entry["cause"];
  return "not known";
}

}  // namespace

double range_error(double modelled, double low, double high) {
  if (modelled < low) return modelled / low - 1;
  if (modelled > high) return modelled / high - 1;
  return 0;
}

std::vector<ValidationRow> validate_model(const Board& board, const std::filesystem::path& root,
                                          const std::filesystem::path& build,
                                          const ValidationOptions& options) {
  const Json published = read_json(root / "results" / "published" / "gemm-f32.json");
  if (!published["boards"].contains(board.name)) {
    std::vector<std::string> known;
    for (const auto& [name, value] : published["boards"].items()) known.push_back(name);
    throw bad_input("no published figures for board {}; there are some for {}", board.name,
                    fmt::join(known, ", "));
  }
  const Json& figures = published["boards"][board.name];
  const Json causes = read_json(root / "boards" / "validation" / "causes.json");
  Runner runner(board, root, build);
  std::vector<ValidationRow> rows;
  const auto add = [&](const std::string& what, double low, double high, double modelled,
                       double goal) {
    ValidationRow row{what, low, high, modelled, range_error(modelled, low, high), goal, ""};
    if (!row.met()) row.cause = cause_of(causes, board.name, row);
    rows.push_back(row);
  };

  const Json& isolated = figures["isolated"];
  const int m_r = isolated["m_r"], n_r = isolated["n_r"];
  options.say(fmt::format("isolated {}x{}", m_r, n_r));
  const double peak = isolated["gflops"];
  add(fmt::format("isolated {}x{}, K = 256", m_r, n_r), peak, peak,
      runner.gflops(m_r, n_r, {"isolated", "256"}), isolated_goal);

  const auto tile_of = [](const Json& tile) {
    return std::pair{tile["m_r"].get<int>(), tile["n_r"].get<int>()};
  };
  const std::pair square_tile = tile_of(figures["tile"]);
  std::vector<std::pair<int, int>> bert_tiles;
  for (const Json& tile : figures["bert_tiles"]) bert_tiles.push_back(tile_of(tile));
  for (const bool peer : {false, true}) {
    const std::string name = peer ? "OpenBLAS" : "published GEMM";
    const auto run = [&](std::pair<int, int> tile, int m, int n, int k) {
      options.say(peer ? fmt::format("OpenBLAS {}x{}x{}", m, n, k)
                       : fmt::format("tile {}x{}, {}x{}x{}", tile.first, tile.second, m, n, k));
      return runner.gflops(
          tile.first, tile.second,
          {peer ? "openblas" : "naive", std::to_string(m), std::to_string(n), std::to_string(k)});
    };
    // As published: the best tile for each layer.
    const auto layer_gflops = [&](const Layer& layer) {
      if (peer) return run(square_tile, layer.m, layer.n, layer.k);
      double best = 0;
      for (const auto& tile : bert_tiles)
        best = std::max(best, run(tile, layer.m, layer.n, layer.k));
      return best;
    };
    const Json& layers = figures[peer ? "bert_openblas" : "bert"];
    double low = 1e300, high = 0;
    for (const Layer& layer : bert) {
      if (options.quick && layer.k > 500) continue;
      const double modelled = layer_gflops(layer);
      low = std::min(low, modelled);
      high = std::max(high, modelled);
      const bool own_figure = layers.contains(layer.name);
      add(fmt::format("{}, BERT-Large {} {}x{}x{}", name, layer.name, layer.m, layer.n, layer.k),
          layers[own_figure ? layer.name : "min"], layers[own_figure ? layer.name : "max"],
          modelled, gemm_goal);
    }
    if (options.quick) continue;
    add(name + ", BERT-Large lowest", layers["min"], layers["min"], low, gemm_goal);
    add(name + ", BERT-Large highest", layers["max"], layers["max"], high, gemm_goal);
    const Json& square = figures[peer ? "square_openblas" : "square"];
    const std::string tile =
        peer ? "" : fmt::format(" {}x{}", square_tile.first, square_tile.second);
    add(fmt::format("{}{}, square 1000", name, tile), square["min"], square["max"],
        run(square_tile, 1000, 1000, 1000), gemm_goal);
  }
  return rows;
}

}  // namespace quern::boards
