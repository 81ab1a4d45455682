// Two clients of the service, in processes of their own, one of which is killed in the middle of a run.
#include "tests/driver/driver_service.h"

#include "tests/support/attr_writer.h"
#include "tests/support/sanitized.h"
#include "tests/support/small_hdi_model.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <span>
#include <thread>

namespace nnrt::test {
namespace {

using std::chrono::milliseconds;

constexpr int32_t kSide = 1024;  // of the matrices of the long model

// What the driver allocated, mapped as a client does.
class Buffer {
 public:
  Buffer(const host::Socket& service, size_t floats) {
    auto [code, response] = call(service, Method::allocate, uint32_t(floats * sizeof(float))).value();
    EXPECT_EQ(code, 0);
    response(buffer);
    fds_ = response.take_fds();
    void* const mapped = mmap(nullptr, buffer.bufferSize, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd, 0);
    EXPECT_NE(mapped, MAP_FAILED);
    values = {static_cast<float*>(mapped), floats};
  }
  ~Buffer() { munmap(values.data(), buffer.bufferSize); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  hdi::SharedBuffer buffer;
  std::span<float> values;

 private:
  std::vector<host::Fd> fds_;
};

hdi::IOTensor io_tensor(const Buffer& buffer, std::vector<int32_t> dims) {
  return {"io", hdi::DATA_TYPE_FLOAT32, std::move(dims), hdi::FORMAT_NHWC, buffer.buffer};
}

hdi::Model with_bytes(hdi::Model model) {
  for (hdi::Node& node : model.nodes) node.nodeAttr = attr_bytes(node.attr, 8);
  return model;
}

// A model of the service with memory for its input and its output.
class Client {
 public:
  Client(const host::Socket& service, const hdi::Model& model, std::vector<int32_t> dims)
      : service_(service), dims_(std::move(dims)), input_(service, count()), output_(service, count()) {
    auto [code, response] = call(service_, Method::prepare, with_bytes(model)).value();
    EXPECT_EQ(code, 0);
    response(model_);
  }

  void release() {
    EXPECT_EQ(call(service_, Method::forget, model_).value().first, 0);
    for (const Buffer* buffer : {&input_, &output_})
      EXPECT_EQ(call(service_, Method::release, buffer->buffer).value().first, 0);
  }
  // Returns whether the run succeeds and reports the dimensions.
  bool run() const {
    auto ran = call(service_, Method::run, model_, std::vector{io_tensor(input_, dims_)},
                    std::vector{io_tensor(output_, dims_)});
    if (!ran.ok() || ran.value().first != 0) return false;
    return ran.value().second.take<std::vector<std::vector<int32_t>>>() ==
           std::vector<std::vector<int32_t>>{dims_};
  }
  std::span<float> input() const { return input_.values; }
  std::span<const float> output() const { return output_.values; }

 private:
  size_t count() const {
    size_t count = 1;
    for (const int32_t dim : dims_) count *= size_t(dim);
    return count;
  }

  const host::Socket& service_;
  const std::vector<int32_t> dims_;
  const Buffer input_, output_;
  uint32_t model_ = 0;
};

// A chain of products with matrices whose elements are all 1 / kSide, which leave ones as they are.
struct LongModel {
  explicit LongModel(uint32_t products) {
    std::fill_n(reinterpret_cast<float*>(memory->data()), kMatrices * kBytes / sizeof(float), 1.0f / kSide);
    model.allTensors.assign(kMatrices + 1 + products, float_tensor({kSide, kSide}));
    for (uint32_t i = 0; i < kMatrices; ++i)
      model.allTensors[i].data = {memory->fd(), kMatrices * kBytes, i * kBytes, kBytes};
    for (uint32_t i = 0; i < products; ++i) {
      const uint32_t from = kMatrices + i;
      model.nodes.push_back(
          hdi_node(hdi::NODE_TYPE_MATMUL_FUSION, hdi::MatMulFusion{}, {from, i % kMatrices}, {from + 1}));
    }
    model.inputIndex = {kMatrices};
    model.outputIndex = {kMatrices + products};
  }

