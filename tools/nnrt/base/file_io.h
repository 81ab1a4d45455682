// Reads and writes complete files.
#pragma once

#include "tools/import/network/network.h"

#include <filesystem>
#include <limits>
#include <string_view>

namespace nnrt::tool {

// Returns an error with one sentence, beginning with `what` ("Model"), if the file is missing, is not a
// regular file, or may not be opened.
Status check_readable(std::string_view what, const std::filesystem::path& path);
// The same for a file that will be written or replaced, so that a command fails before it does any work.
Status check_writable(const std::filesystem::path& path);
// The same for a directory that exists or will be created.
Status check_directory(const std::filesystem::path& path);
// Fails, before allocating anything, if the file has more than `max` bytes.
Result<import::Bytes> read_file(const std::filesystem::path& path,
                                size_t max = std::numeric_limits<size_t>::max());
// In lower case, with the dot.
std::string extension_of(const std::filesystem::path& path);
// A file name valid on every file system: everything but letters, digits, dots and hyphens becomes an
// underscore.
std::string file_name_of(std::string text);
// Creates missing parents too; the directory may exist.
Status make_directory(const std::filesystem::path& path);
// Atomic: on failure the file is unchanged.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace nnrt::tool
