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

std::string read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw bad_input("{}: is a folder, expected a file", path.string());
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw bad_input("{}: cannot read: {}", path.string(), std::strerror(errno));
  return std::string(std::istreambuf_iterator<char>(in), {});
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

}  // namespace quern
