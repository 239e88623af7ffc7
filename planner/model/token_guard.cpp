#include "planner/model/token_guard.h"

#include <cstring>

#include "base/error.h"

namespace quern::planner {

TokenGuard::int_type TokenGuard::underflow() {
  in_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
  const std::streamsize count = in_.gcount();
  if (count <= 0) return traits_type::eof();
  for (std::streamsize i = 0; i < count; ++i) {
    const char c = block_[static_cast<std::size_t>(i)];
    if (c == '\n') ++line_;
    const bool breaks =
        in_string_ ? c == '"' && !escaped_ : std::strchr(" \t\r\n,:[]{}\"", c) != nullptr;
    escaped_ = in_string_ && c == '\\' && !escaped_;
    if (breaks) {
      if (c == '"') in_string_ = !in_string_;
      length_ = 0;
    } else if (++length_ > longest_token) {
      throw bad_input("{}:{}: a {} is longer than {} bytes", name_, line_,
                      in_string_ ? "string" : "word or number", longest_token);
    }
  }
  setg(block_.data(), block_.data(), block_.data() + count);
  return traits_type::to_int_type(block_[0]);
}

}  // namespace quern::planner
