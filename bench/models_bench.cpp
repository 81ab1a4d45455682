// How long does a network take, on each device? The networks of the golden cases, through the public C API:
// "build" is from an empty model to an executor, "run" one synchronous inference in tensors that stay the
// same.
#include "case.h"
#include "handles.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using conformance::Case;

using conformance::check;
using conformance::own;
using Model = conformance::Handle<OH_NNModel>;
using Compilation = conformance::Handle<OH_NNCompilation>;
using Executor = conformance::Handle<OH_NNExecutor>;
using TensorDesc = conformance::Handle<NN_TensorDesc>;
using Tensor = conformance::Handle<NN_Tensor>;

OH_NN_UInt32Array as_array(const std::vector<uint32_t>& indices) {
  return {indices.empty() ? nullptr : const_cast<uint32_t*>(indices.data()),
          static_cast<uint32_t>(indices.size())};
}

Model compose(const Case& network) {
  Model model(OH_NNModel_Construct());
  for (uint32_t i = 0; i < network.tensors.size(); ++i) {
    const conformance::Tensor& tensor = network.tensors[i];
    const TensorDesc desc(OH_NNTensorDesc_Create());
    check(OH_NNTensorDesc_SetDataType(desc.get(), tensor.dataType), "OH_NNTensorDesc_SetDataType");
    check(OH_NNTensorDesc_SetFormat(desc.get(), tensor.format), "OH_NNTensorDesc_SetFormat");
    if (!tensor.shape.empty()) {
      check(OH_NNTensorDesc_SetShape(desc.get(), tensor.shape.data(), tensor.shape.size()),
            "OH_NNTensorDesc_SetShape");
    }
    check(OH_NNModel_AddTensorToModel(model.get(), desc.get()), "OH_NNModel_AddTensorToModel");
    check(OH_NNModel_SetTensorType(model.get(), i, tensor.type), "OH_NNModel_SetTensorType");
    if (tensor.data) {
      check(OH_NNModel_SetTensorData(model.get(), i, tensor.data->data(), tensor.data->size()),
            "OH_NNModel_SetTensorData");
    }
  }
  for (const conformance::Operation& operation : network.operations) {
    const auto params = as_array(operation.params), inputs = as_array(operation.inputs),
               outputs = as_array(operation.outputs);
    check(OH_NNModel_AddOperation(model.get(), operation.type, &params, &inputs, &outputs),
          "OH_NNModel_AddOperation");
  }
  const auto inputs = as_array(network.inputs), outputs = as_array(network.outputs);
  check(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs),
        "OH_NNModel_SpecifyInputsAndOutputs");
  check(OH_NNModel_Finish(model.get()), "OH_NNModel_Finish");
  return model;
}

Executor build(const Case& network, size_t device) {
  const Compilation compilation(OH_NNCompilation_Construct(compose(network).get()));
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
  const size_t* devices = nullptr;
  uint32_t count = 0;
  check(OH_NNDevice_GetAllDevicesID(&devices, &count), "OH_NNDevice_GetAllDevicesID");
  for (uint32_t i = 0; i < count; ++i) {
    const size_t device = devices[i];
    const char* name = nullptr;
    check(OH_NNDevice_GetName(device, &name), "OH_NNDevice_GetName");
    for (const Case& network : networks) {
      const std::string label = network.name + "/" + name;
      benchmark::RegisterBenchmark(("build/" + label).c_str(), time_build, std::cref(network), device)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
      benchmark::RegisterBenchmark(("run/" + label).c_str(), time_run, std::cref(network), device)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
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
