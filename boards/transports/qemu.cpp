#include "boards/transports/qemu.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "boards/transports/elf_header.h"

namespace quern::boards {
namespace {

// Address space that QEMU itself takes: 128 MB of translation buffer, as much again of malloc arena
// for each of two host threads, its own code and the guest's stack; 260 MB were needed at the least
// (QEMU 7.2). With MALLOC_ARENA_MAX=1 more guest threads do not add arenas.
constexpr std::uint64_t emulator_bytes = 512u << 20;

// What QEMU 7.2, the last one in Debian that loads plugins, does not know.
constexpr std::string_view newer_extensions[] = {"zfbfmin", "zvfbfmin", "zvfbfwma"};

// The cpu model: what the board has, no more, so that a program that uses what the board lacks gets
// the illegal instruction here too. "rv64" has the bit manipulation extensions unless told.
// QEMU 7.2 has vectors of half precision if it has scalars of it, under an older name.
std::string cpu_model(const Machine& machine, bool newer) {
  std::string out = "rv64";
  const auto set = [&](std::string_view name, bool has) {
    out += fmt::format(",{}={}", name, has);
  };
  for (const char* name : {"zba", "zbb", "zbc", "zbs"})
    set(name, machine.extensions.contains(name));
  const bool half = machine.extensions.contains("zvfh") || machine.extensions.contains("zfh");
  if (newer) {
    set("zfh", half);
    set("zvfh", machine.extensions.contains("zvfh"));
    for (const std::string_view name : newer_extensions) {
      // The multiply-accumulate implies the conversions.
      set(name, machine.extensions.contains(std::string(name)) ||
                    machine.extensions.contains("zvfbfwma"));
    }
  } else if (half) {
    set("Zfh", true);
  }
  if (machine.vlen > 0) {
    out += fmt::format(",v=true,vext_spec=v1.0,vlen={},rvv_ta_all_1s=true,rvv_ma_all_1s=true",
                       machine.vlen);
    if (newer && machine.settings.value("half_avl", false)) out += ",rvv_vl_half_avl=true";
  }
  return out;
}

constexpr std::size_t path_length = 64;  // of the scratch folder, whatever TMPDIR says

// Does the program look for files beside itself (an rpath of $ORIGIN)?
bool wants_its_place(const std::filesystem::path& binary) {
  return read_file(binary).find("$ORIGIN") != std::string::npos;
}

// QEMU met a fault of its own (assert, g_assert): it says where in its source, and dies of a
// signal. 7.2 does so for vfcvt.rtz at the start of a block, for one.
bool emulator_failed(const ProcessResult& result, const std::string& name) {
  if (result.end != ProcessEnd::signalled) return false;
  const auto assertion = result.errors.find(": Assertion `");
  if (assertion == std::string::npos)
    return result.errors.find("Bail out! ERROR:") != std::string::npos;
  const auto line = result.errors.rfind('\n', assertion);
  return result.errors.compare(line == std::string::npos ? 0 : line + 1, name.size() + 2,
                               name + ": ") == 0;
}

// QEMU says why it cannot start the guest, and exits; the guest never ran.
bool emulator_refused(const ProcessResult& result, const std::string& name) {
  return result.end == ProcessEnd::exited && result.status != 0 && result.output.empty() &&
         (result.errors.starts_with(name + ": ") || result.errors.starts_with("mmap stack: "));
}

// In QEMU's options a comma separates and two stand for one.
std::string commas_doubled(const std::string& text) {
  std::string out;
  for (char c : text) out += c == ',' ? std::string(",,") : std::string(1, c);
  return out;
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

void explain(const ProcessResult& process, bool refused_memory, bool emulator_fault,
             const Program& program, RunResult& result) {
  result.status = process.status;
  switch (process.end) {
    case ProcessEnd::timed_out:
      result.outcome = Outcome::timeout;
      result.reason = fmt::format("time limit of {} ms reached", program.time_limit->count());
      return;
    case ProcessEnd::interrupted:
      result.outcome = Outcome::interrupted;
      result.reason = "interrupted";
      return;
    case ProcessEnd::exited:
    case ProcessEnd::signalled:
      break;
  }
  if (process.good()) {
    result.outcome = Outcome::ok;
  } else if (refused_memory) {
    result.outcome = Outcome::out_of_memory;
    result.reason = fmt::format("memory limit of {} MB reached", *program.memory_limit >> 20);
  } else if (emulator_fault) {
    result.outcome = Outcome::unavailable;
    result.reason = "the emulator failed: " + last_line(process.errors);
  } else if (process.end == ProcessEnd::exited) {
    result.outcome = Outcome::nonzero_exit;
    result.reason = fmt::format("exit code {}", process.status);
  } else if (process.status == SIGILL) {
    result.outcome = Outcome::illegal_instruction;
    result.reason = "illegal instruction: the program uses what this machine lacks";
  } else {
    result.outcome = Outcome::crash;
    result.reason = fmt::format("{} (signal {})", strsignal(process.status), process.status);
  }
}

}  // namespace

std::filesystem::path memory_watch_plugin() { return QUERN_MEMORY_WATCH; }

QemuTransport::QemuTransport(const Machine& machine, const Toolchain& toolchain)
    : machine_(machine), toolchain_(toolchain) {
  const int vlen = machine.vlen;
  if (vlen != 0 && (vlen < 128 || vlen > 1024 || (vlen & (vlen - 1)) != 0)) {
    throw bad_input("board {}: QEMU emulates VLEN 128, 256, 512 and 1024, not {}", machine.board,
                    vlen);
  }
}

QemuTransport::~QemuTransport() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path QemuTransport::folder() {
  if (folder_.empty()) {
    // Of one length wherever it is, as far as that goes (see stage()).
    std::string name = (std::filesystem::temp_directory_path() / "quern-qemu-").string();
    name.append(std::max(path_length, name.size()) - name.size(), '-').append("XXXXXX");
    if (mkdtemp(name.data()) == nullptr) {
      throw bad_input("{}: cannot make a folder for temporary files: {}", name,
                      std::strerror(errno));
    }
    folder_ = name;
  }
  return folder_;
}

std::string QemuTransport::upload(const std::filesystem::path& file) {
  // User-mode emulation sees our files.
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) throw bad_input("{}: no such file", file.string());
  return std::filesystem::absolute(file).string();
}

std::string QemuTransport::scratch(std::string_view name) {
  return (folder() / fmt::format("{}-{}", files_++, name)).string();
}

bool QemuTransport::fetch(const std::string& name, const std::filesystem::path& to) {
  std::error_code error;
  if (!std::filesystem::exists(name, error)) return false;
  std::filesystem::copy_file(name, to, std::filesystem::copy_options::overwrite_existing, error);
  if (error) throw bad_input("{}: cannot write: {}", to.string(), error.message());
  return true;
}

// The names of our own environment's variables that the guest is not given, separated by commas: a
// guest's stack, and so its modelled cycles, must not depend on the shell it was started from.
static std::string foreign_variables(const std::map<std::string, std::string>& wanted) {
  std::string names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (name.empty() || wanted.contains(name)) continue;
    names += (names.empty() ? "" : ",") + name;
  }
  return names;
}

