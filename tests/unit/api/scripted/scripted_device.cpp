#include "tests/unit/api/scripted/scripted_device.h"

#include "backends/cpu/engine/cpu_device.h"
#include "backends/devices.h"
#include "tests/support/partial_device.h"

namespace nnrt {
namespace test {
namespace {

Script& script() {
  static Script current;
  return current;
}

class ScriptedModel final : public PreparedModel {
 public:
  explicit ScriptedModel(std::unique_ptr<PreparedModel> model) : model_(std::move(model)) {}

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override {
    if (script()) NNRT_TRY(script()(deadline));
    return model_->run(inputs, outputs, deadline);
  }

 private:
  std::unique_ptr<PreparedModel> model_;
};

class ScriptedDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return cpu_->info(); }
  Result<DeviceType> type() const override { return cpu_->type(); }
  DeviceStatus status() const override { return DeviceStatus::available; }
  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override {
    return cpu_->supports(graph, options);
  }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    NNRT_ASSIGN(auto model, cpu_->prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<ScriptedModel>(std::move(model)));
  }
  RunGate* gate() override { return &device_gate(); }

 private:
  std::shared_ptr<Device> cpu_ = cpu::make_device();
};

}  // namespace

RunGate& device_gate() {
  static RunGate gate(1);
  return gate;
}

void set_script(Script script_of_runs) { script() = std::move(script_of_runs); }

}  // namespace test

Result<std::shared_ptr<Device>> plugin_device(std::shared_ptr<hdi::V2_0::INnrtDevice>) {
  return Error{Code::unsupported, "There are no plugins here."};
}

DeviceRegistry& device_registry() {
  static DeviceRegistry registry(
      {std::make_shared<test::ScriptedDevice>(),
       std::make_shared<test::PartialDevice>(cpu::make_device(), [](const Node&) { return true; })});
  return registry;
}

}  // namespace nnrt
