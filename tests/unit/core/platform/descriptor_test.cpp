// Nothing opened by the runtime becomes a standard stream, whichever are closed.
#include "core/platform/descriptor.h"

#include "core/base/bytes.h"
#include "core/memory/byte_source.h"
#include "core/platform/atomic_file.h"
#include "core/platform/shared_memory.h"
#include "core/platform/trace.h"
#include "tests/support/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace nnrt {
namespace {

constexpr int kStreams = 3;

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// Runs `act` in a child process with the streams of the mask closed; returns the line at which it opened
// something in their place, or 0.
int line_without(unsigned closed, const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd < kStreams; ++fd)
      if ((closed >> fd & 1) != 0) close(fd);
    _exit(act());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool are_closed(unsigned closed) {
  unsigned found = 0;
  for (int fd = 0; fd < kStreams; ++fd)
    if (!is_open(fd)) found |= 1u << fd;
  return found == closed;
}

class ClosedStreams : public testing::TestWithParam<unsigned> {};

TEST_P(ClosedStreams, StayClosed) {
  const unsigned closed = GetParam();
  const test::TemporaryFolder folder;
  const int line = line_without(closed, [&] {
    const auto memory = SharedMemory::create(100);
    if (!memory.ok() || !are_closed(closed)) return __LINE__;
    const auto adopted = SharedMemory::adopt(memory.value()->fd(), 100);
    if (!adopted.ok() || !are_closed(closed)) return __LINE__;
    const auto trace = trace::start(folder.file("trace"));
    if (!trace.ok() || !are_closed(closed)) return __LINE__;
    const Bytes bytes(10);
    const ByteView piece(bytes);
    auto file = TemporaryFile::write(folder.file("file"), {&piece, 1});
    if (!file.ok() || !are_closed(closed)) return __LINE__;
    if (!file.value().replace_target().ok()) return __LINE__;
    const auto source = source_of_file(folder.file("file"));
    if (!source.ok() || !are_closed(closed)) return __LINE__;
    return 0;
  });
  EXPECT_EQ(line, 0);
}

TEST_P(ClosedStreams, AreHeldForAWhile) {
  const unsigned closed = GetParam();
  const int line = line_without(closed, [&] {
    {
      const StandardStreams held;
      if (!are_closed(0)) return __LINE__;
      if (open("/dev/null", O_RDONLY) < kStreams) return __LINE__;
    }
    return are_closed(closed) ? 0 : __LINE__;
  });
  EXPECT_EQ(line, 0);
}

TEST_P(ClosedStreams, AreOpenedForPrograms) {
  const unsigned closed = GetParam();
  const int line = line_without(closed, [&] {
    open_standard_streams();
    if (!are_closed(0)) return __LINE__;
    char byte = 0;
    if ((closed & 1) != 0 && read(0, &byte, 1) >= 0) return __LINE__;
    if ((closed & 2) != 0 && write(1, &byte, 1) >= 0) return __LINE__;
    return (closed & 4) != 0 && write(2, &byte, 1) >= 0 ? __LINE__ : 0;
  });
  EXPECT_EQ(line, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ClosedStreams, testing::Range(0u, 8u));

// A client's file opened while they are held is kept.
TEST(HeldStreams, LeaveTheFileOfAClient) {
  const test::TemporaryFolder folder;
  const int line = line_without(7, [&] {
    {
      const StandardStreams held;
      const int fd = open(folder.file("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      if (dup2(fd, STDERR_FILENO) != STDERR_FILENO) return __LINE__;
    }
    return are_closed(3) ? 0 : __LINE__;
  });
  EXPECT_EQ(line, 0);
}

TEST(Descriptor, FailsAsTheCallBefore) {
  errno = EMFILE;
  EXPECT_EQ(above_standard_streams(-1), -1);
  EXPECT_EQ(errno, EMFILE);
}

}  // namespace
}  // namespace nnrt
