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

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string temporary = (folder / ("." + path.filename().string() + ".XXXXXX")).string();
  const int fd = mkstemp(temporary.data());
  if (fd < 0) throw bad_input("{}: cannot write: {}", path.string(), std::strerror(errno));
  bool good = fchmod(fd, 0644) == 0;
  for (std::size_t done = 0; good && done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    good = n > 0 || (n < 0 && errno == EINTR);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  const int saved = errno;
  good = close(fd) == 0 && good;
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = good ? errno : saved;
    unlink(temporary.c_str());
    throw bad_input("{}: cannot write: {}", path.string(), std::strerror(reason));
  }
}

}  // namespace quern
