// Host processes: who may connect, and how they exit.
#include "backends/host/client/host_client.h"
#include "backends/host/client/hosted_device.h"
#include "backends/host/server/host_listener.h"
#include "core/platform/log.h"
#include "tests/support/graph_maker.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_views.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace nnrt::test {
namespace {

using std::chrono::milliseconds;

constexpr uid_t kNobody = 65534;

class Process : public testing::Test {
 protected:
  Process() {
    setenv("NNRT_TEST_DEVICE_HOST", DEVICE_HOST, 1);
    set_log_sink([](LogLevel, std::string_view) {});
  }
  ~Process() override { set_log_sink({}); }

  std::string path() const { return folder_.file("socket"); }

  static Result<std::shared_ptr<host::Session>> start() {
    NNRT_ASSIGN(auto started, host::HostProcess::start(host::host_program(), {"--devices", "cpu"}));
    return host::Session::connect(std::move(started.socket), std::move(started.process));
  }
  // Returns whether it can compute y = relu(x).
  static bool computes(Device& device) {
    GraphMaker maker;
    const GraphPtr graph = maker.finish({maker.op(Op::relu, {maker.input({3})}, {3})});
    const auto model = device.prepare(graph, {});
    if (!model.ok()) return false;
    std::vector<OutputSlot> outputs{{empty_view(12), false}};
    return model.value()->run(std::vector{view_of<float>({3}, {1, -2, 3})}, outputs, {}).ok() &&
           values_of<float>(outputs[0].view) == std::vector<float>{1, 0, 3};
  }
  // Starts a host for all clients of this user and returns its pid.
  pid_t listen() const {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      execl(DEVICE_HOST, DEVICE_HOST, "--devices", "cpu", "--socket", path().c_str(), nullptr);
      _exit(1);
    }
    for (int i = 0; i < 5000 && !host::connect_to(path()).ok(); ++i)
      std::this_thread::sleep_for(milliseconds(1));
    return pid;
  }
  static int status_of(pid_t pid) {
    int status = -1;
    return waitpid(pid, &status, 0) == pid ? status : -1;
  }
  // Returns whether a process that is not our child exits soon. Its new parent may be slow to reap it.
  static bool is_zombie(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    return text.find(") Z ") != std::string::npos;
  }
  static bool ends(pid_t pid) {
    for (int i = 0; i < 5000; ++i) {
      if ((kill(pid, 0) != 0 && errno == ESRCH) || is_zombie(pid)) return true;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return false;
  }

  const TemporaryFolder folder_;
};

TEST_F(Process, ComputesAndEndsWithItsSession) {
  auto session = start();
  ASSERT_TRUE(session.ok()) << session.error().message;
  const pid_t pid = session.value()->process().pid();
  ASSERT_GT(pid, 0);
  EXPECT_EQ(getpgid(pid), pid);
  ASSERT_EQ(session.value()->devices().size(), 1u);
  const auto host = std::make_shared<host::Host>([&] { return session; });
  host::HostedDevice device(host, session.value()->devices()[0]);
  EXPECT_TRUE(computes(device));
  session = Error{};
  EXPECT_EQ(kill(pid, 0), 0);
}

TEST_F(Process, IsStartedAnewAfterItWasKilled) {
  const host::Devices devices = host::start_devices({"--devices", "cpu"});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_TRUE(computes(*devices[0]));
  std::vector<pid_t> killed;
  for (int i = 0; i < 3; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream children(entry.path() / "children");
      for (pid_t pid = 0; children >> pid;) {
        kill(pid, SIGKILL);
        siginfo_t info{};
        waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT);
        killed.push_back(pid);
      }
    }
    EXPECT_TRUE(computes(*devices[0]));
  }
  EXPECT_EQ(killed.size(), 3u);
  for (const pid_t pid : killed) EXPECT_EQ(kill(pid, 0), -1) << "a dead host is waited for";
}

TEST_F(Process, MissingProgramYieldsNoDevice) {
  setenv("NNRT_TEST_DEVICE_HOST", "/nonexistent", 1);
  EXPECT_TRUE(host::start_devices({"--devices", "cpu"}).empty());
  setenv("NNRT_TEST_DEVICE_HOST", "/bin/false", 1);
  EXPECT_TRUE(host::start_devices({"--devices", "cpu"}).empty());
  EXPECT_TRUE(host::connect_devices(path()).empty());
}

