// Devices that a test can observe while they run.
#pragma once

#include "backends/cpu/engine/cpu_device.h"
#include "core/device/run_gate.h"
#include "tests/support/partial_device.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace nnrt::test {

// Supports the nodes a test selects, and calls the test before each run; an error from it ends the run.
class WatchedDevice final : public PartialDevice {
 public:
  using Watch = std::function<Status()>;
  WatchedDevice(size_t id, std::function<bool(const Node&)> supports, Watch watch)
      : PartialDevice(cpu::make_device(), std::move(supports)), watch_(std::move(watch)) {
    info_.id = id;
  }

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    NNRT_ASSIGN(auto model, PartialDevice::prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>(std::move(model), watch_));
  }
  RunGate* gate() override { return &gate_; }

 private:
  struct Model final : PreparedModel {
    Model(std::unique_ptr<PreparedModel> its_model, const Watch& its_watch)
        : model(std::move(its_model)), watch(its_watch) {}
    Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
               Deadline deadline) override {
      NNRT_TRY(watch());
      return model->run(inputs, outputs, deadline);
    }
    std::unique_ptr<PreparedModel> model;
    const Watch& watch;
  };

  Watch watch_;
  RunGate gate_{1};
};

// Blocks until both parties have arrived.
class Meeting {
 public:
  bool attend() {
    std::unique_lock lock(mutex_);
    ++present_;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return present_ >= 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
};

}  // namespace nnrt::test
