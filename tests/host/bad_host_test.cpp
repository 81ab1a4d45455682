// Clients of a misbehaving hosted device, or of a host that is gone.
#include "core/base/text.h"
#include "tests/host/hosted_fixture.h"

#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace nnrt::test {
namespace {

using std::chrono::milliseconds;

// Blocks runs in the device until the test releases them, possibly beyond the end of the test.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_open_; });
  }
  void wait_for(int inside) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ >= inside; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool is_open_ = false;
};

class BadDevice : public Hosted {
 protected:
  Status run_relu(Deadline deadline = {}) {
    const auto model = device_->prepare(relu({3}), {});
    if (!model.ok()) return model.error();
    return run_once(*model.value(), deadline);
  }
  Status run_once(PreparedModel& model, Deadline deadline = {}) {
    TensorView y = empty_view(12);
    NNRT_TRY(run(model, {view_of<float>({3}, {1, -2, 3})}, y, deadline));
    EXPECT_EQ(values_of<float>(y), (std::vector<float>{1, 0, 3}));
    return {};
  }
};

TEST_F(BadDevice, ExceptionsBecomeErrors) {
  script_->before_run = [](auto, auto, auto) -> Status { throw std::runtime_error("a bug"); };
  EXPECT_EQ(run_relu().error().message, "The device throws: a bug");
  script_->before_run = [](auto, auto, auto) -> Status { throw 7; };
  EXPECT_EQ(run_relu().error().code, Code::failed);
  script_->before_run = [](auto, auto, auto) -> Status { throw std::bad_alloc(); };
  EXPECT_EQ(run_relu().error().code, Code::memory);
  script_->before_run = nullptr;
  script_->prepare = []() -> Status { throw std::logic_error("another"); };
  EXPECT_EQ(run_relu().error().message, "The device throws: another");
  script_->prepare = nullptr;
  script_->supports = [](std::vector<Refusal>) -> std::vector<Refusal> { throw std::logic_error("a third"); };
  const auto refusals = refusals_of(*device_, *relu({3}), {});
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_TRUE(refusals[0]->starts_with("The device throws: a third")) << *refusals[0];
  script_->supports = nullptr;
  EXPECT_TRUE(run_relu().ok());
  EXPECT_EQ(started_, 1);
}

TEST_F(BadDevice, RejectsNullModel) {
  script_->prepares_nothing = true;
  EXPECT_EQ(run_relu().error().code, Code::failed);
}

TEST_F(BadDevice, RejectsShortSupportList) {
  script_->supports = [](auto) { return std::vector<Refusal>(); };
  EXPECT_TRUE(device_->supports(*relu({3}), {}).value().empty());
  EXPECT_EQ(run_relu().error().code, Code::failed);
}

// Invalid shapes, and shapes too large for the memory.
TEST_F(BadDevice, RejectsMalformedOutputs) {
  for (const Shape& nonsense :
       {Shape{-5}, Shape{4}, Shape{int64_t{1} << 62, 4}, Shape(1000, 1), Shape{kUnknown}}) {
    script_->after_run = [&](std::span<OutputSlot> outputs) { outputs[0].view.shape = nonsense; };
    const Status status = run_relu();
    ASSERT_FALSE(status.ok()) << to_string(nonsense);
    EXPECT_EQ(status.error().code, Code::failed) << status.error().message;
  }
  script_->after_run = [](std::span<OutputSlot> outputs) { outputs[0].view.memory = nullptr; };
  EXPECT_EQ(run_relu().error().code, Code::failed);
  EXPECT_EQ(started_, 1) << "its host is none the worse for it";
}

TEST_F(BadDevice, HangTimesOutWithoutBlockingOthers) {
  const auto gate = std::make_shared<Gate>();
  script_->before_run = [gate](auto, auto, Deadline deadline) -> Status {
    if (deadline) gate->pass();
    return {};
  };
  const auto model = prepare(relu({3}));
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    const Status status = run_once(*model, start + milliseconds(20));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::timeout);
    EXPECT_GE(Clock::now() - start, milliseconds(20));
    EXPECT_LT(Clock::now() - start, milliseconds(2000));
    EXPECT_TRUE(run_once(*model).ok());
  }
  gate->open();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(run_once(*model, Clock::now() + std::chrono::seconds(20)).ok());
}

TEST_F(BadDevice, ReportsLoss) {
  script_->status = DeviceStatus::lost;
  EXPECT_EQ(device_->status(), DeviceStatus::lost);
}

TEST_F(BadDevice, RestartsAfterHostExit) {
  const auto model = prepare(relu({3}));
  ASSERT_TRUE(run_once(*model).ok());
  session().close("The test says so.");
  EXPECT_EQ(run_once(*model).error().code, Code::unavailable_device);
  EXPECT_TRUE(run_relu().ok());
  EXPECT_EQ(started_, 2);
  EXPECT_EQ(run_once(*model).error().code, Code::unavailable_device);
  EXPECT_FALSE(model->export_cache(nullptr).ok());
  EXPECT_EQ(model->arena().bytes, 0u);
  EXPECT_TRUE(model->kernels(nullptr).operations.empty());
}

TEST_F(BadDevice, IsLostIfHostCannotStart) {
  may_start_ = false;
  session().close("The test says so.");
  EXPECT_EQ(device_->status(), DeviceStatus::lost);
  EXPECT_EQ(device_->prepare(relu({3}), {}).error().code, Code::unavailable_device);
  const auto refusals = refusals_of(*device_, *relu({3}), {});
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_TRUE(refusals[0]);
  EXPECT_FALSE(device_->cache_key().empty());
  may_start_ = true;
  EXPECT_EQ(device_->status(), DeviceStatus::available);
  EXPECT_TRUE(run_relu().ok());
}

TEST_F(BadDevice, HostExitFailsRunsInFlight) {
  const auto gate = std::make_shared<Gate>();
  script_->before_run = [gate](auto, auto, auto) -> Status {
    gate->pass();
    return {};
  };
  const auto model = prepare(relu({3}));
  std::atomic<int> ended = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&] {
      if (run_once(*model).error().code == Code::unavailable_device) ++ended;
    });
  }
  gate->wait_for(5);
  session().close("The test says so.");
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 5);
  gate->open();
}

}  // namespace
}  // namespace nnrt::test
