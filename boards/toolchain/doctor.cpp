#include "boards/toolchain/doctor.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cctype>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"

namespace quern::boards {
namespace {

constexpr auto nothing = "nothing";

ProcessResult try_run(const std::vector<std::string>& command,
                      const std::filesystem::path& folder = {}) {
  try {
    // A tool that hangs is as bad as none.
    return run_process(command, {.time_limit = std::chrono::seconds(60), .folder = folder});
  } catch (const Error& error) {
    ProcessResult out;
    out.status = 127;
    out.errors = error.what();
    return out;
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string install(const std::string& package) {
  return package.empty() ? "" : "apt-get install " + package;
}

// A program that says its version.
struct Tool {
  std::string name;  // of the check
  std::string program;
  std::string least;  // version; empty: any
  std::string purpose;
  std::string package;
  bool required;
};

std::vector<Tool> tools(const Toolchain& toolchain) {
  // Versions: CMake as CMakeLists.txt demands; clang 19 is the first with all RVV 1.0 intrinsics
  // that the kernels use in Debian 12; Verilator 5 is the first with --timing, 5.006 is Debian
  // 12's.
  return {
      {"host compiler", "c++", "12", "C++20, builds Quern", "g++", true},
      {"cmake", "cmake", "3.25", "builds Quern", "cmake", true},
      {"ninja", "ninja", "", "builds Quern", "ninja-build", true},
      {"ccache", "ccache", "", "makes rebuilds cheap", "ccache", false},
      {"target compiler", toolchain.compiler, "19", "RVV 1.0 intrinsics", "clang-19", true},
      {"llvm-objdump", "llvm-objdump-19", "19", "looks for spills in kernels", "llvm-19", true},
      {"emulator", toolchain.emulator, "7.2", "runs riscv64 programs", "qemu-user", true},
      {"verilator", "verilator", "5.006", "RTL simulation: snitch, accelerator", "verilator",
       false},
      {"bare-metal compiler", "riscv64-unknown-elf-gcc", "12", "assembles Snitch programs",
       "gcc-riscv64-unknown-elf", false},
      {"llvm-mca 22", "llvm-mca-22", "22", "second opinion on SpacemiT X60 timing", "llvm-22",
       false},
      {"slurm", "sbatch", "", "sweeps on a cluster", "slurm-client", false},
      {"shellcheck", "shellcheck", "", "a test of the shell scripts", "shellcheck", false},
  };
}

Check check_tool(const Tool& tool) {
  Check out{.name = tool.name, .required = tool.required};
  out.needed =
      tool.least.empty() ? tool.purpose : fmt::format("{} or later: {}", tool.least, tool.purpose);
  if (!find_program(tool.program)) {
    out.found = nothing;
    out.fix = install(tool.package);
    return out;
  }
  // Some tools know -V only, and versions are written on either stream.
  auto told = try_run({tool.program, "--version"});
  if (!told.good()) told = try_run({tool.program, "-V"});
  const std::string version = version_in(told.output + told.errors);
  out.found = version.empty() ? "a version that cannot be told" : version;
  out.ok = told.good() && (tool.least.empty() || at_least(version, tool.least));
  if (!told.good()) out.found = first_line(told.errors);
  if (!out.ok) out.fix = install(tool.package);
  return out;
}

Check check_host() {
  utsname kernel = {};
  uname(&kernel);
  std::string name = "unknown system", line;
  for (std::ifstream in("/etc/os-release"); std::getline(in, line);) {
    if (line.starts_with("PRETTY_NAME=")) name = line.substr(12);
  }
  std::erase(name, '"');
  const bool debian =
      name.starts_with("Debian GNU/Linux 12") && std::string(kernel.machine) == "x86_64";
  return {.name = "host",
          .ok = debian,
          .required = false,
          .found = fmt::format("{}, {}", name, kernel.machine),
          .needed = "Debian 12 on x86-64 to be set up by itself",
          .fix = debian ? "" : "supply the parts by hand, see the variables below"};
}

Check check_sysroot(const Toolchain& toolchain) {
  Check out{.name = "sysroot",
            .needed = "a riscv64 Linux system: libraries and headers for programs"};
  try {
    require_sysroot(toolchain);
    out.ok = true;
    out.found = toolchain.sysroot.string();
  } catch (const Error&) {
    out.found = nothing;
    out.fix = "./quern fetches it from this machine's Debian mirror; or set QUERN_SYSROOT";
  }
  return out;
}

Check check_openblas(const Toolchain& toolchain) {
  // Figures of other versions would not compare: the comparison names one (DESIGN, honesty).
  const std::string version = openblas_version(toolchain.sysroot);
  const bool ok = version == "0.3.29";
  return {.name = "OpenBLAS",
          .ok = ok,
          .found = version.empty() ? nothing : version,
          .needed = "0.3.29 in the sysroot: the peer of comparisons",
          .fix = ok ? "" : "libopenblas-pthread-dev of Debian 13 (riscv64) in the sysroot"};
}

Check check_header(const Toolchain& toolchain, const std::string& name, const std::string& header,
                   const std::string& package, const std::string& needed) {
  std::error_code ignored;
  const bool ok = std::filesystem::exists(toolchain.sysroot / "usr/include" / header, ignored);
  return {.name = name,
          .ok = ok,
          .required = false,
          .found = ok ? "in the sysroot" : nothing,
          .needed = needed,
          .fix = ok ? "" : package + " of Debian 13 (riscv64) in the sysroot"};
}

// A vector program through compiler, linker and sysroot, run with and without a plugin.
constexpr const char* probe_source = R"(#include <cblas.h>
#include <riscv_vector.h>
#include <stdio.h>
int main(void) {
  float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4] = {0};
  vfloat32m1_t x = __riscv_vle32_v_f32m1(a, 4);
  __riscv_vse32_v_f32m1(a, __riscv_vfmul_vf_f32m1(x, 2.0f, 4), 4);
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1.0f, a, 2, b, 2, 0.0f, c, 2);
  printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  return 0;
}
)";
// 2 * [1 3; 2 4] * [5 7; 6 8], columns first.
constexpr auto probe_output = "46 68 62 92\n";

class Probe {
 public:
  Probe() {
    std::string name = (std::filesystem::temp_directory_path() / "quern-doctor-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~Probe() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  Check compile(const Toolchain& toolchain) {
    Check out{.name = "compiling", .needed = "an RVV program with OpenBLAS compiles and links"};
    if (folder_.empty()) {
      out.found = "no folder for temporary files";
      out.fix = "set TMPDIR to a folder that can be written";
      return out;
    }
    write_file(folder_ / "probe.c", probe_source);
    std::vector<std::string> command = {toolchain.c_compiler};
    for (const auto& flag : target_flags(toolchain, "rv64gcv")) command.push_back(flag);
    for (const char* word : {"-O1", "probe.c", "-o", "probe", "-lopenblas"})
      command.emplace_back(word);
    const auto result = try_run(command, folder_);
    compiled_ = out.ok = result.good();
    out.found = out.ok ? "works" : first_line(result.errors);
    if (!out.ok)
      out.fix = "repair the compiler and the sysroot above; its linker is in " + install("lld-19");
    return out;
  }

  // The same program, with bfloat16 vectors switched on: an older emulator refuses the name.
  Check run_newer(const Toolchain& toolchain) const {
    Check out{.name = "newer emulator",
              .required = false,
              .needed = "9 or later: runs kernels of bfloat16, which the other one cannot"};
    if (!find_program(toolchain.newer_emulator)) {
      out.found = nothing;
    } else {
      const auto result = emulate(toolchain.newer_emulator, toolchain, {}, ",zvfbfwma=true");
      out.ok = result.good() && result.output == probe_output;
      out.found = out.ok ? version_in(try_run({toolchain.newer_emulator, "--version"}).output)
                         : trouble(result);
    }
    if (!out.ok) {
      out.fix =
          "./quern fetches it with the sysroot (qemu-user of Debian 13); or set QUERN_NEWER_QEMU";
    }
    return out;
  }

  Check run(const Toolchain& toolchain) const {
    Check out{.name = "emulation", .needed = "that program runs, VLEN 256, and is right"};
    const auto result = emulate(toolchain.emulator, toolchain, {});
    out.ok = result.good() && result.output == probe_output;
    out.found = out.ok ? "works" : trouble(result);
    if (!out.ok) out.fix = "repair what fails above";
    return out;
  }

  Check load_plugin(const Toolchain& toolchain, const std::filesystem::path& plugin) const {
    Check out{.name = "emulator plugins",
              .needed = "loads TCG plugins: the timing model counts through one"};
    const auto result = emulate(
        toolchain.emulator, toolchain,
        {"-plugin", fmt::format("file={},mark={}", plugin.string(), (folder_ / "mark").string())});
    out.ok = result.good() && result.output == probe_output;
    out.found = out.ok ? "works" : trouble(result);
    if (!out.ok) {
      out.fix =
          "a dynamically linked qemu-riscv64 with plugins, as Debian 12's qemu-user (Debian 13's "
          "is "
          "static and has none); or set QUERN_QEMU";
    }
    return out;
  }

 private:
  ProcessResult emulate(const std::string& emulator, const Toolchain& toolchain,
                        const std::vector<std::string>& options,
                        const std::string& extensions = {}) const {
    std::vector<std::string> command = {emulator, "-L", toolchain.sysroot.string(), "-cpu",
                                        "rv64,v=true,vext_spec=v1.0,vlen=256" + extensions};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("./probe");
    return try_run(command, folder_);
  }

  std::string trouble(const ProcessResult& result) const {
    if (!compiled_) return "nothing to run";
    if (!result.errors.empty()) return last_line(result.errors);
    return result.end == ProcessEnd::timed_out ? "no end after 60 s" : "a wrong result";
  }

  std::filesystem::path folder_;
  bool compiled_ = false;
};

}  // namespace

std::vector<Check> check_machine(const Toolchain& toolchain, const std::filesystem::path& plugin) {
  std::vector<Check> out = {check_host()};
  for (const auto& tool : tools(toolchain)) out.push_back(check_tool(tool));
  out.push_back(check_sysroot(toolchain));
  out.push_back(check_openblas(toolchain));
  out.push_back(check_header(toolchain, "BLIS", "riscv64-linux-gnu/blis.h", "libblis-pthread-dev",
                             "a peer of comparisons on request"));
  out.push_back(check_header(toolchain, "Eigen", "eigen3/Eigen/Core", "libeigen3-dev",
                             "a peer of comparisons on request"));
  out.push_back(check_header(toolchain, "Google Benchmark", "benchmark/benchmark.h",
                             "libbenchmark-dev", "benchmark suites on the target"));
  Probe probe;
  out.push_back(probe.compile(toolchain));
  out.push_back(probe.run(toolchain));
  out.push_back(probe.load_plugin(toolchain, plugin));
  out.push_back(probe.run_newer(toolchain));
  return out;
}

const std::vector<Variable>& variables() {
  static const std::vector<Variable> all = {
      {"QUERN_CXX", "clang++ 19 or later, its lld beside it; compiles for riscv64 boards"},
      {"QUERN_QEMU", "qemu-riscv64 7.2 or later that loads plugins"},
      {"QUERN_NEWER_QEMU",
       "qemu-riscv64 9 or later, with or without plugins, for bfloat16 kernels"},
      {"QUERN_SYSROOT", "riscv64 sysroot with the packages of boards/toolchain/sysroot-packages"},
      {"QUERN_BUILD", "folder for compiled things (build/ of the checkout)"},
      {"QUERN_RESULTS", "folder for measured results (results/ of the checkout)"},
  };
  return all;
}

std::string version_in(const std::string& text) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!digit(begin)) continue;
    std::size_t end = begin;
    bool dotted = false;
    while (digit(end) || (text[end] == '.' && digit(end + 1))) {
      dotted |= text[end] == '.';
      if (++end >= text.size()) break;
    }
    if (dotted) return text.substr(begin, end - begin);
    begin = end;
  }
  return "";
}

bool at_least(const std::string& have, const std::string& least) {
  const auto numbers = [](const std::string& version) {
    std::vector<long> out;
    for (std::size_t at = 0; at < version.size();) {
      out.push_back(std::strtol(version.c_str() + at, nullptr, 10));
      const auto dot = version.find('.', at);
      at = dot == std::string::npos ? version.size() : dot + 1;
    }
    return out;
  };
  auto a = numbers(have);
  const auto b = numbers(least);
  if (a.size() < b.size() && !a.empty()) a.resize(b.size());
  return a >= b;
}

}  // namespace quern::boards
