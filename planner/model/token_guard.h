// A stream of JSON text in which no token is long: a parser keeps the token it reads, so a string
// that never ends would fill the memory. Only counts; what the text means is the parser's business.
#pragma once

#include <fstream>
#include <streambuf>
#include <string>
#include <vector>

namespace quern::planner {

class TokenGuard : public std::streambuf {
 public:
  static constexpr std::size_t longest_token = 1 << 16;

  // `name` is for the message of the bad_input that a longer token throws.
  TokenGuard(std::ifstream& in, std::string name)
      : in_(in), name_(std::move(name)), block_(1 << 16) {}

 protected:
  int_type underflow() override;

 private:
  std::ifstream& in_;
  std::string name_;
  std::vector<char> block_;
  bool in_string_ = false, escaped_ = false;
  std::size_t length_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace quern::planner
