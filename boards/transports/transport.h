// How programs reach a board: a transport makes files available there, runs a program under limits,
// and brings files back.
//
//        this host                          the board
//   program, inputs ── upload ──────────►  same bytes
//   Program         ── run ─────────────►  process, with limits
//   RunResult       ◄─ outcome, output ──
//   outputs         ◄─ fetch ───────────   files it wrote (scratch)
//
// How a run ended is a value of a closed enum, because a search records it and goes on; only what
// the user must repair (a missing tool, a file that is no program for this machine) is an Error.
//
// A transport knows no board files: it takes plain values (Machine). Each is one file, registered
// by one line in transports.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_file.h"
#include "boards/timing_word.h"

namespace quern::boards {

enum class Outcome {
  ok,                   // exit code 0
  nonzero_exit,         // status: exit code
  crash,                // status: signal
  illegal_instruction,  // the program uses what this machine lacks (SIGILL)
  timeout,              // ended at time_limit
  out_of_memory,        // it was refused memory beyond memory_limit, and ended badly after that
  interrupted,          // the user stopped us
  unavailable,          // the board or the emulator failed, not the program
};

// "ok", "nonzero_exit" ..., as records and JSON have it.
std::string_view to_string(Outcome outcome);

struct Program {
  std::filesystem::path binary;  // a file of this host
  std::vector<std::string> arguments = {};
  std::string input = {};                               // given on stdin
  std::map<std::string, std::string> environment = {};  // added to the board's own
  std::optional<std::chrono::milliseconds> time_limit = {};
  std::optional<std::uint64_t> memory_limit = {};  // bytes that the program may map
  // Extensions that it uses beyond what any program may (rv64gcv and bit manipulation), of those
  // that the machine has: "zvfbfwma". Where several emulators serve, they decide which one runs it.
  std::set<std::string> needs = {};
};

struct RunResult {
  Outcome outcome = Outcome::unavailable;
  int status = 0;           // exit code or signal, by outcome
  std::string output;       // stdout
  std::string errors;       // stderr
  bool output_cut = false;  // there was more than anyone reads
  double host_seconds =
      0;                // wall clock here; never a figure of the board unless it is measured there
  std::string reason;   // one line for people; empty when ok
  std::string command;  // what was started, to be repeated by hand
  // Counted by the machine itself, where the transport is told; else absent.
  std::optional<std::uint64_t> cycles = {}, instructions = {};
  Json report = nullptr;  // of the timing model (boards/timing/timing_report.h), where one counted
  std::string untimed;    // why no timing model counted though one was asked for; else empty
};

// The model that a transport without a clock of its own may count cycles with.
struct TimingModel {
  std::filesystem::path plugin;      // for emulators: a TCG plugin
  std::filesystem::path parameters;  // the board file with the model's block
  bool functions = false;            // tell functions apart in the report
  bool shared_l2 = false;            // the guest's threads share one L2 and DRAM, not one each
};

// What a transport needs to know of the machine.
struct Machine {
  std::string board;                 // for messages
  std::set<std::string> extensions;  // {"i", "m", "v", "zba", ...}
  int vlen = 0;                      // bits; 0: no vector unit
  Json settings = Json::object();    // the board file's block for this transport (address, ...)
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Makes a file or folder of this host available; returns the name by which programs on the board
  // open it. Throws bad_input if it does not exist.
  virtual std::string upload(const std::filesystem::path& file) = 0;

  // A fresh name on the board for a file that a program will write. Gone with the transport.
  virtual std::string scratch(std::string_view name) = 0;

  // Copies a file from the board. False if it is not there.
  virtual bool fetch(const std::string& name, const std::filesystem::path& to) = 0;

  // Runs a program to its end. Throws bad_input if it is no program for this machine, tool_missing
  // if what the transport itself needs is not installed.
  virtual RunResult run(const Program& program) = 0;

  // For the runs that follow: count with this model. Where time is real, or a simulation's, there
  // is nothing to model and this does nothing.
  virtual void use_timing_model(const TimingModel&) {}

  // Name and version of what runs programs with these needs, for records; empty where the board
  // itself does.
  virtual std::string version(const std::set<std::string>&) const { return {}; }
};

// One way to reach boards.
struct TransportKind {
  std::string_view name;   // --via NAME
  std::string_view board;  // the kind of board that it reaches
  Timing timing;           // of the figures it gives
  std::unique_ptr<Transport> (*make)(const Machine& machine);
};

// All ways, in the order of messages.
const std::vector<TransportKind>& transport_kinds();

// Throws bad_input naming the known ways.
const TransportKind& transport_kind(std::string_view name);
// The same for boards of one kind.
const TransportKind& transport_kind(std::string_view name, std::string_view board);

}  // namespace quern::boards
