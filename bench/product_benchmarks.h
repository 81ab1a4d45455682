// Benchmarks of another engine's convolutions and matrix products.
#pragma once

#include "networks/kernel_models.h"
#include "networks/networks.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace bench {

// Registers the products of each float network, run back to back, and of each kernel, INT8 ones if `int8`.
// make(description, int8) returns an object with run() and empty().
template <typename Make>
void register_products(const std::string& suffix, bool int8, const Make& make) {
  for (const Network& network : networks()) {
    if (network.int8 || network.name == "lstm") continue;
    const auto time = [&network, make](benchmark::State& state) {
      const conformance::Case description = network.describe({});
      auto products = make(description, false);
      products.run();
      for (auto iteration : state) products.run();
    };
    benchmark::RegisterBenchmark(std::string("products/").append(network.name).append(suffix).c_str(), time)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  static const std::vector<Kernel> all = kernels();
  for (const Kernel& kernel : all) {
    if (!is_product(kernel) || kernel.large || (kernel.int8 && !int8)) continue;
    const auto time = [&kernel, make](benchmark::State& state) {
      const conformance::Case description = kernel.describe();
      auto products = make(description, kernel.int8);
      if (products.empty()) return state.SkipWithError("no product");
      products.run();
      for (auto iteration : state) products.run();
      state.counters["GFLOP/s"] = benchmark::Counter(work_of(description).operations / 1e9,
                                                     benchmark::Counter::kIsIterationInvariantRate);
    };
    benchmark::RegisterBenchmark((kernel.name + suffix).c_str(), time)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
}

}  // namespace bench
