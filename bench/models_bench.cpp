// How long does a network take, on each device? The networks of the golden cases, through the public C API:
// "build" is from an empty model to an executor, "run" one synchronous inference in tensors that stay the
// same.
#include "compose.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using bench::Compilation;
using bench::Executor;
using bench::Tensor;
using bench::TensorDesc;
using conformance::Case;
using conformance::check;
using conformance::own;

Executor build(const Case& network, size_t device) {
  const Compilation compilation(OH_NNCompilation_Construct(bench::compose(network).get()));
  check(OH_NNCompilation_SetDevice(compilation.get(), device), "OH_NNCompilation_SetDevice");
  check(OH_NNCompilation_Build(compilation.get()), "OH_NNCompilation_Build");
  return own(OH_NNExecutor_Construct(compilation.get()), "OH_NNExecutor_Construct");
}

Tensor make_tensor(size_t device, NN_TensorDesc* description, const conformance::Value& value) {
  const TensorDesc desc(description);
  if (!value.shape.empty()) {
    check(OH_NNTensorDesc_SetShape(desc.get(), value.shape.data(), value.shape.size()),
          "OH_NNTensorDesc_SetShape");
  }
  Tensor tensor = own(OH_NNTensor_Create(device, desc.get()), "OH_NNTensor_Create");
  std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), value.data.data(), value.data.size());
  return tensor;
}

void time_build(benchmark::State& state, const Case& network, size_t device) {
  for (auto iteration : state) benchmark::DoNotOptimize(build(network, device));
}

void time_run(benchmark::State& state, const Case& network, size_t device) {
  const Executor executor = build(network, device);
  const conformance::Run& run = network.runs.front();
  std::vector<Tensor> tensors;
  std::vector<NN_Tensor*> inputs, outputs;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    tensors.push_back(
        make_tensor(device, OH_NNExecutor_CreateInputTensorDesc(executor.get(), i), run.inputs[i]));
    inputs.push_back(tensors.back().get());
  }
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    tensors.push_back(
        make_tensor(device, OH_NNExecutor_CreateOutputTensorDesc(executor.get(), i), run.outputs[i]));
    outputs.push_back(tensors.back().get());
  }
  for (auto iteration : state) {
    check(OH_NNExecutor_RunSync(executor.get(), inputs.data(), inputs.size(), outputs.data(), outputs.size()),
          "OH_NNExecutor_RunSync");
  }
}

std::vector<Case> float_networks() {
  conformance::Collection collection;
  for (const auto& entry : std::filesystem::directory_iterator(NNRT_GOLDEN_CASES)) {
    if (entry.path().filename().string().starts_with("net_"))
      conformance::load(entry.path().string(), collection);
  }
  std::erase_if(collection.cases, [](const Case& network) { return !network.hasTag("float32"); });
  return collection.cases;
}

void register_benchmarks(const std::vector<Case>& networks) {
  const auto add = [](const std::string& name, auto function, const Case& network, size_t device) {
    benchmark::RegisterBenchmark(name.c_str(), function, std::cref(network), device)
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
  };
  for (const bench::Device& device : bench::devices()) {
    for (const Case& network : networks) {
      const std::string label = network.name + "/" + device.name;
      add("build/" + label, time_build, network, device.id);
      add("run/" + label, time_run, network, device.id);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::vector<Case> networks = float_networks();
  register_benchmarks(networks);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
