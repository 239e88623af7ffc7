// The tools that make and run target programs, and where they are: what ./quern installed, or what
// the user put in their place with the QUERN_* variables.
//
//   QUERN_CXX      clang++-19             compiles for riscv64 Linux, RVV 1.0 intrinsics
//   QUERN_QEMU     qemu-riscv64           user-mode emulation, with plugins
//   QUERN_NEWER_QEMU  quern-tools/qemu-riscv64 in the sysroot: what the other lacks
//   QUERN_SYSROOT  $QUERN_BUILD/sysroot-riscv64
//   QUERN_BUILD    $QUERN_ROOT/build       compiled things; safe to delete
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace quern::boards {

struct Toolchain {
  std::filesystem::path sysroot;
  std::string compiler;    // C++, a name for PATH or a path
  std::string c_compiler;  // the one beside it
  std::string emulator;
  std::string newer_emulator = {};  // for what the first one cannot run; loads no plugins
};

// The tools as the environment names them, found or not. `build` is the folder of compiled things.
Toolchain find_toolchain(const std::filesystem::path& build);

// QUERN_BUILD, or build/ of the checkout (QUERN_ROOT, or `root`).
std::filesystem::path build_folder(const std::filesystem::path& root);

// The sysroot, or Error(tool_missing) saying how to get it.
std::filesystem::path require_sysroot(const Toolchain& toolchain);

// Flags that make the compiler produce a riscv64 Linux program for the machine with `isa`
// ("rv64gcv_zvl256b"): target, sysroot, -march, -mabi, linker.
std::vector<std::string> target_flags(const Toolchain& toolchain, const std::string& isa);

// The version of OpenBLAS in a sysroot, "0.3.29"; empty if there is none.
std::string openblas_version(const std::filesystem::path& sysroot);

}  // namespace quern::boards
