#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace quern {

namespace {

const char* kind_name(std::filesystem::file_type type) {
  switch (type) {
    case std::filesystem::file_type::directory:
      return "a folder";
    case std::filesystem::file_type::fifo:
      return "a pipe";
    case std::filesystem::file_type::socket:
      return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character:
      return "a device";
    default:
      return "no regular file";
  }
}

}  // namespace

std::ifstream open_input(const std::filesystem::path& path) {
  std::error_code error;
  // Asked before the file is opened: opening a pipe waits for its writer.
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw bad_input("{}: is {}, expected a file", path.string(), kind_name(status.type()));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw bad_input("{}: cannot read: {}", path.string(), std::strerror(errno));
  return in;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in = open_input(path);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) throw bad_input("{}: cannot read: {}", path.string(), std::strerror(errno));
  return bytes;
}

namespace {

bool write_all(int fd, std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

// Devices and pipes (/dev/stdout) are written to; nothing may take their place.
void write_in_place(const std::filesystem::path& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool good = fd >= 0 && write_all(fd, bytes);
  const int reason = errno;
  if (fd >= 0) close(fd);
  if (!good) throw bad_input("{}: cannot write: {}", path.string(), std::strerror(reason));
}

}  // namespace

void write_file(const std::filesystem::path& named, std::string_view bytes) {
  std::error_code unknown;
  // A link stays a link: what it names is replaced.
  const auto path = std::filesystem::is_symlink(named, unknown)
                        ? std::filesystem::weakly_canonical(named, unknown)
                        : named;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown) &&
      !std::filesystem::is_directory(path, unknown)) {
    return write_in_place(path, bytes);
  }
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string temporary = (folder / ("." + path.filename().string() + ".XXXXXX")).string();
  const int fd = mkstemp(temporary.data());
  if (fd < 0) throw bad_input("{}: cannot write: {}", path.string(), std::strerror(errno));
  bool good = fchmod(fd, 0644) == 0 && write_all(fd, bytes);
  const int saved = errno;
  good = close(fd) == 0 && good;
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = good ? errno : saved;
    unlink(temporary.c_str());
    throw bad_input("{}: cannot write: {}", path.string(), std::strerror(reason));
  }
}

void check_writable(const std::filesystem::path& folder) {
  const auto probe = (folder.empty() ? "." : folder) / ".quern-probe";
  write_file(probe, "");
  std::filesystem::remove(probe);
}

}  // namespace quern
