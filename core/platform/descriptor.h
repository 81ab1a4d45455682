// File descriptors that are not those of the standard streams. A process may have closed descriptors 0 to 2,
// and others still write to them: a log line would end up in the memory of a tensor.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace nnrt {

inline constexpr int kFirstDescriptor = 3;

// A duplicate from `first` on that is closed on exec. Negative, with errno, where there is none.
inline int duplicate(int fd, int first = kFirstDescriptor) { return fcntl(fd, F_DUPFD_CLOEXEC, first); }

// Returns a descriptor of the same file from kFirstDescriptor on, which replaces `fd` where that is below it.
// Negative, with errno, where `fd` is negative or the process has no more descriptors.
inline int above_standard_streams(int fd) {
  if (fd < 0 || fd >= kFirstDescriptor) return fd;
  const int moved = duplicate(fd);
  const int error_number = errno;
  close(fd);
  errno = error_number;
  return moved;
}

// Holds those of the descriptors 0 to 2 that are closed, so that nothing else gets their numbers meanwhile,
// such as files that a driver opens. Each read or write of what holds them is an error.
class StandardStreams {
 public:
  explicit StandardStreams(int flags = O_CLOEXEC) {
    for (int fd = 0; fd < kFirstDescriptor; ++fd) is_held_[size_t(fd)] = hold(fd, flags);
  }
  // The client may have opened a stream meanwhile, which put its own file there.
  ~StandardStreams() {
    for (int fd = 0; fd < kFirstDescriptor; ++fd)
      if (is_held_[size_t(fd)] && is_nowhere(fd)) close(fd);
  }
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  // Holds them as long as the process lives.
  void keep() { is_held_ = {}; }

 private:
  static constexpr const char* kNowhere = "/dev/null";

  // open() returns the lowest number that is free.
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

// For a program at its start: it and its children have all standard streams, though nothing may be behind
// them.
inline void open_standard_streams() { StandardStreams(0).keep(); }

}  // namespace nnrt