  static constexpr uint32_t kMatrices = 8, kBytes = kSide * kSide * sizeof(float);
  std::shared_ptr<SharedMemory> memory = SharedMemory::create(kMatrices * kBytes).value();
  hdi::Model model;
};

// Runs a long model once, which nobody waits for.
[[noreturn]] void be_victim(const host::Socket& service, uint32_t products) {
  const Client client(service, LongModel(products).model, {kSide, kSide});
  client.run();
  pause();
  std::_Exit(1);
}

// Returns whether relu([x, 10 - x] + [1, -5]) is right.
bool is_right(const Client& small, float x) {
  small.input()[0] = x;
  small.input()[1] = 10 - x;
  return small.run() && small.output()[0] == x + 1 && small.output()[1] == std::max(5 - x, 0.0f);
}

// Runs the small model until nobody holds the other end of the pipe; the exit code says whether all results
// were right.
[[noreturn]] void be_survivor(const host::Socket& service, int until_closed) {
  Client client(service, SmallHdiModel().model, {2});
  bool is_all_right = true;
  for (float x = 0; is_all_right; x = x < 1000 ? x + 1 : 0) {
    is_all_right = is_right(client, x);
    pollfd watched{until_closed, POLLIN, 0};
    if (poll(&watched, 1, 0) > 0) break;
  }
  client.release();
  std::_Exit(is_all_right && !testing::Test::HasFailure() ? 0 : 1);
}

int exit_code_of(pid_t process) {
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class DriverService : public testing::Test {
 protected:
  Counts counts() const {
    auto [code, response] = call(sockets_[0], Method::count).value();
    EXPECT_EQ(code, 0);
    return response.take<Counts>();
  }
  template <typename Condition>
  Counts wait_for(const Condition& condition) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    Counts now = counts();
    while (!condition(now) && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(milliseconds(1));
      now = counts();
    }
    EXPECT_TRUE(condition(now));
    return now;
  }
  // How many products take a third of a second. Also opens the device, and fills the driver's own caches for
  // both models.
  uint32_t long_enough() const {
    Client small(sockets_[0], SmallHdiModel().model, {2});
    EXPECT_TRUE(is_right(small, 1));
    small.release();
    for (uint32_t products = 2;; products *= 2) {
      Client client(sockets_[0], LongModel(products).model, {kSide, kSide});
      std::ranges::fill(client.input(), 1.0f);
      const auto start = std::chrono::steady_clock::now();
      EXPECT_TRUE(client.run());
      const auto time = std::chrono::steady_clock::now() - start;
      EXPECT_EQ(client.output().front(), 1);
      EXPECT_EQ(client.output().back(), 1);
      client.release();
      if (time > milliseconds(300) || HasFailure()) return products;
    }
  }

  std::vector<host::Socket> sockets_;  // this process's, the victim's, the survivor's
  const pid_t service_ = start_service(DRIVER_LIBRARY, 3, sockets_);
};

TEST_F(DriverService, SurvivesAClientThatDiesInARun) {
  const uint32_t products = long_enough();
  const Counts before = counts();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t survivor = fork();
  if (survivor == 0) {
    sockets_[1] = {};
    close(ends[1]);
    be_survivor(sockets_[2], ends[0]);
  }
  wait_for([](const Counts& now) { return now.clients[2].runs_ended > 10; });
  const pid_t victim = fork();
  if (victim == 0) be_victim(sockets_[1], products);
  sockets_[1] = {};
  close(ends[0]);

  const Counts both = wait_for([](const Counts& now) { return now.clients[1].runs_begun > 0; });
  EXPECT_EQ(kill(victim, SIGKILL), 0);
  EXPECT_EQ(exit_code_of(victim), 128 + SIGKILL);
  EXPECT_EQ(counts().clients[1].runs_ended, 0u);
  const Counts alone = wait_for([](const Counts& now) { return now.clients[1].models == 0; });
  EXPECT_EQ(alone.clients[1].runs_ended, 1u);
  EXPECT_LT(alone.shared_bytes, both.shared_bytes);
  wait_for([&](const Counts& now) { return now.clients[2].runs_ended > alone.clients[2].runs_ended + 10; });

  close(ends[1]);
  EXPECT_EQ(exit_code_of(survivor), 0);
  sockets_[2] = {};
  const int64_t sockets = 2;  // of the two clients
  const Counts after = wait_for([&](const Counts& now) { return now.files <= before.files - sockets; });
  EXPECT_EQ(after.files, before.files - sockets);
  EXPECT_EQ(after.shared_bytes, before.shared_bytes);
  // A model left behind would keep its constants.
  if (!kSanitized) {
    EXPECT_LT(after.resident_bytes, before.resident_bytes + LongModel::kMatrices * LongModel::kBytes / 2);
  }
  sockets_.clear();
  EXPECT_EQ(exit_code_of(service_), 0);
}

}  // namespace
}  // namespace nnrt::test
