// Problems and solutions as CSV files in MiniMalloc's format (github.com/google/minimalloc), so
// that files go back and forth between the two programs.
//
//   id,lower,upper,size,alignment,gaps,offset       columns in any order, found by the header
//   b1,0,3,4,1,,8                                   id | buffer | buffer_id
//   b2,3,9,4,2,4-6 7-8@0:2,                         lower | begin | start       upper | end
//
// * `upper` is the first time after the lifespan; `end` is the last time of it (MiniMalloc's rule),
// and the
//   ends of gaps follow the column that the file has.
// * `alignment`, `gaps`, `offset`, `hint` may be missing, or empty in a row. `offset` fixes the
// address.
//   Gaps are separated by spaces; "a-b" frees the whole buffer from a to b, "a-b@l:h" all but the
//   bytes [l, h) of it.
// * Other columns are kept and ignored. A byte-order mark, CR LF and empty lines at the end are
// accepted;
//   quoted fields are not (MiniMalloc has none).
//
// Anything else is bad input, and the message names file, line and column.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "planner/allocation/problem.h"

namespace quern::planner::allocation {

// Bounds on a file, so that a wrong file is refused instead of filling the memory.
inline constexpr std::size_t largest_file = std::size_t{256} << 20;  // bytes
inline constexpr std::size_t most_buffers = 1'000'000;

// A problem with the text it came from.
struct ProblemFile {
  Problem problem;
  std::string name;                // for messages
  std::string header;              // as read, without line end
  std::vector<std::string> rows;   // as read; row i is buffer i
  std::vector<std::size_t> lines;  // the line of buffer i, from 1
  std::size_t columns = 0;
  std::size_t offset_column = std::string::npos;
};

ProblemFile parse_problem(std::string_view text, std::string_view name);
ProblemFile read_problem(const std::filesystem::path& path);

// The input with its `offset` column filled in, or with one appended: every other column as it was.
std::string solution_csv(const ProblemFile& file, const Solution& solution);

}  // namespace quern::planner::allocation
