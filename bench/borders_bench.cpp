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

enum class Chain { relus, transposes, both };

bench::Model compose(Chain chain, int length, int32_t side) {
  bench::Model model(OH_NNModel_Construct());
  uint32_t count = 0;
  const auto add_tensor = [&](OH_NN_DataType dtype, const std::vector<int32_t>& shape) {
    const bench::TensorDesc desc(OH_NNTensorDesc_Create());
    bench::check(OH_NNTensorDesc_SetDataType(desc.get(), dtype), "OH_NNTensorDesc_SetDataType");
    bench::check(OH_NNTensorDesc_SetShape(desc.get(), shape.data(), shape.size()),
                 "OH_NNTensorDesc_SetShape");
    bench::check(OH_NNModel_AddTensorToModel(model.get(), desc.get()), "OH_NNModel_AddTensorToModel");
    return count++;
  };
  uint32_t top = add_tensor(OH_NN_FLOAT32, {side, side});
  const uint32_t order = add_tensor(OH_NN_INT32, {2});
  const auto add = [&](OH_NN_OperationType type, uint32_t operands) {
    uint32_t ids[] = {top, order};
    top = add_tensor(OH_NN_FLOAT32, {side, side});
    const OH_NN_UInt32Array none{nullptr, 0}, inputs{ids, operands}, output{&top, 1};
    bench::check(OH_NNModel_AddOperation(model.get(), type, &none, &inputs, &output),
                 "OH_NNModel_AddOperation");
  };
  for (int i = 0; i < length; ++i) {
    if (chain != Chain::transposes) add(OH_NN_OPS_RELU, 1);
    if (chain != Chain::relus) add(OH_NN_OPS_TRANSPOSE, 2);
  }
  uint32_t ids[] = {0, order};
  const OH_NN_UInt32Array inputs{ids, chain == Chain::relus ? 1u : 2u}, output{&top, 1};
  bench::check(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &output),
               "OH_NNModel_SpecifyInputsAndOutputs");
  bench::check(OH_NNModel_Finish(model.get()), "OH_NNModel_Finish");
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
  bench::NetworkRunner both(compose(Chain::both, length, side).get(), device.id, {});
  bench::NetworkRunner relus(compose(Chain::relus, length, side).get(), device.id, {});
  bench::NetworkRunner transposes(compose(Chain::transposes, length, side).get(), device.id, {});
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
