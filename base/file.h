// Files read whole, and written whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace quern {

// The bytes of a file. Throws bad_input naming the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Replaces `path` by `bytes` through a temporary file in the same folder and rename(2), so that a
// reader or a crash never sees half a file. Missing parent folders are made; links are followed;
// devices and pipes are written to.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace quern
