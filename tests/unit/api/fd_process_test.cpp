// Memory that two processes share: the descriptor travels over a socket, a run in one sees what the other
// wrote.
#include "tests/unit/api/handles.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace api_tests;

namespace {

bool send_fd(int socket, int fd) {
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

int receive_fd(int socket) {
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

// Receives a descriptor, doubles the five floats at byte 20 of its memory, and exits with 0 if all went well.
[[noreturn]] void double_in_child(int socket) {
  const int fd = receive_fd(socket);
  const Tensor tensor(OH_NNTensor_CreateWithFd(0, desc_of({5}).get(), fd, 40, 20));
  if (!tensor) _exit(1);
  close(fd);
  auto* values = static_cast<float*>(OH_NNTensor_GetDataBuffer(tensor.get()));
  for (int i = 0; i < 5; ++i) values[i] *= 2;
  _exit(write(socket, "x", 1) == 1 ? 0 : 1);
}

}  // namespace

TEST(FdBetweenProcesses, ARunSeesWhatAnotherProcessWrote) {
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) double_in_child(sockets[1]);

  const Tensor whole = tensor_of({10}, {0, 0, 0, 0, 0, 1, -2, 3, -4, 5});
  int fd = -1;
  ASSERT_EQ(OH_NNTensor_GetFd(whole.get(), &fd), OH_NN_SUCCESS);
  const Tensor shared(OH_NNTensor_CreateWithFd(0, desc_of({5}).get(), fd, 40, 20));
  ASSERT_NE(shared, nullptr);
  ASSERT_TRUE(send_fd(sockets[0], fd));
  char byte = 0;
  ASSERT_EQ(read(sockets[0], &byte, 1), 1);

  const Executor executor = executor_of({5});
  const Tensor one = tensor_of({5}, {1, 1, 1, 1, 1}), y = tensor_of({5});
  ASSERT_EQ(run(executor.get(), {shared.get(), one.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 5), (std::vector<float>{3, 0, 7, 0, 11}));

  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(sockets[0]);
  close(sockets[1]);
}
