#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include "cli/context.h"

namespace quern::cli {

std::string Progress::text(std::size_t done, std::size_t total, double seconds) {
  constexpr std::size_t width = 24;
  const std::size_t filled = total == 0 ? width : width * done / total;
  std::string out = "[" + std::string(filled, '#') + std::string(width - filled, '-') + "]";
  out += fmt::format(" {}/{}", done, total);
  if (done == 0 || seconds <= 0) return out;
  const double rate = static_cast<double>(done) / seconds;
  const auto left = static_cast<long>(static_cast<double>(total - done) / rate + 0.5);
  return out + fmt::format(", {:.1f}/min, {}:{:02} left", 60 * rate, left / 60, left % 60);
}

Progress::Progress(std::size_t total, bool quiet)
    : total_(total), drawn_(!quiet && isatty(STDERR_FILENO) != 0) {
  if (drawn_) print_stderr(fmt::format("{}\r", text(0, total_, 0)));
}

Progress::~Progress() {
  if (drawn_) print_stderr("\033[2K\r");
}

void Progress::step(const std::string& what) {
  ++done_;
  if (!drawn_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  print_stderr(fmt::format("\033[2K{}  {}\r", text(done_, total_, elapsed.count()), what));
}

}  // namespace quern::cli
