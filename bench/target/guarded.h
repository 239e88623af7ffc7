// Memory that ends at a page which nobody may touch: one element read or written too far is a
// crash, not a surprise.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace quern::bench {

template <class T>
class Guarded {
 public:
  // `count` elements whose last byte is followed by a guard page; another guard page stands before
  // the first page.
  explicit Guarded(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t body = (bytes_ + page - 1) / page * page;
    mapped_ = body + 2 * page;
    base_ = static_cast<char*>(
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base_ == MAP_FAILED ||
        (body > 0 && mprotect(base_ + page, body, PROT_READ | PROT_WRITE) != 0))
      abort();
    data_ = reinterpret_cast<T*>(base_ + page + body - bytes_);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(base_, mapped_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::int64_t i) { return data_[i]; }

 private:
  std::size_t bytes_, mapped_;
  char* base_;
  T* data_;
};

}  // namespace quern::bench