QemuTransport::Emulator QemuTransport::emulator_for(const std::set<std::string>& needs) const {
  std::string why;
  for (const std::string_view name : newer_extensions) {
    if (needs.contains(std::string(name)))
      why = fmt::format("it needs {}, which QEMU 7.2 lacks", name);
  }
  if (machine_.settings.value("half_avl", false)) why = "vl is to be below AVL, not so in QEMU 7.2";
  if (why.empty()) return {toolchain_.emulator, true, cpu_model(machine_, false), ""};
  return {toolchain_.newer_emulator, false, cpu_model(machine_, true), why};
}

std::string QemuTransport::version(const std::set<std::string>& needs) const {
  const std::string program = emulator_for(needs).program;
  // What is missing is told when something is to run; records need not.
  if (!find_program(program)) return {};
  const auto told = run_process({program, "--version"});
  return told.output.substr(0, told.output.find('\n'));
}

std::filesystem::path QemuTransport::stage(const std::filesystem::path& binary) {
  const std::filesystem::path place = folder() / fmt::format("program-{:06}", files_++);
  std::error_code error;
  if (wants_its_place(binary)) {
    std::filesystem::create_symlink(std::filesystem::absolute(binary), place, error);
  } else {
    // A link where the file system allows it: no copy of a large program for each run.
    std::filesystem::create_hard_link(std::filesystem::canonical(binary), place, error);
    if (error) {
      error.clear();
      std::filesystem::copy_file(binary, place, error);
    }
  }
  return error ? binary : place;
}

