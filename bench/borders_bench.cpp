// Measures the cost of a device boundary, on a sequence of RELU (which a GPU supports) and transposes with a
// dynamic permutation (which it does not): alternating between both devices, and each kind alone. "border" is
// the extra time of the alternating sequence per boundary: waiting, submitting and sharing memory. On the CPU
// device the same sequence has no boundaries.
#include "network_runner.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace {

using bench::Device;
using conformance::Case;
using conformance::Shape;

enum class Chain { relus, transposes, both };

uint32_t add_tensor(Case& model, const Shape& shape, OH_NN_DataType dtype) {
  conformance::Tensor tensor;
  tensor.dataType = dtype;
  tensor.shape = shape;
  model.tensors.push_back(std::move(tensor));
  return static_cast<uint32_t>(model.tensors.size() - 1);
}

Case describe(Chain chain, int length, int32_t side) {
  const Shape shape{side, side};
  Case model;
  uint32_t top = add_tensor(model, shape, OH_NN_FLOAT32);
  const uint32_t order = add_tensor(model, {2}, OH_NN_INT32);
  model.inputs = {top, order};
  const auto add = [&](OH_NN_OperationType type, std::vector<uint32_t> inputs) {
    top = add_tensor(model, shape, OH_NN_FLOAT32);
    model.operations.push_back({"", type, std::move(inputs), {}, {top}});
  };
  if (chain == Chain::relus) model.inputs = {top};
  for (int i = 0; i < length; ++i) {
    if (chain != Chain::transposes) add(OH_NN_OPS_RELU, {top});
    if (chain != Chain::relus) add(OH_NN_OPS_TRANSPOSE, {top, order});
  }
  model.outputs = {top};
  return model;
}

void fill(bench::NetworkRunner& runner) {
  runner.fill_inputs(1);
  constexpr int32_t kOrder[] = {1, 0};
  if (runner.input_count() > 1) std::memcpy(runner.input(1).data(), kOrder, sizeof kOrder);
}

double median_seconds(bench::NetworkRunner& runner) {
  std::vector<double> seconds;
  for (int i = 0; i < 15; ++i) {
    const auto start = std::chrono::steady_clock::now();
    runner.run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + 7);
  return seconds[7];
}

void time_borders(benchmark::State& state, const Device& device, int length, int32_t side) {
  bench::NetworkRunner both(describe(Chain::both, length, side), device.id);
  bench::NetworkRunner relus(describe(Chain::relus, length, side), device.id);
  bench::NetworkRunner transposes(describe(Chain::transposes, length, side), device.id);
  for (bench::NetworkRunner* runner : {&both, &relus, &transposes}) fill(*runner);
  double border = 0;
  for (auto iteration : state) {
    const double alternating = median_seconds(both);
    border += alternating - median_seconds(relus) - median_seconds(transposes);
    state.SetIterationTime(alternating);
  }
  const double borders = double(state.iterations()) * (2 * length - 1);
  state.counters["border_us"] = border / borders * 1e6;
  state.counters["borders"] = 2 * length - 1;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const Device& device : bench::devices()) {
    for (const int32_t side : {16, 256, 1024}) {
      for (const int length : {1, 4, 16}) {
        const std::string name = std::string("border/")
                                     .append(std::to_string(size_t(side) * size_t(side) * 4 / 1024))
                                     .append("KiB/")
                                     .append(std::to_string(length))
                                     .append("/")
                                     .append(device.name);
        benchmark::RegisterBenchmark(name.c_str(), time_borders, device, length, side)
            ->Unit(benchmark::kMicrosecond)
            ->UseManualTime()
            ->Iterations(2);
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
