// Ctrl-C and SIGTERM as a question that long work asks between two steps, so that what was measured
// is kept and the exit code is 130.
//
//   InterruptGuard guard;                 // signals set the flag instead of killing us
//   for (point : points) {
//     if (interrupted()) return ExitCode::interrupted;
//     ...run_process(...)                 // ends with ProcessEnd::interrupted
//   }
//
// The flag stays set: everything that asks later stops as well. Another signal two seconds
// later ends the program at once with 130, for work that does not ask; its last words go to stdout,
// and children die with us (base/process.h).
#pragma once

#include <string_view>

namespace quern {

class InterruptGuard {
 public:
  InterruptGuard();   // guards may nest and may live in several threads
  ~InterruptGuard();  // the last one gives the signals back
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

// True once SIGINT or SIGTERM came while a guard lived.
bool interrupted();

// A descriptor that is readable once interrupted(), for poll(2). Never read from it.
int interrupt_descriptor();

// What is written to stdout when a second signal ends the program; at first nothing. At most 4096
// bytes, kept as a copy.
void set_last_words(std::string_view text);

// Forgets the signal; for tests.
void clear_interrupt();

}  // namespace quern
