// A CPU device that on request behaves like a bad driver.
#pragma once

#include "backends/cpu/engine/cpu_device.h"
#include "core/device/cache_traits.h"
#include "core/device/device.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nnrt::test {

// Actions before or instead of the CPU's.
struct Script {
  std::function<Status(std::span<const TensorView>, std::span<OutputSlot>, Deadline)> before_run;
  std::function<void(std::span<OutputSlot>)> after_run;
  std::function<std::vector<Refusal>(std::vector<Refusal>)> supports;
  std::function<Status()> prepare;
  std::function<Status(const Graph&)> restore;
  bool prepares_nothing = false;
  DeviceStatus status = DeviceStatus::available;
};

class ScriptedModel final : public PreparedModel {
 public:
  ScriptedModel(std::unique_ptr<PreparedModel> model, std::shared_ptr<Script> script)
      : model_(std::move(model)), script_(std::move(script)) {}

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override {
    if (script_->before_run) NNRT_TRY(script_->before_run(inputs, outputs, deadline));
    NNRT_TRY(model_->run(inputs, outputs, deadline));
    if (script_->after_run) script_->after_run(outputs);
    return {};
  }
  Result<Bytes> export_cache(const GraphPtr& graph) const override { return model_->export_cache(graph); }
  ArenaPlan arena() const override { return model_->arena(); }
  KernelReport kernels(const GraphPtr& graph) const override { return model_->kernels(graph); }

 private:
  const std::unique_ptr<PreparedModel> model_;
  const std::shared_ptr<Script> script_;
};

class ScriptedDevice final : public Device, public DeferredReader {
 public:
  explicit ScriptedDevice(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  const DeviceInfo& info() const override { return cpu_->info(); }
  std::vector<DeviceProperty> properties() const override { return cpu_->properties(); }
  Result<DeviceType> type() const override { return cpu_->type(); }
  DeviceStatus status() const override { return script_->status; }
  std::string cache_key() const override { return cpu_->cache_key(); }
  DeviceCosts costs() const override { return cpu_->costs(); }
  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override {
    NNRT_ASSIGN(std::vector<Refusal> refusals, cpu_->supports(graph, options));
    return script_->supports ? script_->supports(std::move(refusals)) : refusals;
  }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    last_prepared = graph;
    if (script_->prepare) NNRT_TRY(script_->prepare());
    if (script_->prepares_nothing) return std::unique_ptr<PreparedModel>();
    NNRT_ASSIGN(auto model, cpu_->prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<ScriptedModel>(std::move(model), script_));
  }
  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                 const SharedBytes& cached) override {
    if (script_->restore) NNRT_TRY(script_->restore(*graph));
    return cpu_->restore(std::move(graph), options, cached);
  }

  std::weak_ptr<const Graph> last_prepared;

 private:
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  const std::shared_ptr<Script> script_;
};

}  // namespace nnrt::test
