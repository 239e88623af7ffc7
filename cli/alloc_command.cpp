// quern alloc: addresses for buffers with known lifetimes.
#include <fmt/core.h>

#include <optional>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/commands.h"
#include "planner/allocation/csv.h"
#include "planner/allocation/solve.h"
#include "planner/allocation/verify.h"

namespace quern::cli {
namespace {

using namespace planner::allocation;

struct AllocOptions {
  std::string problem;
  std::optional<std::int64_t> capacity;
  std::string output;
  bool minimize = false, check = false;
  std::optional<double> time_limit;
  std::uint64_t seed = 1;
};

// A prescribed address range outside the memory is a mistake in the file, not a hard problem.
void check_fixed(const ProblemFile& file, std::int64_t capacity) {
  for (std::size_t b = 0; b < file.problem.buffers.size(); ++b) {
    const Buffer& buffer = file.problem.buffers[b];
    if (buffer.offset && *buffer.offset > capacity - buffer.size) {
      throw bad_input("{}:{}: buffer '{}': offset {} and size {} leave the capacity {}", file.name,
                      file.lines[b], buffer.id, *buffer.offset, buffer.size, capacity);
    }
  }
}

ExitCode check_solution(const AllocOptions& options, const ProblemFile& file, Context& context) {
  Solution solution;
  for (std::size_t b = 0; b < file.problem.buffers.size(); ++b) {
    const Buffer& buffer = file.problem.buffers[b];
    if (!buffer.offset) {
      throw bad_input("{}:{}: buffer '{}' has no offset to check", file.name, file.lines[b],
                      buffer.id);
    }
    solution.offsets.push_back(*buffer.offset);
  }
  const std::int64_t top = height(file.problem, solution);
  const auto wrong = verify(file.problem, solution, options.capacity.value_or(top));
  if (context.json) {
    context.print_json("quern.alloc.v1", {{"problem", file.name},
                                          {"buffers", file.problem.buffers.size()},
                                          {"valid", !wrong},
                                          {"reason", wrong.value_or("")},
                                          {"height", top}});
  } else if (!wrong) {
    fmt::print("valid: {} buffers, height {}\n", file.problem.buffers.size(), top);
  }
  if (wrong) context.say(fmt::format("{}: {}", file.name, *wrong));
  return wrong ? ExitCode::check_failed : ExitCode::good;
}

// What solve() and minimize() have in common.
struct Answer {
  Verdict verdict;
  bool proven;  // feasible: nothing better exists, or nothing better was asked for
  Solution solution;
  std::int64_t height, lower_bound, nodes;
  double seconds;
  std::string reason;
};

Answer answer(const AllocOptions& options, const Problem& problem) {
  const InterruptGuard guard;
  Budget budget;
  budget.seed = options.seed;
  budget.stop = interrupted;
  if (options.time_limit) budget.seconds = *options.time_limit;
  if (options.minimize) {
    Minimum m = minimize(problem, budget, options.capacity.value_or(largest_value));
    return {m.verdict, m.optimal, std::move(m.solution), m.height, m.lower_bound,
            m.nodes,   m.seconds, std::move(m.reason)};
  }
  Outcome o = solve(problem, *options.capacity, budget);
  return {o.verdict,
          o.verdict == Verdict::feasible,
          std::move(o.solution),
          o.height,
          o.lower_bound,
          o.nodes,
          o.seconds,
          std::move(o.reason)};
}

// How far the height can be above the smallest, as a share of what is proven.
double gap(const Answer& a) {
  if (a.height == a.lower_bound || a.lower_bound <= 0) return 0;
  return static_cast<double>(a.height - a.lower_bound) / static_cast<double>(a.lower_bound);
}

void print(const AllocOptions& options, const ProblemFile& file, const Answer& a,
           Context& context) {
  const char* verdict = a.verdict == Verdict::feasible     ? "feasible"
                        : a.verdict == Verdict::infeasible ? "infeasible"
                                                           : "undecided";
  if (context.json) {
    Json body = {{"problem", file.name},         {"buffers", file.problem.buffers.size()},
                 {"verdict", verdict},           {"feasible", a.verdict == Verdict::feasible},
                 {"lower_bound", a.lower_bound}, {"nodes", a.nodes},
                 {"seconds", a.seconds},         {"timing", "measured"},
                 {"reason", a.reason},           {"output", options.output}};
    body["height"] = a.verdict == Verdict::feasible ? Json(a.height) : Json();
    body["capacity"] = options.capacity ? Json(*options.capacity) : Json();
    if (options.minimize) {
      body["optimal"] = a.verdict == Verdict::feasible && a.proven;
      body["gap"] = a.verdict == Verdict::feasible ? Json(gap(a)) : Json();
    }
    Json offsets = Json::array();
    for (std::size_t b = 0; b < a.solution.offsets.size(); ++b) {
      offsets.push_back({{"id", file.problem.buffers[b].id}, {"offset", a.solution.offsets[b]}});
    }
    body["offsets"] = std::move(offsets);
    context.print_json("quern.alloc.v1", body);
    return;
  }
  std::string text = verdict;
  text += fmt::format(": {} buffers", file.problem.buffers.size());
  if (a.verdict == Verdict::feasible) {
    text += fmt::format(", height {}", a.height);
    if (!options.minimize) {
      text += fmt::format(" of {}", *options.capacity);
    } else if (a.proven) {
      text += " (proven smallest)";
    } else {
      text += fmt::format(" (proven: not below {}, so {:.1f} % above the smallest at most)",
                          a.lower_bound, 100 * gap(a));
    }
  }
  text += fmt::format(", {} nodes, {:.3f} s measured\n", a.nodes, a.seconds);
  // With the solution on stdout the summary goes to stderr.
  if (options.output == "-") {
    print_stderr(text);
  } else {
    fmt::print("{}", text);
  }
}

ExitCode run(const AllocOptions& options, Context& context) {
  if (!options.capacity && !options.minimize && !options.check) {
    throw bad_input("give --capacity N, or --minimize for the smallest one");
  }
  if (options.output == "-" && context.json) {
    throw bad_input("-o - and --json both want stdout");
  }
  const ProblemFile file = read_problem(options.problem);
  if (options.check) return check_solution(options, file, context);
  if (options.capacity) check_fixed(file, *options.capacity);

  const Answer a = answer(options, file.problem);
  if (a.verdict == Verdict::feasible && !options.output.empty()) {
    const std::string csv = solution_csv(file, a.solution);
    if (options.output == "-") {
      fmt::print("{}", csv);
    } else {
      write_file(options.output, csv);
    }
  }
  print(options, file, a, context);
  if (a.verdict == Verdict::infeasible) {
    context.say(fmt::format("{}: infeasible: {}", file.name, a.reason));
    return ExitCode::nothing_valid;
  }
  if (a.proven) return ExitCode::good;
  const bool by_user = interrupted();
  context.say(fmt::format("{}: {} before {}", file.name, by_user ? "interrupted" : "time ended",
                          a.verdict == Verdict::feasible
                              ? "the height was proven the smallest; the best one is kept"
                              : "it was decided"));
  return by_user ? ExitCode::interrupted : ExitCode::budget_ended;
}

}  // namespace

void add_alloc(CLI::App& app, Context& context) {
  auto options = std::make_shared<AllocOptions>();
  auto* command = add_subcommand(app, context, "alloc",
                                 "Give buffers with known lifetimes addresses in a memory",
                                 "quern alloc problem.csv --capacity 1048576 -o solution.csv\n"
                                 "  quern alloc problem.csv --minimize --time-limit 60\n"
                                 "  quern alloc solution.csv --check --capacity 1048576",
                                 [options, &context] { return run(*options, context); });
  command
      ->add_option("problem", options->problem,
                   "CSV: id,lower,upper,size[,alignment,gaps,offset,hint] (MiniMalloc's format)")
      ->required();
  command->add_option("--capacity", options->capacity, "Size of the memory; exit 3 if none fits")
      ->check(CLI::Range(std::int64_t{1}, largest_value));
  command->add_option("-o,--output", options->output,
                      "Write the input with its offset column filled in; - for stdout");
  auto* minimize = command->add_flag("--minimize", options->minimize,
                                     "Find the smallest capacity (at most --capacity)");
  command
      ->add_flag("--check", options->check,
                 "Judge the offset column of the file instead; exit 1 if wrong")
      ->excludes(minimize);
  command->add_option("--time-limit", options->time_limit, "Seconds; exit 124 with the best so far")
      ->check(time_limit);
  command->add_option("--seed", options->seed, "Of the orders tried on restarts")
      ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
      ->capture_default_str();
}

}  // namespace quern::cli