std::vector<std::string> QemuTransport::command(const Emulator& emulator, const Program& program,
                                                const std::vector<QemuPlugin>& plugins,
                                                const std::filesystem::path& binary) const {
  std::vector<std::string> out = {emulator.program, "-L", toolchain_.sysroot.string(), "-cpu",
                                  emulator.cpu};
  if (const auto names = foreign_variables(program.environment); !names.empty()) {
    out.insert(out.end(), {"-U", names});
  }
  if (program.memory_limit) {
    out.insert(out.end(), {"-U", "MALLOC_ARENA_MAX"});  // set for QEMU, not for the guest
  }
  for (const auto& plugin : plugins) {
    std::string value = "file=" + commas_doubled(plugin.library.string());
    for (const auto& argument : plugin.arguments) value += "," + commas_doubled(argument);
    out.insert(out.end(), {"-plugin", value});
  }
  // Programs see the name that they were called by, not where they run from.
  out.insert(out.end(), {"-0", program.binary.filename().string()});
  out.push_back(std::filesystem::absolute(binary).string());
  out.insert(out.end(), program.arguments.begin(), program.arguments.end());
  return out;
}

RunResult QemuTransport::run(const Program& program) {
  const ElfHeader header = read_elf_header(program.binary);
  if (header.machine != elf_machine_riscv || header.bits != 64 || !header.program) {
    throw bad_input("{}: is {}{}, expected a riscv64 Linux program", program.binary.string(),
                    header.program ? "for " : "no program but an object file for ",
                    describe(header));
  }
  require_sysroot(toolchain_);
  const Emulator emulator = emulator_for(program.needs);
  if (!find_program(emulator.program)) {
    if (emulator.plugins) {
      throw make_error(ExitCode::tool_missing,
                       "{}: not found; install the Debian package qemu-user, or "
                       "set QUERN_QEMU",
                       emulator.program);
    }
    throw make_error(ExitCode::tool_missing,
                     "{}: not found ({}: {}); ./quern fetches it with the sysroot, or set "
                     "QUERN_NEWER_QEMU to a qemu-riscv64 of version 9 or later",
                     emulator.program, program.binary.filename().string(), emulator.why_newer);
  }
  ProcessOptions options;
  options.input = program.input;
  options.environment = program.environment;
  options.time_limit = program.time_limit;
  std::vector<QemuPlugin> plugins = plugins_;
  std::filesystem::path refusals, report;
  if (program.memory_limit) {
    options.memory_limit = *program.memory_limit + emulator_bytes;
    options.environment["MALLOC_ARENA_MAX"] = "1";
    if (emulator.plugins) {
      refusals = scratch("refusals");
      plugins.push_back({memory_watch_plugin(), {"mark=" + refusals.string()}});
    }
  }
  if (model_ && emulator.plugins) {
    report = scratch("timing.json");
    plugins.push_back({model_->plugin,
                       {"board=" + std::filesystem::absolute(model_->parameters).string(),
                        "report=" + report.string(),
                        std::string("functions=") + (model_->functions ? "on" : "off"),
                        std::string("shared_l2=") + (model_->shared_l2 ? "on" : "off")}});
  }
  const std::filesystem::path staged = stage(program.binary);
  const ProcessResult process = run_process(command(emulator, program, plugins, staged), options);
  RunResult result;
  std::error_code ignored;
  if (staged != program.binary) std::filesystem::remove(staged, ignored);
  const std::string name = std::filesystem::path(emulator.program).filename().string();
  const bool refused_start = emulator_refused(process, name);
  const bool refused_memory =
      program.memory_limit &&
      ((!refusals.empty() && std::filesystem::remove(refusals, ignored)) ||
       (refused_start && process.errors.find("Cannot allocate memory") != std::string::npos));
  explain(process, refused_memory, refused_start || emulator_failed(process, name), program,
          result);
  result.output = process.output;
  result.errors = process.errors;
  result.output_cut = process.output_cut;
  result.host_seconds = process.seconds;
  result.command = shell_quoted(command(emulator, program, plugins, program.binary));
  // A program that was killed leaves no report; then there are no figures either.
  if (!report.empty() && std::filesystem::exists(report, ignored)) {
    result.report = read_json(report);
    result.cycles = result.report["cycles"];
    result.instructions = result.report["instructions"];
  }
  if (model_ && !emulator.plugins) {
    result.untimed = fmt::format("no modelled cycles: {}, and the newer one loads no timing plugin",
                                 emulator.why_newer);
  }
  return result;
}

std::unique_ptr<Transport> make_qemu_transport(const Machine& machine) {
  return std::make_unique<QemuTransport>(machine, find_toolchain(build_folder(QUERN_SOURCE_DIR)));
}

}  // namespace quern::boards
