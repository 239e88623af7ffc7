// Reads members of a board file's timing block, keeping the JSON pointer for messages.
//
//   Reader timing(board, "k230.json", "/timing");
//   timing.child("issue").integer("width", 1, 8)
//     --> k230.json: /timing/issue/width/value: 0 is outside 1 .. 8
//
// Every value is {"value": ..., "source": "..."}; what is missing, of another type or out of its
// range is bad_input.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/json_file.h"
#include "boards/timing/parameters.h"

namespace quern::timing {

class Reader {
 public:
  Reader(const Json& json, std::string name, std::string pointer)
      : json_(json), name_(std::move(name)), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string& member, const std::string& what) const;

  const Json& json() const { return json_; }
  const std::string& name() const { return name_; }
  const std::string& pointer() const { return pointer_; }

  bool has(const std::string& key) const { return json_.is_object() && json_.contains(key); }
  Reader child(const std::string& key) const;
  Reader item(std::size_t index) const;

  // A plain number within [low, high]; whole numbers only.
  double plain_number(double low, double high) const;
  std::int64_t plain_integer(std::int64_t low, std::int64_t high) const;

  // {"value": number, "source": "..."} within [low, high].
  double number(const std::string& key, double low, double high) const;
  int integer(const std::string& key, int low, int high) const;
  bool boolean(const std::string& key) const;
  // {"value": one of the words, "source": "..."}: the word's index.
  int one_of(const std::string& key, std::initializer_list<const char*> words) const;

  void check_source() const;
  // An object with no members but these.
  void allow(std::initializer_list<const char*> keys) const;

 private:
  const Json& json_;
  std::string name_;
  std::string pointer_;
};

// The parts of the timing block: /timing/instructions, and /caches with /timing/memory.
void read_instructions(const Reader& timing, Parameters& parameters);
void read_memory(const Reader& board, const Reader& timing, Parameters& parameters);

}  // namespace quern::timing
