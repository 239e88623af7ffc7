// Lists of ints by row, stored flat: successors of a node, buffers of a command, commands of a
// buffer.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace quern::planner {

class Adjacency {
 public:
  Adjacency() = default;
  // From (row, value) pairs; the values of a row keep the order of the pairs.
  Adjacency(int rows, std::span<const std::pair<int, int>> pairs) : offsets_(rows + 1, 0) {
    for (const auto& [row, value] : pairs) ++offsets_[row + 1];
    for (int row = 0; row < rows; ++row) offsets_[row + 1] += offsets_[row];
    values_.resize(pairs.size());
    std::vector<std::int32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const auto& [row, value] : pairs) values_[next[row]++] = value;
  }

  int rows() const { return static_cast<int>(offsets_.size()) - 1; }
  std::span<const int> operator[](int row) const {
    return {values_.data() + offsets_[row], values_.data() + offsets_[row + 1]};
  }
  int begin_of(int row) const { return offsets_[row]; }

 private:
  std::vector<std::int32_t> offsets_{0};
  std::vector<int> values_;
};

}  // namespace quern::planner
