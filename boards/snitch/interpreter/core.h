// The state of the interpreted core and one step of it. interpreter.h is the way in.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>

#include "boards/snitch/interpreter/interpreter.h"
#include "boards/snitch/interpreter/memory.h"
#include "boards/snitch/interpreter/sequencer.h"
#include "boards/snitch/interpreter/streams.h"

namespace quern::snitch::interpreter {

class IllegalInstruction : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Core {
 public:
  Core(const ElfImage& image, const InterpreterOptions& options, InterpreterResult& result);

  // Runs until the program writes tohost (true) or the instruction limit is reached (false).
  bool run();
  void finish();

  std::uint32_t pc() const { return pc_; }
  const Memory& memory() const { return memory_; }

 private:
  void step();
  // Integer side (core_integer.cpp). Each returns false for an encoding that it does not know.
  bool execute_integer(std::uint32_t bits);
  bool execute_memory(std::uint32_t bits);
  bool execute_atomic(std::uint32_t bits);
  bool execute_system(std::uint32_t bits);
  void write_csr(unsigned csr, std::uint32_t value, bool immediate);
  std::uint32_t read_csr(unsigned csr);
  void set_x(unsigned rd, std::uint32_t value) {
    if (rd != 0) x_[rd] = value;
  }
  void jump(std::uint32_t target);

  // Floating-point side (core_float.cpp).
  bool execute_float(std::uint32_t bits);
  bool execute_custom(std::uint32_t bits);  // frep.o, scfg*
  void execute_offload(const FpOffload& offload);
  void execute_arithmetic(const FpOffload& offload);
  bool streams_register(unsigned reg) const { return streams_enabled_ && reg < streams_.size(); }
  std::uint64_t read_f(unsigned reg);
  void write_f(unsigned reg, std::uint64_t value);

  const InterpreterOptions options_;
  InterpreterResult& result_;
  Memory memory_;
  StreamMemory stream_memory_;
  std::array<Stream, 3> streams_;
  Sequencer sequencer_;

  std::uint32_t pc_, next_pc_ = 0, tohost_ = 0;
  std::array<std::uint32_t, 32> x_{};
  std::array<std::uint64_t, 32> f_{};
  std::map<unsigned, std::uint32_t> csr_;
  std::uint8_t fflags_ = 0, frm_ = 0;
  std::uint32_t fmode_ = 0, chained_ = 0;
  std::array<std::deque<std::uint64_t>, 32> chain_;
  bool streams_enabled_ = false, exited_ = false;
  std::uint64_t issued_ = 0;  // all instructions, for the limit
};

}  // namespace quern::snitch::interpreter
