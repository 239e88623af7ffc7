// The timing model inside qemu-riscv64 (user mode), as a TCG plugin.
//
//   qemu-riscv64 -plugin libquern_timing_plugin.so,board=bpi-f3.json,report=out.json,functions=on
//   PROGRAM
//
//   translation of a block --> decoded once (Block); a callback on the block, one on each memory
//   instruction memory access          --> appended to the core's list; a vector access of
//   consecutive bytes is one entry start of a block       --> the block before it is complete:
//   Core::run(block, accesses, this address) system call 0x5155     --> the modelled clock is
//   written into the guest's request exit                   --> report
//
// Arguments: board (a board file, required), report (JSON file), functions (on/off), shared_l2
// (on/off: cores share one L2 and DRAM). A comma in a path is written twice, as QEMU wants it.
#include <dlfcn.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/error.h"
#include "base/file.h"
#include "bench/target/modelled_clock.h"
#include "boards/timing/core.h"
#include "boards/timing/qemu_plugin/guest_symbols.h"
#include "boards/timing/qemu_plugin/qemu_plugin_api.h"
#include "boards/timing/timing_report.h"

namespace quern::timing {
namespace {

// What a memory callback knows of its instruction.
struct MemorySite {
  std::uint16_t instruction = 0;
  std::uint8_t bytes = 0;
  std::uint8_t misalignment_mask = 0;  // 0 for scalar accesses, whose misalignment is not a trap
  bool store = false;
};

struct TranslatedBlock {
  Block block;
  std::deque<MemorySite> sites;
};

struct CoreSlot {
  explicit CoreSlot(const Parameters& parameters, std::shared_ptr<OuterMemory> outer)
      : core(parameters, std::move(outer)), accesses(1024) {}
  Core core;
  const Block* pending = nullptr;  // started; its accesses are being collected
  std::vector<MemoryAccess> accesses;
  std::size_t access_count = 0;
};

constexpr unsigned core_limit = 4096;

struct Plugin {
  Parameters parameters;
  std::string report;
  bool functions = false;
  bool shared_l2 = false;
  std::shared_ptr<OuterMemory> outer;
  CoreSlot* cores[core_limit] = {};
  std::mutex mutex;  // translation and core start
  std::deque<TranslatedBlock> blocks;
  std::unordered_multimap<std::uint64_t, TranslatedBlock*> by_address;
  std::uint64_t guest_base = 0;
  bool guest_base_known = false;
};

Plugin* plugin;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "quern timing plugin: %s\n", what);
  std::exit(2);
}

void on_core_start(qemu_plugin_id_t, unsigned vcpu) {
  const std::lock_guard lock(plugin->mutex);
  if (vcpu >= core_limit) give_up("too many threads");
  if (plugin->cores[vcpu]) return;  // QEMU reuses the number of a thread that has ended
  auto outer =
      plugin->shared_l2 ? plugin->outer : std::make_shared<OuterMemory>(plugin->parameters);
  plugin->cores[vcpu] = new CoreSlot(plugin->parameters, std::move(outer));
}

void finish_pending(CoreSlot& slot, std::uint64_t next) {
  if (!slot.pending) return;
  slot.core.run(*slot.pending, {slot.accesses.data(), slot.access_count}, next);
  slot.access_count = 0;
}

void on_block(unsigned vcpu, void* data) {
  CoreSlot& slot = *plugin->cores[vcpu];
  const Block* block = static_cast<const Block*>(data);
  finish_pending(slot, block->address);
  slot.pending = block;
}

void on_access(unsigned vcpu, qemu_plugin_meminfo_t, std::uint64_t address, void* data) {
  CoreSlot& slot = *plugin->cores[vcpu];
  const MemorySite& site = *static_cast<const MemorySite*>(data);
  const bool misaligned = (address & site.misalignment_mask) != 0;
  if (slot.access_count > 0) {
    MemoryAccess& last = slot.accesses[slot.access_count - 1];
    if (last.instruction == site.instruction && last.store == site.store) {
      last.misaligned |= misaligned;
      if (address == last.address + last.bytes) {
        last.bytes += site.bytes;
        return;
      }
      // Another element of a strided access in the same line costs no further look-up.
      if (last.bytes <= 8 && (address ^ last.address) < 64) return;
    }
  }
  if (slot.access_count == slot.accesses.size()) slot.accesses.resize(2 * slot.accesses.size());
  slot.accesses[slot.access_count++] = {address, site.bytes, site.instruction, site.store,
                                        misaligned};
}

