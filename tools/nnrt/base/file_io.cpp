#include "tools/nnrt/base/file_io.h"

#include "core/base/text.h"
#include "core/platform/atomic_file.h"

#include <cctype>
#include <fstream>
#include <span>

namespace nnrt::tool {

Result<import::Bytes> read_file(const std::filesystem::path& path, size_t max) {
  std::error_code error;
  // To open a pipe could wait for ever.
  if (!std::filesystem::is_regular_file(path, error)) {
    return Error{Code::invalid_path,
                 cat("File (", path.string(), ") ",
                     std::filesystem::exists(path, error) ? "is no regular file." : "does not exist.")};
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : -1;
  if (size < 0) return Error{Code::invalid_path, cat("File (", path.string(), ") cannot be read.")};
  if (static_cast<size_t>(size) > max) {
    return Error{Code::invalid_file,
                 cat("File (", path.string(), ") has ", size, " bytes, more than ", max, ".")};
  }
  import::Bytes bytes(static_cast<size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size)) {
    return Error{Code::invalid_path, cat("File (", path.string(), ") cannot be read.")};
  }
  return bytes;
}

std::string file_name_of(std::string text) {
  for (char& c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (!is_plain) c = '_';
  }
  return text;
}

Status make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return {};
  return Error{Code::invalid_path,
               cat("Directory (", path.string(), ") cannot be made: ", error.message(), ".")};
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
  return replace_file(path.string(), std::as_bytes(std::span(bytes)));
}

}  // namespace nnrt::tool
