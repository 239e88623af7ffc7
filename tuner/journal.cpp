#include "tuner/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file.h"

namespace quern::tuner {
namespace {

class FileLock {
 public:
  explicit FileLock(int fd) : fd_(fd) {
    while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() { flock(fd_, LOCK_UN); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

// Length of the file up to and with its last newline.
off_t whole_lines(int fd, off_t size) {
  char buffer[4096];
  for (off_t end = size; end > 0;) {
    const off_t begin =
        end > static_cast<off_t>(sizeof buffer) ? end - static_cast<off_t>(sizeof buffer) : 0;
    const ssize_t n = pread(fd, buffer, static_cast<std::size_t>(end - begin), begin);
    if (n <= 0) return size;
    for (ssize_t i = n - 1; i >= 0; --i) {
      if (buffer[i] == '\n') return begin + i + 1;
    }
    end = begin;
  }
  return 0;
}

}  // namespace

Journal::Journal(const std::filesystem::path& file) : file_(file) {
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) throw bad_input("{}: cannot write: {}", file.string(), std::strerror(errno));
  struct stat info {};
  if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd_);
    throw bad_input("{}: no regular file: records could not be kept there", file.string());
  }
  const FileLock lock(fd_);
  if (fstat(fd_, &info) != 0) return;
  const off_t whole = whole_lines(fd_, info.st_size);
  if (whole < info.st_size && ftruncate(fd_, whole) != 0) {
    throw bad_input("{}: cannot repair its torn last line: {}", file.string(),
                    std::strerror(errno));
  }
}

Journal::~Journal() {
  if (fd_ >= 0) close(fd_);
}

void Journal::append(const Record& record) {
  const std::string line =
      to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const FileLock lock(fd_);
  const off_t before = lseek(fd_, 0, SEEK_END);
  const ssize_t written = write(fd_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()) && fsync(fd_) == 0) return;
  // A short write has no error of its own: the disk was full behind it.
  const int error = written >= 0 && written < static_cast<ssize_t>(line.size()) ? ENOSPC : errno;
  if (before >= 0 && ftruncate(fd_, before) != 0) {
    // The torn line stays; the next writer cuts it off.
  }
  throw bad_input("{}: cannot write: {}", file_.string(), std::strerror(error));
}

std::filesystem::path journal_file(const std::filesystem::path& results, const std::string& board) {
  return results / (board + ".jsonl");
}

std::vector<Record> read_journal(const std::filesystem::path& file) {
  std::vector<Record> records;
  if (!std::filesystem::exists(file)) return records;
  const std::string text = read_file(file);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) break;  // torn
    ++number;
    const std::string place = fmt::format("{}:{}", file.string(), number);
    const std::string_view line = std::string_view(text).substr(at, end - at);
    Json json;
    try {
      json = Json::parse(line);
    } catch (const Json::parse_error& error) {
      throw bad_input("{}: not JSON: {}", place, error.what());
    }
    records.push_back(record_from_json(json, place));
    at = end + 1;
  }
  return records;
}

}  // namespace quern::tuner
