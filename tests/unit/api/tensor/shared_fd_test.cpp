// Memory shared by two processes: the descriptor is sent over a socket, and a run in one process sees what
// the other has written.
#include "tests/unit/api/tensor/tensor_files.h"

#include <sys/wait.h>

using namespace api_tests;

namespace {

// Receives a descriptor, doubles the five floats at byte 20, and exits with 0 on success.
[[noreturn]] void double_in_child(int socket) {
  const int fd = receive_fd(socket);
  const Tensor tensor(OH_NNTensor_CreateWithFd(0, desc_of({5}).get(), fd, 40, 20));
  if (!tensor) _exit(1);
  close(fd);
  auto* values = static_cast<float*>(OH_NNTensor_GetDataBuffer(tensor.get()));
  for (int i = 0; i < 5; ++i) values[i] *= 2;
  _exit(write(socket, "x", 1) == 1 ? 0 : 1);
}

void run_what_a_child_doubled() {
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) double_in_child(sockets[1]);

  const Tensor whole = tensor_of({10}, {0, 0, 0, 0, 0, 1, -2, 3, -4, 5});
  const int fd = fd_of(whole);
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

[[noreturn]] void run_and_exit() {
  run_what_a_child_doubled();
  std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

}  // namespace

TEST(FdBetweenProcesses, RunSeesWritesOfOtherProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process without devices, which can fork
  EXPECT_EXIT(run_and_exit(), testing::ExitedWithCode(0), "");
}

TEST(FdBetweenProcesses, RunUsesMemoryOfAnotherProcess) {
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const float values[] = {1, -2, 3, -4, 5};
    const int fd = memfd_create("child", MFD_CLOEXEC);
    const bool sent = ftruncate(fd, 100) == 0 && pwrite(fd, values, sizeof values, 4) == sizeof values &&
                      send_fd(sockets[1], fd);
    char byte = 0;  // waits for the other process's run
    const bool answered = read(sockets[1], &byte, 1) == 1;
    float sums[5] = {};
    const bool seen = pread(fd, sums, sizeof sums, 60) == sizeof sums && sums[0] == 2 && sums[4] == 10;
    _exit(sent && answered && seen ? 0 : 1);
  }
  const File file(receive_fd(sockets[0]));
  const Executor executor = executor_of({5});
  const Desc desc = desc_of({5});
  const Tensor x = tensor_in(file, desc, 100, 4), y = tensor_in(file, desc, 100, 60);
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 5), (std::vector<float>{2, 0, 6, 0, 10}));
  ASSERT_EQ(write(sockets[0], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(sockets[0]);
  close(sockets[1]);
}