std::uint8_t access_bytes(const Instruction& instruction) {
  const auto c = instruction.instruction_class();
  if (is_vector_load(c) || is_vector_store(c)) {
    using enum InstructionClass;
    // The elements of an indexed access have SEW bits, which the vtype decides: their size only
    // matters for joining neighbours, and 1 never joins wrongly.
    if (c == vector_load_indexed || c == vector_store_indexed || c == vector_load_segment_indexed ||
        c == vector_store_segment_indexed)
      return 1;
    if (c == vector_load_mask || c == vector_store_mask) return 1;
    return static_cast<std::uint8_t>(instruction.memory_eew() / 8);
  }
  return static_cast<std::uint8_t>(instruction.scalar_bytes());
}

TranslatedBlock* translated(std::uint64_t address, std::vector<Instruction> instructions) {
  // QEMU translates again after it has flushed its cache: the same code keeps its number.
  const auto same = [&](const Block& block) {
    if (block.instructions.size() != instructions.size()) return false;
    for (std::size_t i = 0; i < instructions.size(); ++i)
      if (block.instructions[i].word != instructions[i].word) return false;
    return true;
  };
  const auto [begin, end] = plugin->by_address.equal_range(address);
  for (auto at = begin; at != end; ++at)
    if (same(at->second->block)) return at->second;
  plugin->blocks.push_back(
      {Block(static_cast<std::uint32_t>(plugin->blocks.size()), address, std::move(instructions)),
       {}});
  TranslatedBlock& made = plugin->blocks.back();
  for (std::size_t i = 0; i < made.block.instructions.size(); ++i) {
    const Instruction& instruction = made.block.instructions[i];
    const auto c = instruction.instruction_class();
    if (!is_load(c) && !is_store(c)) continue;
    const std::uint8_t bytes = access_bytes(instruction);
    const bool vector = is_vector_load(c) || is_vector_store(c);
    made.sites.push_back({static_cast<std::uint16_t>(i), bytes,
                          static_cast<std::uint8_t>(vector ? bytes - 1 : 0), is_store(c)});
  }
  plugin->by_address.emplace(address, &made);
  return &made;
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  const std::lock_guard lock(plugin->mutex);
  const std::size_t count = qemu_plugin_tb_n_insns(tb);
  std::vector<Instruction> instructions;
  instructions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(tb, i);
    std::uint8_t bytes[4] = {};
    std::memcpy(bytes, qemu_plugin_insn_data(instruction),
                std::min<std::size_t>(4, qemu_plugin_insn_size(instruction)));
    instructions.push_back(Decoder::instance().decode(bytes));
    if (!plugin->guest_base_known) {
      plugin->guest_base = reinterpret_cast<std::uint64_t>(qemu_plugin_insn_haddr(instruction)) -
                           qemu_plugin_insn_vaddr(instruction);
      plugin->guest_base_known = true;
    }
  }
  TranslatedBlock* made = translated(qemu_plugin_tb_vaddr(tb), std::move(instructions));
  qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, &made->block);
  // Both directions are asked for, though each instruction has one: QEMU 7.2 compares the flags of
  // a generated load with the wrong ones, so that a callback on reads alone is never called for it.
  for (MemorySite& site : made->sites)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, site.instruction), on_access,
                                     QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, &site);
}

std::vector<const Block*> all_blocks() {
  std::vector<const Block*> blocks;
  for (const TranslatedBlock& translated : plugin->blocks) blocks.push_back(&translated.block);
  return blocks;
}

std::vector<Core*> all_cores() {
  std::vector<Core*> cores;
  for (CoreSlot* slot : plugin->cores)
    if (slot) cores.push_back(&slot->core);
  return cores;
}

InstructionGroup group_of(InstructionClass c) {
  using enum InstructionClass;
  if (is_vector_fma(c)) return group_vector_fma;
  if (is_vector_load(c) || is_vector_store(c)) return group_vector_memory;
  if (is_vector(c)) return group_vector_arithmetic;
  if (c == vector_configure) return group_vector_configure;
  if (c >= branch && c <= system) return group_control;
  if (c >= fp_add_single && c <= fp_move_from_integer) return group_scalar_fp;
  if (c >= load && c <= cache_block) return group_scalar_memory;
  return group_integer;
}

