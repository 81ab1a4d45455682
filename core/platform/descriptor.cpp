#include "core/platform/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace nnrt {
namespace {

constexpr const char* kNowhere = "/dev/null";

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// Standard input can only be written, the other streams can only be read.
int useless_mode(int fd) { return fd == STDIN_FILENO ? O_WRONLY : O_RDONLY; }

// open() returns the lowest number that is free.
bool occupy(int fd, int flags) {
  if (is_open(fd)) return false;
  const int opened = open(kNowhere, useless_mode(fd) | flags);
  if (opened == fd) return true;
  if (opened >= 0) close(opened);  // another thread was faster
  return false;
}

bool is_nowhere(int fd) {
  struct stat of_fd {
  }, nowhere{};
  return fstat(fd, &of_fd) == 0 && stat(kNowhere, &nowhere) == 0 && S_ISCHR(of_fd.st_mode) &&
         of_fd.st_rdev == nowhere.st_rdev;
}

}  // namespace

int duplicate(int fd, int first) { return fcntl(fd, F_DUPFD_CLOEXEC, first); }

int above_standard_streams(int fd) {
  if (fd < 0 || fd >= kFirstDescriptor) return fd;
  const int moved = duplicate(fd);
  const int error_number = errno;
  close(fd);
  errno = error_number;
  return moved;
}

StandardStreams::StandardStreams() {
  for (int fd = 0; fd < kFirstDescriptor; ++fd) is_held_[size_t(fd)] = occupy(fd, O_CLOEXEC);
}

// The client may have opened a stream meanwhile, which put its own file there.
StandardStreams::~StandardStreams() {
  for (int fd = 0; fd < kFirstDescriptor; ++fd)
    if (is_held_[size_t(fd)] && is_nowhere(fd)) close(fd);
}

void open_standard_streams() {
  for (int fd = 0; fd < kFirstDescriptor; ++fd) occupy(fd, 0);
}

}  // namespace nnrt
