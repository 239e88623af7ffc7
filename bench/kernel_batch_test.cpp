#include "bench/kernel_batch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "boards/timing/elf_file.h"

namespace quern::bench {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

TEST(KernelBatch, WhatAKernelKeepsToItselfGetsANameOfItsOwn) {
  const generator::Kernel c[] = {
      {"a", "a", "static inline void add(int x) {}\nvoid a(void) { add(1); padd(2); }\n", ".c"},
      {"b", "b", "static int add(int x);\nvoid b(void) { add(1); }", ".c"}};
  EXPECT_EQ(batch_text(c),
            "static inline void add_0(int x) {}\nvoid a(void) { add_0(1); padd(2); }\n"
            "static int add_1(int x);\nvoid b(void) { add_1(1); }\n");
  const generator::Kernel assembly[] = {
      {"a", "a", "a:\n.Lloop:\n  bnez t0, .Lloop\n  ret\n", ".S"},
      {"b", "b", "b:\n.Lloop:\n  bnez t0, .Lloop\n.Lx2: add a0, a0, a0\n", ".S"}};
  EXPECT_EQ(batch_text(assembly),
            "a:\n.Lloop_0:\n  bnez t0, .Lloop_0\n  ret\n"
            "b:\n.Lloop_1:\n  bnez t0, .Lloop_1\n.Lx2_1: add a0, a0, a0\n");
}

TEST(KernelBatch, EachFailureIsItsOwn) {
  const auto board = boards::load_board(root, "generic-256");
  const boards::Compiler compiler(board, root, boards::build_folder(root));
  std::vector<generator::Kernel> kernels;
  for (int i = 0; i < 9; ++i) {
    const std::string name = fmt::format("kernel_{}", i);
    kernels.push_back({name, name,
                       fmt::format("static int helper(int x) {{ return x + {0}; }}\n"
                                   "int {1}(int x) {{ return helper(x){2} }}\n",
                                   i, name, i == 4 ? "" : ";"),
                       ".c"});
    kernels.push_back({name + "s", name + "s",
                       fmt::format(".globl {0}s\n{0}s:\n.Lx: bnez a0, .Lx\n  {1}\n", name,
                                   i == 7 ? "no_such_instruction" : "ret"),
                       ".S"});
  }
  const auto compiled = compile_kernels(compiler, kernels);
  ASSERT_EQ(compiled.size(), kernels.size());
  std::set<std::filesystem::path> objects;
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const bool bad = kernels[i].id == "kernel_4" || kernels[i].id == "kernel_7s";
    EXPECT_EQ(compiled[i].good, !bad) << kernels[i].id << compiled[i].log;
    if (bad) {
      EXPECT_NE(compiled[i].log.find(kernels[i].id), std::string::npos) << compiled[i].log;
      continue;
    }
    EXPECT_NE(timing::read_elf(compiled[i].file).find(kernels[i].symbol), nullptr);
    objects.insert(compiled[i].file);
  }
  // Two batches of each language, of which one is taken apart: 5 kernels at most, less the bad one.
  EXPECT_LE(objects.size(), 2u * (1 + 4));
}

}  // namespace
}  // namespace quern::bench
