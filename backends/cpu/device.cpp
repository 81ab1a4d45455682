#include "backends/cpu/device.h"

#include "backends/cpu/kernel.h"
#include "backends/cpu/prepared_model.h"
#include "backends/cpu/vectors.h"
#include "core/device_registry.h"
#include "core/text.h"

#include <unistd.h>

#include <fstream>

namespace nnrt::cpu {
namespace {

// As the kernel names it; empty where it does not.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t value = line.find(": ");
    return value == std::string::npos ? "" : line.substr(value + 2);
  }
  return "";
}

uint64_t memory_bytes() { return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE)); }

class CpuDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }
  std::vector<Fact> facts() const override {
    return {{"processor", processor_name()},
            {"threads", uint64_t{ThreadPool::shared().threads()}},
            {"memory_bytes", memory_bytes()},
            {"vector_bits", uint64_t(vector_bytes()) * 8}};
  }
  DeviceStatus status() const override { return DeviceStatus::available; }

  std::vector<Refusal> supports(const Graph& graph, const CompileOptions&) const override {
    std::vector<Refusal> refusals;
    for (const Node& node : graph.nodes) refusals.push_back(refuse(node));
    return refusals;
  }

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions&) override {
    return cpu::prepare(std::move(graph), ThreadPool::shared());
  }

  // The length of vectors decides how weights are packed.
  std::string cache_key() const override { return cat("CPU ", kModelFormat, " ", vector_bytes()); }

  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions&,
                                                 ByteView cached) override {
    return cpu::restore(std::move(graph), ThreadPool::shared(), cached);
  }

 private:
  static Refusal refuse(const Node& node) {
    if (node.diagnosis) return node.diagnosis->message;
    if (kernel(node.op) == nullptr) return cat(name(node.op), " is not built yet on the CPU device.");
    return std::nullopt;
  }

  const DeviceInfo info_{.id = device_id(kDeviceName),
                         .name = std::string(kDeviceName),
                         .vendor = "NNRt",
                         .type = DeviceType::cpu};
};

}  // namespace

std::shared_ptr<Device> make_device() { return std::make_shared<CpuDevice>(); }

}  // namespace nnrt::cpu
