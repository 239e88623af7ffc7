// quern predict: cycles of one kernel's inner loop, from its object code and the timing model.
#include <fmt/core.h>

#include "bench/kernel_program.h"
#include "boards/timing/code_quality.h"
#include "boards/toolchain/compiler.h"
#include "cli/commands.h"
#include "cli/point_options.h"

namespace quern::cli {
namespace {

Json spills_json(const timing::Spills& spills) {
  return {{"vector_loads", spills.vector_loads},
          {"vector_stores", spills.vector_stores},
          {"scalar_loads", spills.scalar_loads},
          {"scalar_stores", spills.scalar_stores}};
}

ExitCode run(const Context& context, const PointOptions& options) {
  const auto board = boards::load_board(context.root, options.board);
  const auto& emitter = generator::emitter(board.kind);
  const auto point = point_of(options, board);
  const auto kernel = emitter.emit(point, board.target());
  const auto parameters = timing::load_parameters(board.document, board.file.string());

  const boards::Compiler compiler(board, context.root, context.build);
  const auto object = compiler.compile({"kernel" + kernel.extension, kernel.source});
  if (!object.good)
    throw make_error(ExitCode::check_failed, "{} does not compile:\n{}", kernel.id, object.log);
  const auto file = timing::read_elf(object.file);
  const auto* function = file.find(kernel.symbol);
  if (!function)
    throw make_error(ExitCode::check_failed, "{} is not in {}", kernel.symbol,
                     object.file.string());
  const int fmas_per_k = bench::fmas_per_k(point);
  const auto quality = timing::code_quality(parameters, file, *function, fmas_per_k);
  const timing::Prediction& prediction = quality.prediction;
  if (!prediction.has_loop)
    throw make_error(ExitCode::check_failed,
                     "{}: no loop with vector multiply-accumulates was found", kernel.id);
  const int k_steps = quality.k_per_iteration;
  if (k_steps == 0)
    throw make_error(
        ExitCode::check_failed,
        "{}: {} multiply-accumulates in the inner loop, but {} a step of k were expected",
        kernel.id, prediction.vector_fmas, fmas_per_k);
  const double cycles_per_k = quality.cycles_per_k;
  const double gflops = generator::info(point.dtype).operations() * 1.0 * point.m_r * point.n_r /
                        cycles_per_k * board.clock_hz / 1e9;
  const double peak = board.peak_gflops(generator::info(point.dtype).sum_bits);
  const std::string poor = timing::poor_code(quality);

  if (context.json) {
    Json stalls = Json::object();
    for (std::size_t i = 0; i < timing::stall_count; ++i)
      if (prediction.stalls[i] > 0)
        stalls[std::string(timing::stall_names[i])] = prediction.stalls[i] / k_steps;
    context.print_json("quern.predict.v1",
                       {{"id", kernel.id},
                        {"board", board.name},
                        {"timing", "modelled"},
                        {"cycles_per_k", cycles_per_k},
                        {"gflops", gflops},
                        {"peak_fraction", peak > 0 ? Json(gflops / peak) : Json(nullptr)},
                        {"bound_by", prediction.bound_by},
                        {"spills", prediction.spills.total()},
                        {"spill_kinds", spills_json(prediction.spills)},
                        {"k_per_iteration", k_steps},
                        {"fmas_per_k", fmas_per_k},
                        {"instructions_per_fma", quality.instructions_per_fma},
                        {"vsetvl_per_k", quality.vsetvl_per_k},
                        {"loop_alignment", quality.loop_alignment},
                        {"poor", poor},
                        {"instructions_per_k", quality.instructions_per_k},
                        {"issue_bound", prediction.issue_bound / k_steps},
                        {"resource_bound", prediction.resource_bound / k_steps},
                        {"busiest_unit", prediction.busiest_unit},
                        {"recurrence_bound", prediction.recurrence_bound / k_steps},
                        {"recurrence", prediction.recurrence},
                        {"stalls_per_k", stalls},
                        {"unknown_instructions", prediction.unknown}});
    return ExitCode::good;
  }
  fmt::print("{} on {}: {:.2f} cycles per k, {:.2f} GFLOPS (modelled, operands in L1)\n", kernel.id,
             board.name, cycles_per_k, gflops);
  if (!poor.empty()) fmt::print("  poor code    {}\n", poor);
  fmt::print("  bound by     {}\n", prediction.bound_by);
  fmt::print("  lower bounds {:.2f} issue, {:.2f} unit {}, {:.2f} recurrence\n",
             prediction.issue_bound / k_steps, prediction.resource_bound / k_steps,
             prediction.busiest_unit, prediction.recurrence_bound / k_steps);
  if (!prediction.recurrence.empty()) fmt::print("  recurrence   {}\n", prediction.recurrence);
  fmt::print("  loop         {} k steps: {} multiply-accumulates, {} vsetvl, {} instructions\n",
             k_steps, prediction.vector_fmas, prediction.vector_configures,
             prediction.instructions);
  fmt::print(
      "  quality      {:.2f} instructions per multiply-accumulate, {:.2f} vsetvl per k, {} spills, "
      "loop aligned to {} bytes\n",
      quality.instructions_per_fma, quality.vsetvl_per_k, quality.spills(), quality.loop_alignment);
  for (std::size_t i = 0; i < timing::stall_count; ++i)
    if (prediction.stalls[i] > 0)
      fmt::print("  stalls       {:.2f} per k on {}\n", prediction.stalls[i] / k_steps,
                 timing::stall_names[i]);
  for (const auto& unknown : prediction.unknown) fmt::print("  unknown      {}\n", unknown);
  return ExitCode::good;
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  auto options = std::make_shared<PointOptions>();
  auto* command =
      add_subcommand(app, context, "predict",
                     "Predict cycles of one micro-kernel's inner loop from its object code",
                     "quern predict --board bpi-f3 --dtype f32 --mr 16 --nr 15",
                     [options, &context] { return run(context, *options); });
  add_point_options(*command, *options, Tiles::one);
}

}  // namespace quern::cli
