// A shared host that runs out of threads or file descriptors: new clients wait or are rejected, existing ones
// are served.
#include "backends/host/client/host_client.h"
#include "backends/host/client/host_session.h"
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
#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

namespace nnrt::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class HostShortage : public testing::Test {
 protected:
  HostShortage() {
    set_log_sink([](LogLevel, std::string_view) {});
  }
  ~HostShortage() override {
    if (host_ > 0) {
      EXPECT_EQ(waitpid(host_, nullptr, WNOHANG), 0) << "The host has ended.";
      kill(host_, SIGTERM);
      waitpid(host_, nullptr, 0);
    }
    set_log_sink({});
  }

  // Starts a host with this limit of descriptors.
  void listen(rlim_t files) {
    host_ = fork();
    if (host_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int log = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(log, STDERR_FILENO);
      close(log);
      const rlimit limit{files, files};
      setrlimit(RLIMIT_NOFILE, &limit);
      setenv("NNRT_LOG", "warning", 1);
      setenv("LD_PRELOAD", NO_THREADS, 1);
      setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);  // another library is preloaded before it
      setenv("NNRT_TEST_NO_THREADS", no_threads_.c_str(), 1);
      execl(DEVICE_HOST, DEVICE_HOST, "--devices", "cpu", "--socket", path_.c_str(), nullptr);
      _exit(1);
    }
    for (int i = 0; i < 10000 && !host::connect_to(path_).ok(); ++i)
      std::this_thread::sleep_for(milliseconds(1));
  }

  host::Devices connect() const { return host::connect_devices(path_); }

  // Returns whether it can compute y = relu(x).
  static bool computes(const host::Devices& devices) {
    if (devices.empty()) return false;
    GraphMaker maker;
    const GraphPtr graph = maker.finish({maker.op(Op::relu, {maker.input({3})}, {3})});
    const auto model = devices[0]->prepare(graph, {});
    if (!model.ok()) return false;
    std::vector<OutputSlot> outputs{{empty_view(12), false}};
    return model.value()->run(std::vector{view_of<float>({3}, {1, -2, 3})}, outputs, {}).ok() &&
           values_of<float>(outputs[0].view) == std::vector<float>{1, 0, 3};
  }

  size_t lines_of_log() const {
    std::ifstream file(log_);
    size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  // The host's CPU time so far.
  milliseconds cpu_time() const {
    std::ifstream file("/proc/" + std::to_string(host_) + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream rest(text.substr(text.rfind(')') + 2));
    std::string word;
    for (int i = 0; i < 11; ++i) rest >> word;
    int64_t user = 0, system = 0;
    rest >> user >> system;
    return milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("socket"), log_ = folder_.file("log"),
                    no_threads_ = folder_.file("no_threads");
  pid_t host_ = -1;
};

TEST_F(HostShortage, OutOfThreadsRejectsNewClientsOnly) {
  listen(1000);
  const host::Devices before = connect();
  ASSERT_TRUE(computes(before));
  { const std::ofstream file(no_threads_); }
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(connect().empty());
  EXPECT_TRUE(computes(before));
  EXPECT_LE(lines_of_log(), 2u);
  std::filesystem::remove(no_threads_);
  EXPECT_TRUE(computes(connect()));
  EXPECT_TRUE(computes(before));
}

TEST_F(HostShortage, OfFilesLetsNewClientsWait) {
  listen(24);
  const host::Devices before = connect();
  ASSERT_TRUE(computes(before));
  // Silent clients take all descriptors; the rest wait to be accepted.
  std::vector<Result<host::Socket>> silent;
  for (int i = 0; i < 30; ++i) silent.push_back(host::connect_to(path_));
  std::this_thread::sleep_for(milliseconds(300));
  const milliseconds spent = cpu_time();
  std::this_thread::sleep_for(seconds(1));
  EXPECT_LT(cpu_time() - spent, milliseconds(200)) << "The host does not rest.";
  EXPECT_LE(lines_of_log(), 2u);
  auto late = std::async(std::launch::async, [&] { return computes(connect()); });
  EXPECT_EQ(late.wait_for(milliseconds(100)), std::future_status::timeout);
  silent.clear();
  EXPECT_TRUE(late.get());
  EXPECT_TRUE(computes(before));
}

// y = the sum of `inputs` tensors.
GraphPtr sum_of(size_t inputs) {
  GraphMaker maker;
  TensorId sum = maker.input({3});
  for (size_t i = 1; i < inputs; ++i) sum = maker.op(Op::add, {sum, maker.input({3})}, {3});
  return maker.finish({sum});
}

// Descriptors that a client sends during a shortage are dropped; those it has remain. Some limits leave no
// descriptor for the received one, others none for its duplicate.
class HostShortageOfFiles : public HostShortage, public testing::WithParamInterface<int> {};

TEST_P(HostShortageOfFiles, IsReportedToSender) {
  constexpr size_t kInputs = 16;
  listen(rlim_t(GetParam()));
  const host::Devices devices = connect();
  ASSERT_TRUE(computes(devices));
  const auto model = devices[0]->prepare(sum_of(kInputs), {}).value();
  std::vector<std::vector<TensorView>> retained;
  Status status;
  for (int i = 0; i < 10 && status.ok(); ++i) {
    std::vector<TensorView>& inputs = retained.emplace_back();
    for (size_t k = 0; k < kInputs; ++k) inputs.push_back(view_of<float>({3}, {1, -2, 3}));
    std::vector<OutputSlot> outputs{{empty_view(12), false}};
    status = model->run(inputs, outputs, {});
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::memory) << status.error().message;
  retained.clear();
  bool works = false;  // the host releases memory with a delay
  for (int i = 0; i < 5000 && !works; ++i) {
    works = computes(devices);
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(works);
}

INSTANTIATE_TEST_SUITE_P(Left, HostShortageOfFiles, testing::Values(22, 26, 30, 40, 52));

}  // namespace
}  // namespace nnrt::test
