// Sets of small integers as words of bits, sized once: the closures of the bounds are unions of
// them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace quern::planner {

class Bits {
 public:
  Bits() = default;
  explicit Bits(int size) : words_((static_cast<std::size_t>(size) + 63) / 64, 0) {}

  void insert(int i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  bool contains(int i) const { return ((words_[i / 64] >> (i % 64)) & 1) != 0; }
  void operator|=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  void operator&=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  }
  bool contains_all(const Bits& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((other.words_[w] & ~words_[w]) != 0) return false;
    }
    return true;
  }
  bool operator==(const Bits&) const = default;

  // Calls visit(i) for each member that `without` does not have.
  template <class Visit>
  void for_each_beyond(const Bits& without, Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      visit_word(w, words_[w] & ~without.words_[w], visit);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) visit_word(w, words_[w], visit);
  }

  std::size_t words() const { return words_.size(); }
  std::size_t hash() const {
    std::uint64_t z = 0x9E3779B97F4A7C15ULL;
    for (std::uint64_t word : words_) {
      z = (z ^ word) * 0xBF58476D1CE4E5B9ULL;
      z ^= z >> 29;
    }
    return z;
  }

 private:
  template <class Visit>
  static void visit_word(std::size_t w, std::uint64_t word, Visit& visit) {
    for (; word != 0; word &= word - 1) visit(static_cast<int>(w * 64) + std::countr_zero(word));
  }

  std::vector<std::uint64_t> words_;
};

struct BitsHash {
  std::size_t operator()(const Bits& bits) const { return bits.hash(); }
};

}  // namespace quern::planner
