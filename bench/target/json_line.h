// One JSON object as one line of stdout: what a bench program reports, and all that the host reads
// of it. Built with nothing but the C library, since it must run wherever a program of the board
// runs.
#pragma once

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

namespace quern::bench {

class JsonLine {
 public:
  void text(const char* key, const std::string& value) { add(key, "\"" + value + "\""); }
  void flag(const char* key, bool value) { add(key, value ? "true" : "false"); }
  void integer(const char* key, long long value) { add(key, std::to_string(value)); }
  void number(const char* key, double value) { add(key, format(value)); }
  void numbers(const char* key, const std::vector<double>& values) {
    std::string list;
    for (double value : values) list += (list.empty() ? "" : ",") + format(value);
    add(key, "[" + list + "]");
  }
  // Prints the line and flushes it, so that it is kept if the program dies later.
  void print() {
    std::printf("{%s}\n", body_.c_str());
    std::fflush(stdout);
    body_.clear();
  }

 private:
  static std::string format(double value) {
    if (!std::isfinite(value)) return "null";  // JSON has no NaN
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    return buffer;
  }
  void add(const char* key, const std::string& value) {
    if (!body_.empty()) body_ += ',';
    body_ += '"';
    body_ += key;
    body_ += "\":";
    body_ += value;
  }
  std::string body_;
};

}  // namespace quern::bench
