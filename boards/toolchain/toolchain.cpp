#include "boards/toolchain/toolchain.h"

#include <cstdlib>
#include <regex>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"

namespace quern::boards {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// "clang++-19" -> "clang-19"; "/opt/bin/riscv64-g++" -> "/opt/bin/riscv64-gcc".
std::string c_compiler_beside(std::string cxx) {
  if (const auto at = cxx.rfind("clang++"); at != std::string::npos)
    return cxx.replace(at, 7, "clang");
  if (const auto at = cxx.rfind("g++"); at != std::string::npos) return cxx.replace(at, 3, "gcc");
  return cxx;
}

}  // namespace

Toolchain find_toolchain(const std::filesystem::path& build) {
  Toolchain out;
  out.sysroot = variable("QUERN_SYSROOT", (build / "sysroot-riscv64").string());
  out.compiler = variable("QUERN_CXX", "clang++-19");
  out.c_compiler = c_compiler_beside(out.compiler);
  out.emulator = variable("QUERN_QEMU", "qemu-riscv64");
  out.newer_emulator =
      variable("QUERN_NEWER_QEMU", (out.sysroot / "quern-tools" / "qemu-riscv64").string());
  return out;
}

std::filesystem::path build_folder(const std::filesystem::path& root) {
  const std::filesystem::path checkout = variable("QUERN_ROOT", root.string());
  return variable("QUERN_BUILD", (checkout / "build").string());
}

std::filesystem::path require_sysroot(const Toolchain& toolchain) {
  // The loader is what a dynamic program asks for first; an incomplete sysroot lacks it.
  if (std::filesystem::exists(toolchain.sysroot / "lib" / "ld-linux-riscv64-lp64d.so.1")) {
    return toolchain.sysroot;
  }
  throw make_error(
      ExitCode::tool_missing,
      "{}: no riscv64 sysroot there (lib/ld-linux-riscv64-lp64d.so.1 is missing); ./quern makes "
      "one, or set QUERN_SYSROOT",
      toolchain.sysroot.string());
}

std::vector<std::string> target_flags(const Toolchain& toolchain, const std::string& isa) {
  // The linker of clang's own version where Debian names it so.
  const bool versioned = toolchain.compiler.ends_with("-19") && find_program("ld.lld-19");
  return {"--target=riscv64-linux-gnu", "--sysroot=" + toolchain.sysroot.string(), "-march=" + isa,
          "-mabi=lp64d", versioned ? "-fuse-ld=lld-19" : "-fuse-ld=lld"};
}

std::string openblas_version(const std::filesystem::path& sysroot) {
  const auto header = sysroot / "usr/include/riscv64-linux-gnu/openblas-pthread/openblas_config.h";
  std::error_code ignored;
  if (!std::filesystem::exists(header, ignored)) return "";
  const std::string text = read_file(header);
  std::smatch match;
  // #define OPENBLAS_VERSION " OpenBLAS 0.3.29 "
  const std::regex line("OPENBLAS_VERSION\\s+\"\\s*OpenBLAS\\s+([0-9][0-9A-Za-z.]*)");
  return std::regex_search(text, match, line) ? match[1].str() : "";
}

}  // namespace quern::boards
