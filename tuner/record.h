// A record: one measurement of one point on one board, good or failed, with the versions of
// everything that made it.
//
// Records are what the journal keeps, what search strategies learn from and what reporters print. A
// point that did not compile, crashed or was wrong has a record too: its outcome says what
// happened.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_file.h"
#include "boards/transports/transport.h"

namespace quern::tuner {

enum class Outcome {
  ok,
  compile_failed,       // the compiler refused the source
  compile_timeout,      // the compiler did not end
  poor_code,            // its object code is not what a kernel's loop should be
  wrong_result,         // it ran, and the verifier says no
  illegal_instruction,  // it uses what the board lacks
  crash,                // it died of a signal
  timeout,              // it did not end in time
  out_of_memory,
  board_lost,   // the board or the emulator failed, not the point; worth another try
  interrupted,  // the user stopped us
};

std::string_view to_string(Outcome outcome);
// Throws bad_input for a word that is none.
Outcome parse_outcome(std::string_view word);
// What a run that is not ok means for a point.
Outcome outcome_of(const boards::RunResult& result);
// What a command that measured one point ends with.
ExitCode exit_code(Outcome outcome);

struct Record {
  std::string time;  // when it was made, UTC, ISO 8601
  std::string board;
  std::string via;
  std::string timing;  // "measured", "rtl" or "modelled"
  std::string what;    // "kernel": a micro-kernel alone; "gemm": a whole GEMM, packing included
  std::string id;      // kernel point
  std::string who = "quern";  // or the peer whose GEMM it is
  std::string dtype;
  std::int64_t m = 0, n = 0, k = 0;
  std::string trans = "nn";  // of a GEMM: how A and B are stored, n(ot transposed) or t(ransposed)
  std::int64_t m_c = 0, n_c = 0, k_c = 0;  // of a GEMM of ours; 0 elsewhere
  Outcome outcome = Outcome::ok;
  std::string reason;                  // one line, when not ok, or ok without figures
  std::vector<double> cycles;          // samples, each of one call
  std::vector<double> seconds;         // samples of a real clock; empty unless measured
  std::optional<double> instructions;  // of one call
  std::optional<std::uint64_t> unknown_instructions;
  std::optional<double> max_error;  // largest error relative to its magnitude
  std::optional<double> gflops;     // median; none for empty problems
  std::optional<double> peak_fraction;
  std::optional<double> fpu_occupancy;  // FPU issues a cycle, of machines that count them
  Json versions = Json::object();       // compiler, flags, emulator, board file, sources ...
};

Json to_json(const Record& record);
// Throws bad_input naming the key that is missing or of the wrong kind; `name` is what messages
// call the place.
Record record_from_json(const Json& json, const std::string& name);

// Fills gflops and peak_fraction from the samples. `operations` (2, or 8 of complex types) for each
// of m*n*k multiply-accumulates; nothing is filled for empty problems.
void rate(Record& record, double clock_hz, double peak_gflops, int operations = 2);

// Now, UTC: "2026-11-29T21:13:27Z".
std::string utc_now();

}  // namespace quern::tuner
