#include "core/platform/atomic_file.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"
#include "core/platform/file_limit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

namespace nnrt {
namespace {

constexpr std::string_view kEnding = ".tmp";
constexpr int kMaxTries = 16;

constexpr unsigned kOwnerWrites = 0644, kUmaskDecides = 0666;

Error cannot(std::string_view what, const std::string& path, Code code) {
  const int error_number = errno;
  return {code_for(error_number, code),
          cat("File (", path, ") cannot be ", what, ": ", std::strerror(error_number), ".")};
}

Status write_to(int fd, ByteView bytes, const std::string& path, Code code) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return cannot("written", path, code);
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return {};
}

bool has_name(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

Result<TemporaryFile> TemporaryFile::create(const std::string& target, const std::string& beginning,
                                            unsigned permissions) {
  std::random_device random;
  std::string path;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    path = cat(beginning, ".", std::hex, random(), random(), kEnding);
    TemporaryFile file(target, path);  // allocates before the file exists
    file.fd_ =
        above_standard_streams(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions));
    if (file.fd_ < 0 && errno == EEXIST) continue;
    if (file.fd_ < 0) break;
    // Another writer may have removed it as stale before it was locked. (Without file locks no file counts as
    // stale.)
    static_cast<void>(flock(file.fd_, LOCK_EX));
    if (has_name(file.fd_)) return file;
  }
  return nnrt::cannot("written", target, Code::save_cache);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

TemporaryFile::~TemporaryFile() {
  if (fd_ < 0) return;
  if (!path_.empty()) unlink(path_.c_str());
  close(fd_);
}

Result<TemporaryFile> TemporaryFile::write(const std::string& target, std::span<const ByteView> pieces) {
  NNRT_ASSIGN(TemporaryFile file, create(target, target, kOwnerWrites));
  NNRT_TRY(file.write_all(pieces));
  if (fsync(file.fd_) != 0) return file.cannot("written");
  return file;
}

Result<TemporaryFile> TemporaryFile::write_plain(const std::string& target, ByteView bytes) {
  // Not derived from the target's name, which may already have the maximum length.
  const std::string beginning = std::filesystem::path(target).parent_path() / ".nnrt";
  NNRT_ASSIGN(TemporaryFile file, create(target, beginning, kUmaskDecides));
  struct stat replaced {};
  if (stat(target.c_str(), &replaced) == 0 && fchmod(file.fd_, replaced.st_mode & 07777) != 0)
    return file.cannot("written");
  NNRT_TRY(file.write_all({&bytes, 1}));
  return file;
}

Error TemporaryFile::cannot(std::string_view what) const {
  return nnrt::cannot(what, target_, Code::save_cache);
}

Status TemporaryFile::write_all(std::span<const ByteView> pieces) const {
  const FileLimit limit;
  for (const ByteView piece : pieces) NNRT_TRY(write_to(fd_, piece, target_, Code::save_cache));
  return {};
}

Status TemporaryFile::replace_target() {
  if (std::rename(path_.c_str(), target_.c_str()) != 0) return cannot("replaced");
  path_.clear();
  return {};
}

namespace {

Status write_in_place(const std::string& path, ByteView bytes) {
  const int fd = above_standard_streams(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd < 0) return cannot("written", path, Code::invalid_path);
  Status status = write_to(fd, bytes, path, Code::invalid_path);
  if (close(fd) != 0 && status.ok()) return cannot("written", path, Code::invalid_path);
  return status;
}

}  // namespace

Status replace_file(const std::string& path, ByteView bytes) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, bytes);
  if (exists && access(path.c_str(), W_OK) != 0) return cannot("written", path, Code::invalid_path);
  std::error_code failure;
  const std::string target = exists ? std::filesystem::canonical(path, failure).string() : path;
  if (failure) return Error{Code::invalid_path, cat("File (", path, ") cannot be found.")};
  auto file = TemporaryFile::write_plain(target, bytes);
  Status done = file.ok() ? file.value().replace_target() : Status(std::move(file).error());
  if (!done.ok() && done.error().code == Code::save_cache)
    return Error{Code::invalid_path, std::move(done).error().message};
  return done;
}

void remove_stale(const std::string& directory, const std::string& target) {
  const std::string start = target + ".";
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(kEnding)) continue;
    const int fd = open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(entry->path().c_str());
    close(fd);
  }
}

void sync_directory(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  static_cast<void>(fsync(fd));
  close(fd);
}

}  // namespace nnrt
