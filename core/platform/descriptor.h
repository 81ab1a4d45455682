// Keeps file descriptors away from 0 to 2. If the process has closed those, something else may still write to
// them: a log line would end up in a tensor's memory.
#pragma once

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace nnrt {

inline constexpr int kFirstDescriptor = 3;

// A duplicate, close-on-exec, numbered `first` or higher. Negative, with errno, on failure.
inline int duplicate(int fd, int first = kFirstDescriptor) { return fcntl(fd, F_DUPFD_CLOEXEC, first); }

// Moves `fd` to kFirstDescriptor or above if it is below. Negative, with errno, if `fd` is negative or there
// are no more descriptors.
inline int above_standard_streams(int fd) {
  if (fd < 0 || fd >= kFirstDescriptor) return fd;
  const int moved = duplicate(fd);
  const int error_number = errno;
  close(fd);
  errno = error_number;
  return moved;
}

// A file in memory that can be sealed. A system call, because some C libraries do not declare memfd_create().
inline int memory_file() {
  return above_standard_streams(int(syscall(SYS_memfd_create, "nnrt", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
}

// Occupies those of descriptors 0 to 2 that are closed, so that files opened meanwhile, for example by a
// driver, do not get their numbers. Reading or writing the placeholders fails.
class StandardStreams {
 public:
  explicit StandardStreams(int flags = O_CLOEXEC) {
    for (int fd = 0; fd < kFirstDescriptor; ++fd) is_held_[size_t(fd)] = hold(fd, flags);
  }
  // The client may have opened its own file there meanwhile.
  ~StandardStreams() {
    for (int fd = 0; fd < kFirstDescriptor; ++fd)
      if (is_held_[size_t(fd)] && is_nowhere(fd)) close(fd);
  }
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  // Keeps them until the process ends.
  void keep() { is_held_ = {}; }

 private:
  static constexpr const char* kNowhere = "/dev/null";

  // open() returns the lowest free number.
  static bool hold(int fd, int flags) {
    if (fcntl(fd, F_GETFD) >= 0) return false;
    const int opened = open(kNowhere, (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | flags);
    if (opened == fd) return true;
    if (opened >= 0) close(opened);  // another thread was faster
    return false;
  }
  static bool is_nowhere(int fd) {
    struct stat held {
    }, nowhere{};
    return fstat(fd, &held) == 0 && stat(kNowhere, &nowhere) == 0 && S_ISCHR(held.st_mode) &&
           held.st_rdev == nowhere.st_rdev;
  }

  std::array<bool, kFirstDescriptor> is_held_{};
};

// Call at program start: ensures that the process and its children have all standard streams.
inline void open_standard_streams() { StandardStreams(0).keep(); }

}  // namespace nnrt
