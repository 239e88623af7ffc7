#include "boards/snitch/interpreter/streams.h"

namespace quern::snitch::interpreter {
namespace {

// Register numbers of scfgwi (facts: Xssr address map).
constexpr unsigned kStatus = 0, kRepeat = 1, kBound = 2, kStride = 6, kIndirectFirst = 10,
                   kReadPointer = 24, kWritePointer = 28;
constexpr std::size_t kFifoDepth = 4;

}  // namespace

void Stream::configure(unsigned reg, std::uint32_t value) {
  if (reg == kRepeat) {
    shadow_.repeat = value & 15;  // four bits in the default configuration
  } else if (reg >= kBound && reg < kStride) {
    shadow_.bound[reg - kBound] = value & kAddressMask;
  } else if (reg >= kStride && reg < kIndirectFirst) {
    shadow_.stride[reg - kStride] = value & kAddressMask & ~7u;
  } else if (reg >= kReadPointer) {
    Job job;
    job.shape = shadow_;
    job.write = reg >= kWritePointer;
    job.dimensions = (job.write ? reg - kWritePointer : reg - kReadPointer) + 1;
    job.done = false;
    job.pointer = value & kAddressMask & ~7u;
    waiting_.push_back(job);
    start_next();
  } else if (reg == kStatus) {
    shadow_ = Shape{};
  } else {
    throw StreamMisuse("stream " + name() + ": indirection register " + std::to_string(reg) +
                       " is not supported");
  }
}

std::uint32_t Stream::status(unsigned reg) const {
  if (reg == kRepeat) return job_.done ? shadow_.repeat : job_.shape.repeat;
  const Shape& shape = job_.done ? shadow_ : job_.shape;
  if (reg >= kBound && reg < kStride) return shape.bound[reg - kBound];
  if (reg >= kStride && reg < kIndirectFirst) return shape.stride[reg - kStride];
  const std::uint32_t dimensions = job_.dimensions == 0 ? 0 : job_.dimensions - 1;
  return (job_.done ? 1u << 31 : 0) | (job_.write ? 1u << 30 : 0) | dimensions << 28 | job_.pointer;
}

std::uint32_t Stream::next_address() {
  const std::uint32_t address = job_.pointer;
  for (unsigned d = 0; d < job_.dimensions; ++d) {
    if (job_.at[d] < job_.shape.bound[d]) {
      ++job_.at[d];
      job_.pointer = (job_.pointer + job_.shape.stride[d]) & kAddressMask;
      return address;
    }
    job_.at[d] = 0;
  }
  job_.done = true;
  return address;
}

void Stream::start_next() {
  if (!job_.done || waiting_.empty()) return;
  // A write job starts behind the elements of a read job that are still in the FIFO.
  job_ = waiting_.front();
  waiting_.pop_front();
  fetch();
}

void Stream::fetch() {
  while (!job_.write && !job_.done && fifo_.size() < kFifoDepth) {
    const std::uint32_t repeat = job_.shape.repeat;
    fifo_.push_back({memory_.read(next_address()), repeat + 1});
    if (job_.done) start_next();
  }
}

std::uint64_t Stream::pop() {
  if (fifo_.empty()) {
    throw StreamMisuse("stream " + name() +
                       (job_.write && !job_.done ? " is read while it is a write stream"
                                                 : " is read after its last element (deadlock)"));
  }
  const std::uint64_t value = fifo_.front().value;
  if (--fifo_.front().uses == 0) {
    fifo_.pop_front();
    fetch();
  }
  return value;
}

void Stream::push(std::uint64_t value) {
  if (job_.done || !job_.write) {
    throw StreamMisuse("stream " + name() +
                       (job_.done ? " is written after its last element (deadlock)"
                                  : " is written while it is a read stream"));
  }
  memory_.write(next_address(), value);
  if (job_.done) start_next();
}

bool Stream::writing() const { return job_.write && !job_.done; }

std::uint64_t Stream::leftover() const {
  std::uint64_t count = fifo_.size() + waiting_.size();
  return job_.done ? count : count + 1;
}

}  // namespace quern::snitch::interpreter
