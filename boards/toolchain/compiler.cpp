#include "boards/toolchain/compiler.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"

namespace quern::boards {
namespace {

constexpr std::chrono::minutes compile_limit{5};  // a kernel takes well under a second

// Everything that a target unit may #include from the checkout, hashed: a change there must compile
// anew.
std::string header_digest(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"gemm", "bench/target", "boards/timing/calibration", "boards/validation"}) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(root / folder, none)) {
      if (entry.path().extension() == ".h") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) {
    texts.push_back(file.filename());
    texts.push_back(read_file(file));
  }
  return digest({texts.begin(), texts.end()});
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += word + '\n';
  return out;
}

}  // namespace

Toolchain toolchain_for(const Board& board, const std::filesystem::path& build) {
  Toolchain out = find_toolchain(build);
  const char* compiler = std::getenv("QUERN_CXX");
  if (compiler == nullptr || *compiler == '\0') out.compiler = board.compiler;
  return out;
}

Compiler::Compiler(const Board& board, const std::filesystem::path& root,
                   const std::filesystem::path& build)
    : board_(board),
      toolchain_(toolchain_for(board, build)),
      root_(root),
      objects_(build / "objects"),
      headers_(header_digest(root)) {
  require_sysroot(toolchain_);
  if (!find_program(toolchain_.compiler)) {
    throw make_error(ExitCode::tool_missing,
                     "{}: not found; install the Debian package clang-19, or set QUERN_CXX",
                     toolchain_.compiler);
  }
  const auto told = run_process({toolchain_.compiler, "--version"});
  if (!told.good()) {
    throw make_error(ExitCode::tool_missing, "{} --version fails: {}", toolchain_.compiler,
                     told.errors);
  }
  version_ = told.output.substr(0, told.output.find('\n'));
}

std::string Compiler::flags() const {
  std::string out = "--target=riscv64-linux-gnu -march=" + board_.isa;
  for (const auto& flag : board_.compiler_flags) out += " " + flag;
  return out;
}

Compiled Compiler::run(const std::string& key, const std::string& suffix,
                       std::vector<std::string> command) const {
  const auto folder = objects_ / key.substr(0, 2);
  const auto file = folder / (key.substr(2) + suffix);
  if (std::filesystem::exists(file)) return {true, false, file, ""};
  std::filesystem::create_directories(folder);
  // Compiled beside its place and renamed: a killed or concurrent run leaves no half object behind.
  auto temporary = file;
  temporary +=
      fmt::format(".{}.{}", getpid(), std::hash<std::thread::id>()(std::this_thread::get_id()));
  command.insert(command.end(), {"-o", temporary.string()});
  ProcessOptions options;
  options.time_limit = compile_limit;
  options.merge_stderr = true;
  const auto result = run_process(command, options);
  if (!result.good()) {
    std::filesystem::remove(temporary);
    return {false,
            result.end == ProcessEnd::timed_out,
            {},
            shell_quoted(command) + "\n" + result.output};
  }
  std::filesystem::rename(temporary, file);
  return {true, false, file, result.output};
}

Compiled Compiler::compile(const Unit& unit) const {
  std::vector<std::string> command = {toolchain_.compiler, "--target=riscv64-linux-gnu",
                                      "--sysroot=" + toolchain_.sysroot.string(),
                                      "-march=" + board_.isa};
  command.insert(command.end(), board_.compiler_flags.begin(), board_.compiler_flags.end());
  if (unit.name.ends_with(".c")) {
    command.insert(command.end(), {"-x", "c", "-std=c17"});
  } else if (unit.name.ends_with(".cpp")) {
    command.insert(command.end(), {"-x", "c++", "-std=c++20"});
  } else {
    command.insert(command.end(), {"-x", "assembler-with-cpp"});
  }
  command.insert(command.end(), unit.flags.begin(), unit.flags.end());
  command.insert(command.end(), {"-Wall", "-Wextra", "-Werror"});
  const std::string key = digest({version_, joined(command), headers_, unit.name, unit.text});
  // The text is kept beside its object, under its own name, so that messages and debuggers can show
  // it.
  const auto source = objects_ / key.substr(0, 2) / (key.substr(2) + "-" + unit.name);
  if (!std::filesystem::exists(objects_ / key.substr(0, 2) / (key.substr(2) + ".o"))) {
    write_file(source, unit.text);
  }
  command.insert(command.end(), {"-I", root_.string(), "-c", source.string()});
  return run(key, ".o", std::move(command));
}

std::vector<Compiled> Compiler::compile(const std::vector<Unit>& units) const {
  std::vector<Compiled> out(units.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> workers;
  for (auto& failure : failures) {
    workers.emplace_back([&] {
      try {
        for (std::size_t i; (i = next++) < units.size() && !interrupted();)
          out[i] = compile(units[i]);
      } catch (...) {
        failure = std::current_exception();
      }
    });
  }
  workers.clear();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return out;
}

Compiled Compiler::link(const std::string& name, const std::vector<std::filesystem::path>& objects,
                        const std::vector<std::string>& flags) const {
  std::vector<std::string> command = {toolchain_.compiler, "--target=riscv64-linux-gnu",
                                      "--sysroot=" + toolchain_.sysroot.string(),
                                      "-fuse-ld=lld-19"};
  for (const auto& object : objects) command.push_back(object.string());
  command.insert(command.end(), flags.begin(), flags.end());
  // Objects are named by their content, so their names stand for it.
  const std::string key = digest({version_, joined(command)});
  return run(key, "-" + name, std::move(command));
}

}  // namespace quern::boards
