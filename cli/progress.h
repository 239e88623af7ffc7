// A progress bar on stderr, drawn only on a terminal: [#####-----] 12/24, 3.4/min, 3:31 left.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace quern::cli {

class Progress {
 public:
  // `quiet` draws nothing, as does a stderr that is no terminal.
  Progress(std::size_t total, bool quiet);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more is done; `what` is shown behind the bar.
  void step(const std::string& what);

  // The text of the bar, without drawing it.
  static std::string text(std::size_t done, std::size_t total, double seconds);

 private:
  std::size_t total_, done_ = 0;
  bool drawn_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace quern::cli