void answer(CoreSlot& slot, std::uint64_t address) {
  auto* request = reinterpret_cast<ModelledClockRequest*>(address + plugin->guest_base);
  if (address == 0 || request->magic != ModelledClockRequest::question ||
      request->bytes != sizeof(ModelledClockRequest))
    return;
  request->magic = ModelledClockRequest::answer;
  request->cycles = static_cast<std::uint64_t>(slot.core.cycles());
  request->instructions = slot.core.instructions();
  request->unknown_instructions = slot.core.unknown_instructions();
  request->clock_hz = plugin->parameters.clock_hz;
  if (!request->detail) return;
  const std::lock_guard lock(plugin->mutex);
  const auto blocks = all_blocks();
  // Of this core only: the others are running.
  const std::vector<Core*> cores{&slot.core};
  for (auto& group : request->groups) group = 0;
  const auto counts = class_counts(blocks, cores);
  for (std::size_t c = 0; c < counts.size(); ++c)
    request->groups[group_of(static_cast<InstructionClass>(c))] += counts[c];
  std::memset(request->unknown, 0, sizeof request->unknown);
  int next = 0;
  for (const auto& unknown : unknown_instructions(blocks, cores)) {
    if (next == ModelledClockRequest::unknown_kinds) break;
    request->unknown[next++] = {
        static_cast<std::uint32_t>(std::strtoul(unknown.name.c_str(), nullptr, 16)),
        static_cast<std::uint32_t>(std::min<std::uint64_t>(unknown.count, ~std::uint32_t{0}))};
  }
}

void on_system_call(qemu_plugin_id_t, unsigned vcpu, std::int64_t number, std::uint64_t a1,
                    std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                    std::uint64_t, std::uint64_t) {
  CoreSlot& slot = *plugin->cores[vcpu];
  // The block that ends in the ecall is complete.
  if (slot.pending) {
    finish_pending(slot, slot.pending->fall_through);
    slot.pending = nullptr;
  }
  if (number == modelled_clock_syscall) answer(slot, a1);
}

void on_exit(qemu_plugin_id_t, void*) {
  for (CoreSlot* slot : plugin->cores)
    if (slot && slot->pending) {
      finish_pending(*slot, slot->pending->fall_through);
      slot->pending = nullptr;
    }
  if (plugin->report.empty()) return;
  SymbolMap symbols;
  if (plugin->functions) symbols = mapped_functions(plugin->guest_base);
  Json report = timing_report(plugin->parameters, all_blocks(), all_cores(),
                              plugin->functions ? &symbols : nullptr);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double seconds =
      static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
      1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  // The only figures here that differ from run to run: the emulator's own speed.
  report["host"] = {{"cpu_seconds", seconds},
                    {"instructions_per_second",
                     seconds > 0 ? report["instructions"].get<double>() / seconds : 0.0}};
  try {
    write_file(plugin->report, report.dump(1) + "\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quern timing plugin: %s\n", error.what());
  }
}

bool is_on(const std::string& value) {
  return value == "on" || value == "true" || value == "1" || value == "yes";
}

void install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** arguments) {
  if (std::strcmp(info->target_name, "riscv64") != 0 || info->system_emulation)
    give_up("works in qemu-riscv64 (user mode) only");
  plugin = new Plugin;  // lives as long as the process: threads may run while it exits
  std::string board;
  for (int i = 0; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto equal = argument.find('=');
    const std::string key = argument.substr(0, equal),
                      value = equal == std::string::npos ? "" : argument.substr(equal + 1);
    if (key == "board")
      board = value;
    else if (key == "report")
      plugin->report = value;
    else if (key == "functions")
      plugin->functions = is_on(value);
    else if (key == "shared_l2")
      plugin->shared_l2 = is_on(value);
    else
      give_up(("unknown argument " + argument).c_str());
  }
  if (board.empty()) give_up("argument board=FILE is missing");
  try {
    plugin->parameters = load_parameters(std::filesystem::path(board));
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  plugin->outer = std::make_shared<OuterMemory>(plugin->parameters);
  qemu_plugin_register_vcpu_init_cb(id, on_core_start);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
}

}  // namespace
}  // namespace quern::timing

extern "C" {
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const qemu_info_t* info, int count,
                                                               char** arguments) {
  quern::timing::install(id, info, count, arguments);
  return 0;
}
}
