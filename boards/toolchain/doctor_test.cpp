#include "boards/toolchain/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"

namespace quern::boards {
namespace {

TEST(Doctor, FindsVersions) {
  const struct {
    const char* text;
    const char* version;
  } table[] = {
      {"Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64", "19.1.7"},
      {"g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"},
      {"cmake version 3.25.1", "3.25.1"},
      {"1.11.1", "1.11.1"},
      {"qemu-riscv64 version 7.2.22 (Debian 1:7.2+dfsg-7)", "7.2.22"},
      {"Verilator 5.006 2023-01-22 rev (Debian 5.006-3)", "5.006"},
      {"OpenSSH_9.2p1 Debian-2+deb12u3, OpenSSL 3.0.14", "9.2"},
      {"no number, 7 alone, 8.", ""},
      {"", ""},
  };
  for (const auto& row : table) EXPECT_EQ(version_in(row.text), row.version);
}

TEST(Doctor, ComparesVersions) {
  const struct {
    const char* have;
    const char* least;
    bool ok;
  } table[] = {
      {"19.1.7", "19", true},    {"19", "19", true},     {"9.1", "19", false},
      {"18.9", "19", false},     {"7.2", "7.2", true},   {"7.10", "7.2", true},
      {"7.1.9", "7.2", false},   {"5.006", "5.6", true}, {"5.6.1", "5.006", true},
      {"3.25", "3.25.1", false}, {"19", "19.0", true},   {"", "1", false},
  };
  for (const auto& row : table)
    EXPECT_EQ(at_least(row.have, row.least), row.ok) << row.have << " " << row.least;
}

Check find(const std::vector<Check>& checks, const std::string& name) {
  const auto at =
      std::find_if(checks.begin(), checks.end(), [&](const Check& c) { return c.name == name; });
  EXPECT_NE(at, checks.end()) << name;
  return at == checks.end() ? Check{} : *at;
}

TEST(Doctor, ThisMachineIsWell) {
  for (const auto& check :
       check_machine(find_toolchain(build_folder(QUERN_SOURCE_DIR)), QUERN_MEMORY_WATCH)) {
    EXPECT_TRUE(check.ok || !check.required) << check.name << ": " << check.found;
    EXPECT_EQ(check.fix.empty(), check.ok) << check.name;
    EXPECT_FALSE(check.found.empty()) << check.name;
  }
}

TEST(Doctor, SaysWhatIsMissing) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_doctor_test";
  std::filesystem::remove_all(folder);
  // An old compiler, an emulator that is no program, a sysroot with another OpenBLAS.
  write_file(folder / "clang++", "#!/bin/sh\necho clang version 14.0.6\n");
  write_file(folder / "clang", "#!/bin/sh\necho no intrinsics >&2\nexit 1\n");
  for (const char* name : {"clang++", "clang"}) {
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  write_file(folder / "sysroot/lib/ld-linux-riscv64-lp64d.so.1", "");
  write_file(folder / "sysroot/usr/include/riscv64-linux-gnu/openblas-pthread/openblas_config.h",
             "#define OPENBLAS_VERSION \" OpenBLAS 0.3.21 \"\n");
  const Toolchain toolchain = {.sysroot = folder / "sysroot",
                               .compiler = folder / "clang++",
                               .c_compiler = folder / "clang",
                               .emulator = "quern-no-such-qemu"};
  const auto checks = check_machine(toolchain, "plugin");
  const struct {
    const char* name;
    bool ok;
    const char* found;
  } table[] = {
      {"target compiler", false, "14.0.6"},
      {"emulator", false, "nothing"},
      {"sysroot", true, ""},
      {"OpenBLAS", false, "0.3.21"},
      {"BLIS", false, "nothing"},
      {"compiling", false, "no intrinsics"},
      {"emulation", false, "nothing to run"},
      {"emulator plugins", false, "nothing to run"},
      {"newer emulator", false, "nothing"},
  };
  for (const auto& row : table) {
    const Check check = find(checks, row.name);
    EXPECT_EQ(check.ok, row.ok) << row.name;
    if (!row.ok) {
      EXPECT_EQ(check.found, row.found) << row.name;
      EXPECT_FALSE(check.fix.empty()) << row.name;
    }
  }
  EXPECT_EQ(find(checks, "target compiler").fix, "apt-get install clang-19");
  EXPECT_FALSE(find(checks, "BLIS").required);
  EXPECT_FALSE(find(checks, "newer emulator").required);
  EXPECT_TRUE(find(checks, "OpenBLAS").required);
  Toolchain empty = toolchain;
  empty.sysroot = folder / "absent";
  const auto without = check_machine(empty, "plugin");
  EXPECT_FALSE(find(without, "sysroot").ok);
  EXPECT_EQ(find(without, "OpenBLAS").found, "nothing");
}

}  // namespace
}  // namespace quern::boards
