// Measures how close single operators get to the device's limits, on models of one operator with fixed
// tensors: kernels_bench FOLDER [--fp16]. The models and their work are those that models/model_files.py
// wrote to the folder. The time is the caller's. On a GPU, "device_us" is the kernel time by device
// timestamps, and "transfers_us" that of input and output copies. Reports GFLOP/s, GB/s, and "of_limit": the
// larger of both as a fraction of "limit", which this process measured with independent multiply-adds and
// with the faster of copying and reading. Uses "device_us" if available. Operations on INT8 and FLOAT16 count
// against the FLOAT32 limit. --fp16 permits fp16 computation.
#include "device_limits/device_limits.h"
#include "device_time.h"
#include "network_runner.h"

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>

namespace {

using bench::Device;
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

// A model of one operator, with the work of a run.
struct Kernel {
  std::string name, file;
  bool large = false;  // takes seconds except on GPUs
  double operations = 0, bytes = 0;
};

std::vector<Kernel> kernels_of(const std::string& folder) {
  std::ifstream index(folder + "/index.json");
  std::vector<Kernel> kernels;
  for (const auto& row : nlohmann::json::parse(index))
    kernels.push_back({row["name"], folder + "/" + row["file"].get<std::string>(), row["large"],
                       row["operations"], row["bytes"]});
  return kernels;
}

// About a tenth of a second of runs, within bounds.
int traced_runs(bench::NetworkRunner& runner) {
  const auto start = std::chrono::steady_clock::now();
  runner.run();
  const std::chrono::duration<double> once = std::chrono::steady_clock::now() - start;
  return static_cast<int>(std::clamp(0.1 / once.count(), 3.0, 10.0));
}

void show_rates(benchmark::State& state, const Kernel& work, const Limits& limits,
                const std::optional<bench::DeviceTime>& time) {
  const auto rate = [&](double each) {
    return time ? Counter(each / (time->kernels_us * 1e-6))
                : Counter(each, Counter::kIsIterationInvariantRate);
  };
  if (time) {
    state.counters["device_us"] = time->kernels_us;
    state.counters["transfers_us"] = time->transfers_us;
  }
  state.counters["GFLOP/s"] = rate(work.operations / kGiga);
  state.counters["GB/s"] = rate(work.bytes / kGiga);
  if (limits.operations <= 0 || limits.bytes() <= 0) return;
  state.counters["of_limit"] =
      rate(std::max(work.operations / limits.operations, work.bytes / limits.bytes()));
}

void time_kernel(benchmark::State& state, const Kernel& kernel, const Device& device, bool fp16) {
  const Limits& limits = limits_of(device);
  bench::NetworkRunner runner(bench::ImportedModel(kernel.file).network(), device.id, {.float16 = fp16});
  runner.fill_inputs(1);
  runner.run();
  for (auto iteration : state) runner.run();
  show_rates(state, kernel, limits, bench::device_time(runner, traced_runs(runner)));
}

void show_limits(benchmark::State& state, const Device& device) {
  for (auto iteration : state) benchmark::DoNotOptimize(&limits_of(device));
  state.counters["GFLOP/s"] = limits_of(device).operations / kGiga;
  state.counters["GB/s"] = limits_of(device).bytes() / kGiga;
  state.counters["copied GB/s"] = limits_of(device).copied / kGiga;
  state.counters["read GB/s"] = limits_of(device).read / kGiga;
}

// Returns whether the flag is present, and removes it.
bool take_flag(int& argc, char** argv, std::string_view flag) {
  char** const end = argv + argc;
  char** const found = std::find(argv, end, flag);
  if (found == end) return false;
  std::move(found + 1, end, found);
  --argc;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool fp16 = take_flag(argc, argv, "--fp16");
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: kernels_bench FOLDER [--fp16]\n");
    return 2;
  }
  const std::vector<Device> devices = bench::devices();
  std::vector<Kernel> kernels;
  try {
    kernels = kernels_of(argv[1]);
  } catch (const nlohmann::json::exception& error) {
    std::fprintf(stderr, "%s/index.json: %s\n", argv[1], error.what());
    return 1;
  }
  for (const Device& device : devices) {
    const auto add = [&](const std::string& name, auto&&... arguments) {
      return benchmark::RegisterBenchmark((name + "/" + device.name).c_str(), arguments...)
          ->Unit(benchmark::kMicrosecond)
          ->UseRealTime();
    };
    const bool is_slow = is_cpu(device) || bench::is_software_gpu(device.name);
    add("limit", show_limits, device)->Iterations(1);
    for (const Kernel& kernel : kernels) {
      if (!(kernel.large && is_slow)) add(kernel.name, time_kernel, std::cref(kernel), device, fp16);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
