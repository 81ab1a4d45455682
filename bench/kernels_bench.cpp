// How near to its limit is a device with one operator? Models of one operator, in tensors that stay the same.
// GFLOP/s and GB/s, and "of_limit": the greater of both as fractions of what the device reached in this
// process with independent multiply-adds and with a plain copy ("limit/operations", "limit/copy"). INT8
// operations are counted against the limit of float32.
#include "device_limits/device_limits.h"
#include "network_runner.h"
#include "networks/kernel_models.h"

#include <benchmark/benchmark.h>

#include <map>

namespace {

using bench::Device;
using bench::Kernel;
using bench::Limits;
using benchmark::Counter;

bool is_cpu(const Device& device) { return device.type == OH_NN_CPU; }

const Limits& limits_of(const Device& device) {
  static std::map<size_t, Limits> measured;
  const auto found = measured.find(device.id);
  if (found != measured.end()) return found->second;
  return measured[device.id] = is_cpu(device) ? bench::cpu_limits() : bench::gpu_limits(device.name);
}

constexpr double kGiga = 1e9;

void time_kernel(benchmark::State& state, const Kernel& kernel, const Device& device) {
  const conformance::Case model = kernel.describe();
  const bench::Work work = bench::work_of(model);
  const Limits& limits = limits_of(device);
  bench::NetworkRunner runner(model, device.id);
  runner.fill_inputs(1);
  runner.run();
  for (auto iteration : state) runner.run();
  const auto rate = [](double each) { return Counter(each, Counter::kIsIterationInvariantRate); };
  state.counters["GFLOP/s"] = rate(work.operations / kGiga);
  state.counters["GB/s"] = rate(work.bytes / kGiga);
  if (limits.operations <= 0 || limits.bytes <= 0) return;
  state.counters["of_limit"] = rate(std::max(work.operations / limits.operations, work.bytes / limits.bytes));
}

void show_limits(benchmark::State& state, const Device& device) {
  for (auto iteration : state) benchmark::DoNotOptimize(limits_of(device));
  state.counters["GFLOP/s"] = limits_of(device).operations / kGiga;
  state.counters["GB/s"] = limits_of(device).bytes / kGiga;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::vector<Device> devices = bench::devices();
  const std::vector<Kernel> kernels = bench::kernels();
  for (const Device& device : devices) {
    const auto add = [&](const std::string& name, auto&&... arguments) {
      return benchmark::RegisterBenchmark((name + "/" + device.name).c_str(), arguments...)
          ->Unit(benchmark::kMicrosecond)
          ->UseRealTime();
    };
    add("limit", show_limits, device)->Iterations(1);
    for (const Kernel& kernel : kernels) add(kernel.name, time_kernel, std::cref(kernel), device);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
