#include "base/interrupt.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <mutex>

#include "base/error.h"

namespace quern {
namespace {

std::atomic<bool> flag = false;
std::atomic<std::int64_t> first_second = 0;
std::atomic<int> descriptor = -1;

char last_words[4096];
std::atomic<std::size_t> last_words_length = 0;

std::mutex guards_mutex;
int guards = 0;
struct sigaction before_int;
struct sigaction before_term;

// Async-signal-safe: atomics, clock_gettime(2), write(2) and _exit(2) only.
void on_signal(int) {
  const int saved = errno;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (flag.exchange(true)) {
    // timeout(1) signals the process and then its group: one wish, heard twice.
    if (now.tv_sec > first_second.load() + 1) {
      if (write(STDOUT_FILENO, last_words, last_words_length.load()) < 0) {
        // Nobody listens.
      }
      _exit(static_cast<int>(ExitCode::interrupted));
    }
    errno = saved;
    return;
  }
  first_second = now.tv_sec;
  const std::uint64_t one = 1;
  if (write(descriptor.load(), &one, sizeof one) < 0) {
    // Already readable; nothing to do.
  }
  errno = saved;
}

void open_descriptor() {
  static std::once_flag once;
  std::call_once(once, [] {
    descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    QUERN_CHECK(descriptor.load() >= 0);
  });
}

}  // namespace

InterruptGuard::InterruptGuard() {
  open_descriptor();
  const std::lock_guard lock(guards_mutex);
  if (guards++ > 0) return;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, nullptr, &before_int);
  sigaction(SIGTERM, nullptr, &before_term);
  // A caller that had us ignore Ctrl-C (nohup, a shell's background job) is obeyed.
  if (before_int.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
  const std::lock_guard lock(guards_mutex);
  if (--guards > 0) return;
  sigaction(SIGINT, &before_int, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
}

bool interrupted() { return flag.load(); }

int interrupt_descriptor() {
  open_descriptor();
  return descriptor.load();
}

void set_last_words(std::string_view text) {
  QUERN_CHECK(text.size() <= sizeof last_words);
  last_words_length = 0;
  text.copy(last_words, text.size());
  last_words_length = text.size();
}

void clear_interrupt() {
  flag = false;
  std::uint64_t count;
  if (read(interrupt_descriptor(), &count, sizeof count) < 0) {
    // It was not readable.
  }
}

}  // namespace quern
