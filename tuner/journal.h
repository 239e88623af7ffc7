// The journal of a board: every record ever made, one JSON line each, appended and never rewritten.
//
//     results/bpi-f3.jsonl     {"schema":"quern.record.v1","time":...}\n
//                              {"schema":"quern.record.v1","time":...}\n
//                              {"schema":"quern.rec                        <- torn by a crash: cut
//                              off at next opening
//
// A line is written with one write(2) under a file lock and then synced, so a record is there whole
// or not at all, also when several processes share a journal or one is killed.
#pragma once

#include <filesystem>
#include <vector>

#include "tuner/record.h"

namespace quern::tuner {

class Journal {
 public:
  // Opens for appending, making file and folder if needed, and cuts off a torn last line.
  // Throws bad_input if the place cannot be written.
  explicit Journal(const std::filesystem::path& file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void append(const Record& record);
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

// results/<board>.jsonl
std::filesystem::path journal_file(const std::filesystem::path& results, const std::string& board);

// All records of a journal, oldest first; empty if there is none. A torn last line is passed over;
// any other line that is no record throws bad_input with file and line.
std::vector<Record> read_journal(const std::filesystem::path& file);

}  // namespace quern::tuner
