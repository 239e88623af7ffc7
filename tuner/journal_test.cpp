#include "tuner/journal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

namespace quern::tuner {
namespace {

std::filesystem::path fresh_file(const char* name) {
  const auto file = std::filesystem::path(testing::TempDir()) / "quern_journal_test" / name;
  std::filesystem::remove(file);
  return file;
}

Record example(const std::string& id) {
  Record r;
  r.time = "2026-01-02T03:04:05Z";
  r.board = "bpi-f3";
  r.via = "qemu";
  r.timing = "modelled";
  r.what = "kernel";
  r.id = id;
  r.dtype = "f32";
  r.m = 16;
  r.n = 15;
  r.k = 256;
  r.trans = "tn";
  r.m_c = 192;
  r.cycles = {8000, 8000};
  r.max_error = 1e-7;
  r.versions = {{"compiler", "clang 19"}};
  return r;
}

TEST(Journal, GivesBackWhatWasAppended) {
  const auto file = fresh_file("whole.jsonl");
  EXPECT_TRUE(read_journal(file).empty());
  {
    Journal journal(file);
    journal.append(example("one"));
    Record failed = example("two");
    failed.outcome = Outcome::wrong_result;
    failed.reason = "element (3, 4)\nis \"wrong\"";  // no newline may reach the file unescaped
    failed.cycles.clear();
    journal.append(failed);
  }
  const auto records = read_journal(file);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(to_json(records[0]), to_json(example("one")));
  EXPECT_EQ(records[1].outcome, Outcome::wrong_result);
  EXPECT_EQ(records[1].reason, "element (3, 4)\nis \"wrong\"");
}

TEST(Journal, TornLastLineIsPassedOverAndCutOff) {
  const auto file = fresh_file("torn.jsonl");
  { Journal(file).append(example("one")); }
  const std::string whole = read_file(file);
  for (std::size_t cut : {std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    write_file(file, whole + whole.substr(0, cut));
    EXPECT_EQ(read_journal(file).size(), 1u) << cut;
    { Journal(file).append(example("two")); }
    const auto records = read_journal(file);
    ASSERT_EQ(records.size(), 2u) << cut;
    EXPECT_EQ(records[1].id, "two");
  }
}

// A limit on the file's size cuts a line short as a full disk does.
TEST(Journal, LineThatDoesNotFitLeavesNothingBehind) {
  const auto file = fresh_file("full.jsonl");
  Journal journal(file);
  journal.append(example("one"));
  const auto whole = std::filesystem::file_size(file);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit tight = {whole + 10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  std::string message;
  try {
    journal.append(example("two"));
  } catch (const Error& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
  EXPECT_EQ(std::filesystem::file_size(file), whole);
  journal.append(example("three"));
  const auto records = read_journal(file);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].id, "three");
}

// Said before anything is measured.
TEST(Journal, MustBeARegularFile) {
  const auto file = fresh_file("pipe.jsonl");
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  for (const auto& place : {file, std::filesystem::path("/dev/full")}) {
    try {
      const Journal journal(place);
      ADD_FAILURE() << place;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(error.what()).find("no regular file"), std::string::npos)
          << error.what();
    }
  }
  std::filesystem::remove(file);
}

TEST(Journal, TornFirstLineLeavesAnEmptyJournal) {
  const auto file = fresh_file("first.jsonl");
  write_file(file, std::string(10000, 'x'));  // longer than the block in which the end is searched
  EXPECT_TRUE(read_journal(file).empty());
  { Journal(file).append(example("one")); }
  EXPECT_EQ(read_journal(file).size(), 1u);
}

TEST(Journal, DamageInTheMiddleNamesTheLine) {
  const auto file = fresh_file("damaged.jsonl");
  { Journal(file).append(example("one")); }
  const std::string line = read_file(file);
  for (const std::string& bad :
       {std::string("{\"schema\":\n"), std::string("{\"schema\":\"quern.record.v1\"}\n"),
        std::string("[]\n")}) {
    write_file(file, line + bad + line);
    try {
      read_journal(file);
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(error.what()).find("damaged.jsonl:2"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Journal, ProcessesThatShareItLoseNothing) {
  const auto file = fresh_file("shared.jsonl");
  constexpr int writers = 4, each = 25;
  for (int w = 0; w < writers; ++w) {
    if (fork() == 0) {
      Journal journal(file);
      for (int i = 0; i < each; ++i) journal.append(example(fmt::format("{}-{}", w, i)));
      _exit(0);
    }
  }
  for (int w = 0; w < writers; ++w) wait(nullptr);
  EXPECT_EQ(read_journal(file).size(), static_cast<std::size_t>(writers * each));
}

TEST(Record, RateIsOperationsOverMedianTime) {
  Record r = example("one");
  r.cycles = {9000, 7680, 7000};
  rate(r, 1.6e9, 25.6);
  // 2*16*15*256 = 122880 operations in 7680 cycles: 16 a cycle, 25.6 GFLOPS at 1.6 GHz: the peak.
  EXPECT_DOUBLE_EQ(*r.gflops, 25.6);
  EXPECT_DOUBLE_EQ(*r.peak_fraction, 1.0);
}

TEST(Record, EmptyProblemHasNoRate) {
  Record r = example("one");
  r.k = 0;
  rate(r, 1.6e9, 25.6);
  EXPECT_FALSE(r.gflops.has_value());
}

}  // namespace
}  // namespace quern::tuner
