#include "boards/transports/snitch_rtl.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_file.h"
#include "base/process.h"
#include "boards/snitch/harness/elf_image.h"

namespace quern::boards {
namespace {

// A bare-metal machine has no files: only programs go there.
class BareMetalTransport : public Transport {
 public:
  explicit BareMetalTransport(std::string board) : board_(std::move(board)) {}

  std::string upload(const std::filesystem::path& file) override {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) throw bad_input("{}: no such file", file.string());
    return std::filesystem::absolute(file).string();
  }
  std::string scratch(std::string_view) override {
    throw bad_input("board {}: a bare-metal program writes no files", board_);
  }
  bool fetch(const std::string&, const std::filesystem::path&) override { return false; }

 protected:
  void check(const Program& program) {
    if (!program.arguments.empty() || !program.input.empty())
      throw bad_input("board {}: a bare-metal program takes no arguments and no input", board_);
    if (program.memory_limit)
      throw bad_input("board {}: a bare-metal program has the machine's memory, no limit", board_);
    upload(program.binary);
    // Here, as nobody knows what a simulator does with something else.
    (void)snitch::read_elf(program.binary);
  }
  // What the process said, but for how the program ended.
  static RunResult start(const std::vector<std::string>& command, const Program& program,
                         ProcessResult& process) {
    ProcessOptions options;
    options.time_limit = program.time_limit;
    options.environment = program.environment;
    process = run_process(command, options);
    RunResult result;
    result.command = shell_quoted(command);
    result.output = process.output;
    result.errors = process.errors;
    result.output_cut = process.output_cut;
    if (process.output_cut) result.errors += "quern: the output was longer; the rest was dropped\n";
    result.host_seconds = process.seconds;
    result.status = process.status;
    switch (process.end) {
      case ProcessEnd::timed_out:
        result.outcome = Outcome::timeout;
        result.reason = fmt::format("time limit of {} ms reached", program.time_limit->count());
        break;
      case ProcessEnd::interrupted:
        result.outcome = Outcome::interrupted;
        result.reason = "interrupted";
        break;
      case ProcessEnd::signalled:
        result.outcome = Outcome::unavailable;
        result.reason = fmt::format("the simulator died of signal {}", process.status);
        break;
      case ProcessEnd::exited:
        result.outcome = process.status == 0 ? Outcome::ok : Outcome::nonzero_exit;
        if (process.status != 0) result.reason = fmt::format("exit code {}", process.status);
        break;
    }
    return result;
  }

 private:
  std::string board_;
};

Outcome outcome_of(const std::string& end, int code) {
  if (end == "exited") return code == 0 ? Outcome::ok : Outcome::nonzero_exit;
  if (end == "illegal-instruction") return Outcome::illegal_instruction;
  if (end == "time-out") return Outcome::timeout;
  return Outcome::crash;  // misaligned, access, trapped, deadlock
}

// A file that is gone when the object is.
class ScratchFile {
 public:
  ScratchFile() {
    path_ = (std::filesystem::temp_directory_path() / "quern-snitch-XXXXXX").string();
    const int file = mkstemp(path_.data());
    if (file < 0)
      throw make_error(ExitCode::unavailable, "{}: cannot write there",
                       std::filesystem::temp_directory_path().string());
    close(file);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }
  bool empty() const {
    std::error_code error;
    const auto size = std::filesystem::file_size(path_, error);
    return error || size == 0;
  }

 private:
  std::string path_;
};

// A program of this host by name and content, since simulators rarely tell their version.
std::string name_and_content(const std::filesystem::path& program) {
  return fmt::format("{} {}", program.filename().string(), digest({read_file(program)}));
}

class VerilatorTransport : public BareMetalTransport {
 public:
  using BareMetalTransport::BareMetalTransport;

  std::string version(const std::set<std::string>&) const override {
    return name_and_content(QUERN_SNITCH_SIM);
  }

  RunResult run(const Program& program) override {
    check(program);
    const ScratchFile report;
    ProcessResult process;
    RunResult result = start({QUERN_SNITCH_SIM, "--report", report.path(), program.binary.string()},
                             program, process);
    if (process.end != ProcessEnd::exited) return result;
    if (report.empty()) {  // it could not begin: the message names the file
      std::string message = process.errors;
      while (message.ends_with('\n')) message.pop_back();
      if (process.status == static_cast<int>(ExitCode::bad_input)) throw bad_input("{}", message);
      result.outcome = Outcome::unavailable;
      result.reason = message;
      return result;
    }
    const Json document = read_json(report.path());
    result.status = document["exit"].get<int>();
    result.outcome = outcome_of(document["end"].get<std::string>(), result.status);
    if (result.outcome != Outcome::ok)
      result.reason =
          document["end"].get<std::string>() + ": " + document["message"].get<std::string>();
    result.cycles = document["cycles"].get<std::uint64_t>();
    result.instructions = document["instructions"].get<std::uint64_t>();
    return result;
  }
};

// The warm figure of the last line "RESULT <cold> <warm> <checksum>".
std::optional<std::uint64_t> reported_cycles(const std::string& output) {
  std::optional<std::uint64_t> cycles;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t cold = 0, warm = 0, checksum = 0;
    if (words >> word >> cold >> warm >> checksum && word == "RESULT") cycles = warm;
  }
  return cycles;
}

class SimulatorTransport : public BareMetalTransport {
 public:
  SimulatorTransport(const std::string& board, std::string simulator)
      : BareMetalTransport(board), simulator_(std::move(simulator)) {}

  std::string version(const std::set<std::string>&) const override {
    return name_and_content(simulator_);
  }

  RunResult run(const Program& program) override {
    check(program);
    ProcessResult process;
    RunResult result = start({simulator_, program.binary.string()}, program, process);
    result.cycles = reported_cycles(result.output);
    if (!result.cycles) {
      result.untimed =
          "no cycles: the program printed no line \"RESULT COLD WARM CHECKSUM\", and a simulator "
          "tells none";
    }
    if (result.outcome == Outcome::nonzero_exit)
      result.reason = fmt::format("the simulator ended with exit code {}", result.status);
    return result;
  }

 private:
  std::string simulator_;
};

}  // namespace

std::unique_ptr<Transport> make_verilator_transport(const Machine& machine) {
  return std::make_unique<VerilatorTransport>(machine.board);
}

std::unique_ptr<Transport> make_simulator_transport(const Machine& machine) {
  std::string simulator = machine.settings.value("simulator", "");
  if (simulator.empty()) {
    const char* variable = std::getenv("QUERN_SNITCH_SIMULATOR");
    if (variable != nullptr) simulator = variable;
  }
  if (simulator.empty())
    throw bad_input(
        "board {}: via simulator needs --simulator PATH (or QUERN_SNITCH_SIMULATOR): a program "
        "that "
        "takes the ELF file and ends when it writes tohost",
        machine.board);
  const auto found = find_program(simulator);
  if (!found)
    throw make_error(ExitCode::unavailable, "board {}: no simulator {}", machine.board, simulator);
  return std::make_unique<SimulatorTransport>(machine.board, found->string());
}

}  // namespace quern::boards
