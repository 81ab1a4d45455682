#include "core/platform/atomic_file.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
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

Error cannot(std::string_view what, const std::string& path) {
  const int error_number = errno;
  return {code_for(error_number, Code::save_cache),
          cat("File (", path, ") cannot be ", what, ": ", std::strerror(error_number), ".")};
}

bool has_name(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

Result<TemporaryFile> TemporaryFile::create(const std::string& target) {
  std::random_device random;
  std::string path;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    path = cat(target, ".", std::hex, random(), random(), kEnding);
    TemporaryFile file(target, path);  // all that needs memory, before there is a file
    file.fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file.fd_ < 0 && errno == EEXIST) continue;
    if (file.fd_ < 0) break;
    // Another writer may have taken it for stale before it was locked. (Where files cannot be locked, none
    // are taken for stale.)
    static_cast<void>(flock(file.fd_, LOCK_EX));
    if (has_name(file.fd_)) return file;
  }
  return cannot("made", path);
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
  NNRT_ASSIGN(TemporaryFile file, create(target));
  NNRT_TRY(file.write_all(pieces));
  return file;
}

Status TemporaryFile::write_all(std::span<const ByteView> pieces) const {
  const FileLimit limit;
  for (ByteView piece : pieces) {
    while (!piece.empty()) {
      const ssize_t done = ::write(fd_, piece.data(), piece.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return cannot("written", path_);
      piece = piece.subspan(static_cast<size_t>(done));
    }
  }
  if (fsync(fd_) != 0) return cannot("written", path_);
  return {};
}

Status TemporaryFile::replace_target() {
  if (std::rename(path_.c_str(), target_.c_str()) != 0) return cannot("replaced", target_);
  path_.clear();
  return {};
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
