// Measures how much faster a cached model is ready. Networks of more than 50 operators are prepared by each
// device from the graph and from its exported cache. "ours" excludes shader compilation (the driver's, and
// the optimizer SwiftShader needs). A process compiles each shader once, so only --benchmark_repetitions=1
// and the first line of a device show the driver's share.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/vulkan/runtime/vulkan_devices.h"
#include "core/passes/normalize.h"
#include "core/platform/counters.h"
#include "networks/networks.h"
#include "tests/support/golden_case.h"
#include "tests/support/page_aligned_bytes.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace {

using nnrt::Clock;
using nnrt::Device;
using nnrt::GraphPtr;

constexpr double kMillisecond = 1e6;

template <typename Make>
void time(benchmark::State& state, const Make& make) {
  double ours = 0, compiling = 0;
  for (auto iteration : state) {
    const uint64_t before = nnrt::counters().driver_nanoseconds;
    const auto begin = Clock::now();
    auto model = make();
    const auto end = Clock::now();
    if (!model.ok()) return state.SkipWithError(model.error().message.c_str());
    const double driver = double(nnrt::counters().driver_nanoseconds - before);
    const double all = std::chrono::duration<double, std::nano>(end - begin).count();
    ours += (all - driver) / kMillisecond;
    compiling += driver / kMillisecond;
    state.SetIterationTime(all / 1e9);
  }
  state.counters["ours"] = benchmark::Counter(ours, benchmark::Counter::kAvgIterations);
  state.counters["compiling"] = benchmark::Counter(compiling, benchmark::Counter::kAvgIterations);
}

struct Subject {
  std::shared_ptr<Device> device;
  GraphPtr graph;
  nnrt::CompileOptions options;
};

// Opens the device and loads its shaders before measuring.
void prepare(benchmark::State& state, const Subject& subject) {
  if (!subject.device->prepare(subject.graph, subject.options).ok()) return state.SkipWithError("No model.");
  time(state, [&] { return subject.device->prepare(subject.graph, subject.options); });
}

void restore(benchmark::State& state, const Subject& subject) {
  const nnrt::SharedBytes cached = nnrt::test::in_pages(
      subject.device->prepare(subject.graph, subject.options).value()->export_cache(subject.graph).value());
  state.counters["bytes"] = double(cached->size());
  if (!subject.device->restore(subject.graph, subject.options, cached).ok()) {
    return state.SkipWithError("No model.");
  }
  time(state, [&] { return subject.device->restore(subject.graph, subject.options, cached); });
}

void add(const std::string& name, void (*function)(benchmark::State&, const Subject&),
         const Subject& subject) {
  benchmark::RegisterBenchmark(name.c_str(), function, subject)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::shared_ptr<Device>> devices = nnrt::vulkan::find_devices();
  devices.push_back(nnrt::cpu::make_device());
  for (const conformance::Case& network : {bench::resnet_50({}), bench::mobilenet_v2({})}) {
    const GraphPtr graph = nnrt::normalize(nnrt::test::compose(network).graph);
    for (const auto& device : devices) {
      for (const bool float16 : {false, true}) {
        if (float16 && nnrt::is_own_cpu(*device)) continue;
        const Subject subject{device, graph, {.float16 = float16}};
        const std::string label = network.name + (float16 ? "/float16/" : "/") + device->info().name;
        add("prepare/" + label, prepare, subject);
        add("restore/" + label, restore, subject);
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
