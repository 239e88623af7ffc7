// The three stream registers (SSR) as a program sees them, without time.
//
//   scfgwi bounds, strides, repeat ─> shadow set ─(pointer write)─> job queue ─> addresses
//                                                                      │
//        read job:  memory ─> FIFO of 4 ─> ft0 / ft1 / ft2             write job: FPU result ─>
//        memory
//
// A read job fetches up to four elements ahead, as the hardware does, so that elements that a
// program leaves behind reach the next job, and a store that comes too late is not seen. What would
// hang the hardware (reading an exhausted stream, writing past the last element) is reported as
// misuse.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>

namespace quern::snitch::interpreter {

// A program used a stream in a way that hangs or corrupts the hardware.
class StreamMisuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// 64-bit word access by TCDM offset (17 bits, low three ignored).
struct StreamMemory {
  std::function<std::uint64_t(std::uint32_t)> read;
  std::function<void(std::uint32_t, std::uint64_t)> write;
};

class Stream {
 public:
  static constexpr unsigned kDimensions = 4;
  static constexpr std::uint32_t kAddressMask = (1u << 17) - 1;

  Stream(unsigned index, const StreamMemory& memory) : index_(index), memory_(memory) {}

  void configure(unsigned reg, std::uint32_t value);
  std::uint32_t status(unsigned reg) const;

  std::uint64_t pop();
  void push(std::uint64_t value);
  bool writing() const;

  // Elements that were fetched or announced and never used.
  std::uint64_t leftover() const;

 private:
  struct Shape {
    std::array<std::uint32_t, kDimensions> bound{};   // iterations - 1
    std::array<std::uint32_t, kDimensions> stride{};  // increments of the running pointer
    std::uint32_t repeat = 0;                         // deliveries - 1
  };
  struct Job {
    Shape shape;
    unsigned dimensions = 0;
    bool write = false;
    bool done = true;  // all addresses issued
    std::uint32_t pointer = 0;
    std::array<std::uint32_t, kDimensions> at{};
  };
  struct Element {
    std::uint64_t value;
    std::uint32_t uses;  // deliveries still to come
  };

  void start_next();
  void fetch();
  std::uint32_t next_address();
  std::string name() const { return "ft" + std::to_string(index_); }

  unsigned index_;
  const StreamMemory& memory_;
  Shape shadow_;
  Job job_;
  std::deque<Job> waiting_;
  std::deque<Element> fifo_;
};

}  // namespace quern::snitch::interpreter
