// Measures networks on each device. "run" is one synchronous inference with fixed tensors, after warm-up;
// "build" is from an empty model to an executor, in a process that has built it before. For the first run of
// a process, see cold_bench.
#include "network_runner.h"
#include "networks/networks.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace {

using bench::Network;
using bench::NetworkRunner;
using conformance::Case;

// Keeps only the last network in memory.
const Case& described(const Network& network) {
  static Case last;
  if (last.name != network.name) {
    last = {};
    last = network.describe({});
  }
  return last;
}

void time_build(benchmark::State& state, const Network& network, size_t device) {
  const Case& description = described(network);
  for (auto iteration : state) {
    auto runner = std::make_unique<NetworkRunner>(description, device);
    state.PauseTiming();
    runner.reset();
    state.ResumeTiming();
  }
}

void time_run(benchmark::State& state, const Network& network, size_t device) {
  NetworkRunner runner(described(network), device);
  runner.fill_inputs(1);
  for (int i = 0; i < 2; ++i) runner.run();
  for (auto iteration : state) runner.run();
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto add = [](const std::string& name, auto function, const Network& network, size_t device) {
    benchmark::RegisterBenchmark(name.c_str(), function, std::cref(network), device)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  for (const Network& network : bench::networks()) {
    for (const bench::Device& device : bench::devices()) {
      std::string label(network.name);
      label.append("/").append(device.name);
      add("run/" + label, time_run, network, device.id);
      add("build/" + label, time_build, network, device.id);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
