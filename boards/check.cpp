#include "boards/check.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "boards/toolchain/compiler.h"

namespace quern::boards {

namespace {

// Boards without an operating system have no files to send or fetch: a program is assembled with
// their runtime and run.
std::vector<CheckStep> check_bare_metal(Session& session, const std::filesystem::path& root,
                                        const std::filesystem::path& build) {
  const auto runtime = root / "boards" / session.board().kind / "runtime";
  const auto program = build / "check" / (session.board().name + "-probe.elf");
  std::filesystem::create_directories(program.parent_path());
  ProcessOptions options;
  options.merge_stderr = true;
  options.time_limit = std::chrono::minutes(1);
  const auto compiled =
      run_process({session.board().compiler, "-march=" + session.board().isa, "-mabi=ilp32d",
                   "-nostdlib", "-nostartfiles", "-static", "-Wl,--no-relax", "-T",
                   (runtime / "link.ld").string(), (runtime / "crt0.S").string(),
                   (root / "boards/probe/probe_bare_metal.S").string(), "-o", program.string()},
                  options);
  std::vector<CheckStep> steps = {
      {"compile", compiled.good(), compiled.good() ? session.board().compiler : compiled.output}};
  if (!compiled.good()) return steps;
  Program run{program};
  run.time_limit = std::chrono::minutes(1);
  const TimedRun timed = session.run(run);
  const bool ran = timed.result.outcome == Outcome::ok;
  steps.push_back({"run", ran, ran ? "exit 0" : timed.result.reason + " " + timed.result.errors});
  if (!ran) return steps;
  const bool counted = timed.cycles && *timed.cycles > 0;
  steps.push_back({"timing", counted,
                   counted
                       ? fmt::format("{} cycles ({})", *timed.cycles, to_string(session.timing()))
                       : "the transport counts no cycles"});
  return steps;
}

}  // namespace

std::vector<CheckStep> check_board(Session& session, const std::filesystem::path& root,
                                   const std::filesystem::path& build) {
  if (session.board().vlen == 0) {
    return check_bare_metal(session, root, build);
  }
  std::vector<CheckStep> steps;
  const auto add = [&](const std::string& name, bool good, const std::string& found) {
    steps.push_back({name, good, found});
    return good;
  };
  const Compiler compiler(session.board(), root, build);
  const auto object =
      compiler.compile(Unit{"probe.c", read_file(root / "boards/probe/probe.c"), {}});
  if (!add("compile", object.good, object.good ? compiler.version() : object.log)) return steps;
  const auto program = compiler.link("probe", {object.file});
  if (!program.good) {
    add("link", false, program.log);
    return steps;
  }
  // A file with every byte value, so that a transport which treats text specially is found out.
  std::string bytes;
  for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i);
  const auto folder = build / "check";
  write_file(folder / "input.bin", bytes);
  Transport& transport = session.transport();
  const std::string input = transport.upload(folder / "input.bin");
  const std::string output = transport.scratch("output.bin");
  add("upload", true, fmt::format("{} bytes", bytes.size()));

  Program run{program.file, {input, output}};
  run.time_limit = std::chrono::seconds(60);
  const TimedRun timed = session.run(run);
  const bool ran = timed.result.outcome == Outcome::ok;
  if (!add("run", ran, ran ? "exit 0" : timed.result.reason + " " + timed.result.errors))
    return steps;

  bool fetched = transport.fetch(output, folder / "output.bin");
  if (fetched) {
    std::string back = read_file(folder / "output.bin");
    for (char& c : back) c = static_cast<char>(c ^ 0xff);
    fetched = back == bytes;
  }
  add("fetch", fetched, fetched ? "the same bytes" : "other bytes than were sent, or none");

  const Json line = Json::parse(timed.result.output, nullptr, false);
  const int vlen = line.is_object() ? line.value("vlen", 0) : 0;
  add("vlen", vlen == session.board().vlen,
      fmt::format("{} bits, the board file says {}", vlen, session.board().vlen));
  if (session.timing() == Timing::modelled) {
    const bool counted = timed.cycles && *timed.cycles > 0;
    add("timing", counted,
        counted ? fmt::format("{} cycles (modelled)", *timed.cycles) : "no figures from the model");
  } else {
    const long clock = line.is_object() ? line.value("clock_ns", 0L) : 0;
    add("timing", clock > 0 && clock <= 1000, fmt::format("clock resolution {} ns", clock));
  }
  return steps;
}

}  // namespace quern::boards
