// All kinds of files that tensors can use.
#pragma once

#include "tests/unit/api/api_test_handles.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace api_tests {

// An RAII descriptor.
class File {
 public:
  explicit File(int fd) : fd_(fd) { EXPECT_GE(fd, 0); }
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

  std::string bytes(size_t count, size_t offset) const {
    std::string read(count, '\0');
    EXPECT_EQ(pread(fd_, read.data(), count, static_cast<off_t>(offset)), static_cast<ssize_t>(count));
    return read;
  }

 private:
  int fd_;
};

inline Tensor tensor_in(const File& file, const Desc& desc, size_t size, size_t offset) {
  return Tensor(OH_NNTensor_CreateWithFd(0, desc.get(), file.fd(), size, offset));
}

inline File with_content(int fd, const std::string& content) {
  EXPECT_EQ(write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  return File(fd);
}

inline File memory_file(const std::string& content) {
  return with_content(memfd_create("api_tests", MFD_CLOEXEC | MFD_ALLOW_SEALING), content);
}

inline File sealed_file(const std::string& content, int seals) {
  File file = memory_file(content);
  EXPECT_EQ(fcntl(file.fd(), F_ADD_SEALS, seals), 0);
  return file;
}

inline File posix_file(const std::string& content) {
  const std::string name = "/api_tests_" + std::to_string(getpid());
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  shm_unlink(name.c_str());
  return with_content(fd, content);
}

inline File disk_file(const std::string& content) {
  std::string name = testing::TempDir() + "api_tests_XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  unlink(name.c_str());
  return with_content(fd, content);
}

// The same file, opened only for reading.
inline File reopened_read_only(const File& file) {
  return File(open(("/proc/self/fd/" + std::to_string(file.fd())).c_str(), O_RDONLY | O_CLOEXEC));
}

inline bool send_fd(int socket, int fd) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return sendmsg(socket, &message, 0) == 1;
}

inline int receive_fd(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(socket, &message, 0) != 1) return -1;
  int fd = -1;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message)) std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

}  // namespace api_tests
