// Files read whole, and written whole or not at all.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace quern {

// A file opened for reading, whatever its size. Only regular files are input: a folder has no
// bytes, and a pipe or a device may have no end, or nobody at its other one. Throws bad_input
// naming the path, and what is there.
std::ifstream open_input(const std::filesystem::path& path);

// The bytes of a file. Throws as open_input, and if they cannot be read.
std::string read_file(const std::filesystem::path& path);

// Replaces `path` by `bytes` through a temporary file in the same folder and rename(2), so that a
// reader or a crash never sees half a file. Missing parent folders are made; links are followed;
// devices and pipes are written to.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Says that a folder (made if it is not there) cannot be written to before the work of minutes
// rather than after it: bad_input.
void check_writable(const std::filesystem::path& folder);

}  // namespace quern
