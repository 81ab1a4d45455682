#include "tools/nnrt/base/file_io.h"

#include "core/base/text.h"
#include "core/platform/atomic_file.h"
#include "tools/nnrt/base/lower_case.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>

namespace nnrt::tool {

Status check_readable(std::string_view what, const std::filesystem::path& path) {
  const auto refused = [&](const auto&... why) {
    return Error{Code::invalid_path, cat(what, " (", path.string(), ") ", why..., ".")};
  };
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    const int number = errno;
    return number == ENOENT ? refused("does not exist") : refused("cannot be read: ", std::strerror(number));
  }
  if (S_ISDIR(status.st_mode)) return refused("is a directory");
  // Opening a pipe could block forever.
  if (!S_ISREG(status.st_mode)) return refused("is not a regular file");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return refused("cannot be opened: ", std::strerror(errno));
  close(descriptor);
  return {};
}

Status check_writable(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const auto refused = [&](const char* why) {
    return Error{Code::invalid_path, cat("File (", path.string(), ") cannot be written: ", why, ".")};
  };
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return refused(std::strerror(EISDIR));
    if (access(path.c_str(), W_OK) != 0) return refused(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return {};
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refused(std::strerror(errno));
  return {};
}

Status check_directory(const std::filesystem::path& path) {
  std::filesystem::path there = path;
  while (access(there.c_str(), F_OK) != 0 && errno == ENOENT && there.has_relative_path())
    there = there.has_parent_path() ? there.parent_path() : ".";
  const auto refused = [&](const char* why) {
    return Error{Code::invalid_path, cat("Directory (", path.string(), ") cannot be written: ", why, ".")};
  };
  struct stat status {};
  if (stat(there.c_str(), &status) != 0) return refused(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return refused(std::strerror(ENOTDIR));
  if (access(there.c_str(), W_OK | X_OK) != 0) return refused(std::strerror(errno));
  return {};
}

Result<import::Bytes> read_file(const std::filesystem::path& path, size_t max) {
  NNRT_TRY(check_readable("File", path));
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

std::string extension_of(const std::filesystem::path& path) { return lower_case(path.extension().string()); }

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
               cat("Directory (", path.string(), ") cannot be created: ", error.message(), ".")};
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
  return replace_file(path.string(), std::as_bytes(std::span(bytes)));
}

}  // namespace nnrt::tool
