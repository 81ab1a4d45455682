#include "backends/cpu/engine/cpu_device.h"

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/engine/cpu_kernel_choices.h"
#include "backends/cpu/engine/cpu_model.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "backends/cpu/simd/simd.h"
#include "backends/cpu/simd/x86_features.h"
#include "core/base/text.h"
#include "core/device/cache_traits.h"
#include "core/device/device_registry.h"
#include "core/device/run_gate.h"
#include "core/passes/fuse.h"
#include "core/platform/settings.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace nnrt::cpu {
namespace {

// The kernel's name for the processor, or empty.
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

class CpuDevice final : public Device, public DeferredReader, public StoredOrderReader {
 public:
  const DeviceInfo& info() const override { return info_; }
  std::vector<DeviceProperty> properties() const override {
    return {{"processor", processor_name()},
            {"threads", uint64_t{ThreadPool::shared().threads()}},
            {"memory_bytes", memory_bytes()},
            {"vector_bits", uint64_t(vector_bytes()) * 8}};
  }
  DeviceStatus status() const override { return DeviceStatus::available; }
  Result<DeviceType> type() const override { return DeviceType::cpu; }

  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions&) const override {
    std::vector<Refusal> refusals;
    for (const Node& node : graph.nodes) refusals.push_back(refuse(node));
    return refusals;
  }

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    return cpu::prepare(std::move(graph), threads_of(options), options.float16, kernels_);
  }

  // One gate for all devices that share the thread pool. A run with small tensors cannot keep all threads
  // busy; large ones are unaffected. Twice the number of threads also lets a high-priority run in beside
  // heavy ones (bench/results/overhead.md).
  RunGate* gate() override {
    static RunGate* const gate = std::make_unique<RunGate>(2 * ThreadPool::shared().threads()).release();
    return gate;
  }

  // A server core with 256-bit vectors, scaled by the number of threads; memory bandwidth is shared.
  DeviceCosts costs() const override {
    const double threads = ThreadPool::shared().threads();
    const double lanes = double(vector_bytes()) / 32;
    return {.partition_us = 1,
            .node_us = 1.5,
            .gflops = {40 * lanes * threads, 12 * threads, 2 * threads},
            .int8_speedup = {has_amx()        ? 4.0
                             : has_int8_dot() ? 2.0
                                              : 1.0,
                             1, 1},
            .gbytes = std::min(8 * threads, 40.0),
            .transfer_gbytes = 0,
            .rough = true};
  }

  // The packing depends on the vector width and on the kernel.
  std::string cache_key() const override {
    constexpr int kPacking = 5;  // changes with any layout of packed constants
    return cat("CPU ", kModelFormat, '.', kPacking, fusing_is_on() ? " " : " plain ", vector_bytes(),
               has_int8_dot() ? cat(" ", kInt8Dot) : "", has_amx() ? " amx" : "",
               has_two_dot_ports() ? " 2 ports" : "", ' ', kernels_.text());
  }

  KernelSwitch kernel_switch() const override { return kernels_; }

  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                 const SharedBytes& cached) override {
    return cpu::restore(std::move(graph), threads_of(options), options.float16, kernels_, cached);
  }

 private:
  static ThreadPool threads_of(const CompileOptions& options) {
    const ThreadPool& all = ThreadPool::shared();
    return all.share(threads_for(options, all.threads()), rank(options.priority));
  }
  static Refusal refuse(const Node& node) {
    if (node.diagnosis) return node.diagnosis->message;
    if (kernel(node.op) == nullptr) return cat(name(node.op), " is not implemented on the CPU device.");
    return std::nullopt;
  }

  const KernelSwitch kernels_ = cpu::kernel_switch();
  const DeviceInfo info_{.id = device_id(kDeviceName), .name = std::string(kDeviceName), .vendor = "NNRt"};
};

}  // namespace

unsigned threads_for(PerformanceMode mode, unsigned all) {
  switch (mode) {
    case PerformanceMode::low: return 1;
    case PerformanceMode::medium: return (all + 1) / 2;
    default: return all;
  }
}

unsigned threads_for(const CompileOptions& options, unsigned all) {
  const unsigned threads = threads_for(options.performance, all);
  const auto found = options.extensions.find(std::string_view(row(Setting::config_threads).name));
  if (found == options.extensions.end()) return threads;
  const std::string_view text = found->second;
  return unsigned(
      std::min<uint64_t>(positive_number(text.substr(0, text.find('\0'))).value_or(all), threads));
}

std::shared_ptr<Device> make_device() { return std::make_shared<CpuDevice>(); }

}  // namespace nnrt::cpu