// Even if a child of the client holds the client's end of the socket.
TEST_F(Process, EndsWithItsClient) {
  int ends_of_pipe[2];
  ASSERT_EQ(pipe(ends_of_pipe), 0);
  const pid_t client = fork();
  if (client == 0) {
    const auto session = start();
    const pid_t host = session.ok() ? session.value()->process().pid() : -1;
    const pid_t heir = fork();
    if (heir == 0) {
      sleep(30);
      _exit(0);
    }
    const pid_t pids[] = {host, heir};
    if (write(ends_of_pipe[1], pids, sizeof pids) != sizeof pids) _exit(1);
    pause();
  }
  pid_t pids[2] = {};
  ASSERT_EQ(read(ends_of_pipe[0], pids, sizeof pids), ssize_t(sizeof pids));
  ASSERT_GT(pids[0], 0);
  EXPECT_EQ(kill(pids[0], 0), 0);
  kill(client, SIGKILL);
  status_of(client);
  EXPECT_TRUE(ends(pids[0]));
  kill(pids[1], SIGKILL);
  close(ends_of_pipe[0]);
  close(ends_of_pipe[1]);
}

TEST_F(Process, ServesSeveralClients) {
  const pid_t host = listen();
  struct stat status {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const host::Devices first = host::connect_devices(path()), second = host::connect_devices(path());
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_TRUE(computes(*first[0]));
  EXPECT_TRUE(computes(*second[0]));
  EXPECT_FALSE(host::listen_at(path()).ok()) << "somebody listens there";
  kill(host, SIGKILL);
  status_of(host);
  EXPECT_FALSE(computes(*first[0]));
  const pid_t next = listen();  // on the previous host's stale socket
  EXPECT_TRUE(computes(*first[0]));
  EXPECT_TRUE(computes(*second[0]));
  kill(next, SIGTERM);
  EXPECT_EQ(status_of(next), 0);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Process, KeepsOtherUsersOut) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const pid_t host = listen();
  const auto connect_as_nobody = [&] {
    const pid_t pid = fork();
    if (pid == 0) {
      if (setresuid(kNobody, kNobody, kNobody) != 0) _exit(3);
      // The peer belongs to another user: even if it accepts us, we must send it nothing.
      _exit(host::connect_to(path()).ok() ? 1 : 0);
    }
    return status_of(pid);
  };
  EXPECT_EQ(connect_as_nobody(), 0);
  // The host checks its peers even if permissions on the path are too open.
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(path().c_str(), 0666), 0);
  EXPECT_EQ(connect_as_nobody(), 0);
  kill(host, SIGTERM);
  status_of(host);

  // The client's user connects to a listener that another user has opened.
  auto listening = host::listen_at(path()).value();
  ASSERT_EQ(chmod(path().c_str(), 0666), 0);
  const pid_t stranger = fork();
  if (stranger == 0) {
    if (setresuid(kNobody, kNobody, kNobody) != 0) _exit(3);
    host::Fd fd(socket(AF_UNIX, SOCK_SEQPACKET, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) _exit(4);
    char byte = 0;
    _exit(recv(fd.get(), &byte, 1, 0) == 0 ? 0 : 5);  // end of connection without any data
  }
  std::thread friendly([&] {
    for (int status = 0; waitpid(stranger, &status, WNOHANG) == 0;)
      std::this_thread::sleep_for(milliseconds(1));
    static_cast<void>(host::connect_to(path()));
  });
  EXPECT_EQ(host::accept_client(listening).error().code, Code::forbidden);
  EXPECT_TRUE(host::accept_client(listening).ok()) << "the friend's";
  friendly.join();
}

TEST_F(Process, DoesNotInheritFilesOrSignals) {
  const int secret = open("/dev/null", O_RDONLY);  // not CLOEXEC
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto session = start();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(session.ok());
  const std::string folder = "/proc/" + std::to_string(session.value()->process().pid());
  size_t files = 0, sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/fd")) {
    ++files;
    if (std::filesystem::read_symlink(entry).string().starts_with("socket:")) ++sockets;
  }
  EXPECT_LE(files, 7u) << "standard streams, its socket, the channel of notices, pidfds";
  EXPECT_EQ(sockets, 2u);
  std::ifstream status(folder + "/status");
  std::string line;
  while (std::getline(status, line) && !line.starts_with("SigBlk:")) {
  }
  EXPECT_EQ(line, "SigBlk:\t0000000000000000");
  close(secret);
}

}  // namespace
}  // namespace nnrt::test
