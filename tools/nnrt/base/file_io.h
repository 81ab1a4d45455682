// Reading and writing of whole files.
#pragma once

#include "tools/import/network/network.h"

#include <filesystem>
#include <limits>
#include <string_view>

namespace nnrt::tool {

// Says in one sentence why a file that does not exist, is a directory or no regular file, or may not be
// opened cannot be read. `what` begins the sentence: "Model".
Status check_readable(std::string_view what, const std::filesystem::path& path);
// The same, before any work, for a file that shall be written or replaced.
Status check_writable(const std::filesystem::path& path);
// Fails where the file has more than `most` bytes: nothing is allocated then.
Result<import::Bytes> read_file(const std::filesystem::path& path,
                                size_t max = std::numeric_limits<size_t>::max());
// A name that any file system takes, of any text: what is no letter, digit, dot or hyphen becomes an
// underscore.
std::string file_name_of(std::string text);
// With the directories above it; it may be there already.
Status make_directory(const std::filesystem::path& path);
// The file has all of the bytes afterwards, or is what it was.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace nnrt::tool
