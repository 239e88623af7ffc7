// Memory between pages that nobody may touch: one element read or written too far is a crash, not a
// surprise.
//
//     front:  guard |data........      | guard      nothing before the first element
//     back:   guard |      ........data| guard      nothing behind the last one
//     odd:    guard |.data........     | guard      aligned to one number, and to no more
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace quern::bench {

enum class Place { front, back, odd };

// One operand of a kernel, placed anew for every call. `T` is its number type: of complex elements
// the real one, so that `odd` is what the least alignment allows.
template <class T>
class Guarded {
 public:
  // Room for `capacity` numbers.
  explicit Guarded(std::int64_t capacity) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    body_ = (static_cast<std::size_t>(capacity + 1) * sizeof(T) + page - 1) / page * page;
    mapped_ = body_ + 2 * page;
    base_ = static_cast<char*>(
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page, body_, PROT_READ | PROT_WRITE) != 0) abort();
    first_ = base_ + page;
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(base_, mapped_); }

  // Where `count` numbers, at most the capacity, are to be put. What stood there is lost.
  T* place(std::int64_t count, Place where) {
    switch (where) {
      case Place::front:
        return reinterpret_cast<T*>(first_);
      case Place::back:
        return reinterpret_cast<T*>(first_ + body_) - count;
      case Place::odd:
        return reinterpret_cast<T*>(first_) + 1;
    }
    return nullptr;
  }

 private:
  std::size_t body_, mapped_;
  char* base_;
  char* first_;
};

}  // namespace quern::bench
