#include "backends/cpu/device.h"

#include "backends/cpu/kernel.h"
#include "backends/cpu/prepared_model.h"
#include "core/device_registry.h"
#include "core/text.h"

namespace nnrt::cpu {
namespace {

class CpuDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }
  DeviceStatus status() const override { return DeviceStatus::available; }

  std::vector<Refusal> supports(const Graph& graph, const CompileOptions&) const override {
    std::vector<Refusal> refusals;
    for (const Node& node : graph.nodes) refusals.push_back(refuse(node));
    return refusals;
  }

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions&) override {
    return cpu::prepare(std::move(graph), ThreadPool::shared());
  }

 private:
  static Refusal refuse(const Node& node) {
    if (node.diagnosis) return node.diagnosis->message;
    if (kernel(node.op) == nullptr) return cat(name(node.op), " is not built yet on the CPU device.");
    return std::nullopt;
  }

  const DeviceInfo info_{
      .id = device_id("CPU_NNRt"), .name = "CPU_NNRt", .vendor = "NNRt", .type = DeviceType::cpu};
};

}  // namespace

std::shared_ptr<Device> make_device() { return std::make_shared<CpuDevice>(); }

}  // namespace nnrt::cpu
