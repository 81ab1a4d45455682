// The calls of MindSpore Lite's delegates, over a small network.
#include "mindspore/schema/enumerations.h"
#include "tests/mindspore/lite_graph_maker.h"
#include "tests/mindspore/small_model.h"
#include "tests/unit/api/api_test_handles.h"
#include "tools/import/mindspore/writer/ms_serializer.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <dlfcn.h>

#include <array>
#include <cstdlib>

namespace nnrt::test {
namespace {

using namespace api_tests;

size_t first_device() { return device_ids().at(0); }

constexpr std::array<float, 2> kInput{-3, 4}, kExpected{1, 10};

// API 9, as in OpenHarmony 3.2.
void run_with_buffers(OH_NNExecutor* executor) {
  const int32_t dims[] = {1, 2};
  const double scale = 1;
  const int32_t zero_point = 0;
  const uint32_t bits = 8;
  const OH_NN_QuantParam quant{1, &bits, &scale, &zero_point};  // of entries that mean nothing
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, 2, dims, &quant, OH_NN_TENSOR};
  std::array<float, 2> result{};
  ASSERT_EQ(OH_NNExecutor_SetInput(executor, 0, &tensor, kInput.data(), sizeof kInput), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOutput(executor, 0, result.data(), sizeof result), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_Run(executor), OH_NN_SUCCESS);
  EXPECT_EQ(result, kExpected);
}

// With the functions of OpenHarmony 5.0.
void run_with_tensors(OH_NNExecutor* executor) {
  size_t inputs = 0, outputs = 0, bytes = 0;
  ASSERT_EQ(OH_NNExecutor_GetInputCount(executor, &inputs), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_GetOutputCount(executor, &outputs), OH_NN_SUCCESS);
  ASSERT_EQ(inputs + outputs, 2u);
  const Desc in(OH_NNExecutor_CreateInputTensorDesc(executor, 0)),
      out(OH_NNExecutor_CreateOutputTensorDesc(executor, 0));
  ASSERT_EQ(OH_NNTensorDesc_GetByteSize(in.get(), &bytes), OH_NN_SUCCESS);
  EXPECT_EQ(bytes, sizeof kInput);
  const api_tests::Tensor x(OH_NNTensor_Create(first_device(), in.get())),
      y(OH_NNTensor_Create(first_device(), out.get()));
  std::memcpy(OH_NNTensor_GetDataBuffer(x.get()), kInput.data(), sizeof kInput);
  NN_Tensor *all_in[] = {x.get()}, *all_out[] = {y.get()};
  ASSERT_EQ(OH_NNExecutor_RunSync(executor, all_in, 1, all_out, 1), OH_NN_SUCCESS);
  EXPECT_EQ(std::memcmp(OH_NNTensor_GetDataBuffer(y.get()), kExpected.data(), sizeof kExpected), 0);
}

OH_NNModel* model_of(LiteGraph* graph) {
  OH_NNModel* model = OH_NNModel_Construct();
  EXPECT_EQ(OH_NNModel_BuildFromLiteGraph(model, graph, nullptr, 0), OH_NN_SUCCESS);
  return model;
}

Executor executor_of(OH_NNModel* model) {
  const Compilation compilation(OH_NNCompilation_Construct(model));
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), first_device()), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return Executor(OH_NNExecutor_Construct(compilation.get()));
}

// The observer is expired once the graph is destroyed.
std::weak_ptr<void> observe(LiteGraph& graph) {
  graph.nodes[0]->base_operator = std::make_shared<int>(1);
  return graph.nodes[0]->base_operator;
}

TEST(LiteGraph, RunsAsInOpenHarmony32) {
  const Bytes file = small_model();
  LiteGraph* const graph = load_graph(file);
  const std::weak_ptr<void> graph_alive = observe(*graph);
  OH_NNModel* model = OH_NNModel_Construct();
  // A client of two arguments leaves garbage in the registers of the others.
  const auto* const garbage = reinterpret_cast<const OH_NN_Extension*>(uintptr_t{0x123});
  ASSERT_EQ(OH_NNModel_BuildFromLiteGraph(model, graph, garbage, 12345), OH_NN_SUCCESS);
  Compilation compilation(OH_NNCompilation_Construct(model));
  EXPECT_EQ(available(model, first_device()), std::vector<bool>(3, true));
  ASSERT_EQ(OH_NNCompilation_SetDevice(compilation.get(), first_device()), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  compilation.reset();
  EXPECT_FALSE(graph_alive.expired());
  OH_NNModel_Destroy(&model);
  EXPECT_TRUE(graph_alive.expired());
  run_with_buffers(executor.get());
}

// The whole graph is only asked about; the supported runs of nodes are cut out while it lives.
TEST(LiteGraph, IsCutAsInOpenHarmony41) {
  const Bytes file = small_model(true);
  LiteGraph* const whole = load_graph(file);
  OH_NNModel* model = model_of(whole);
  EXPECT_EQ(available(model, first_device()), (std::vector<bool>{true, false, true}));
  LiteGraph* const head = cut_graph(*whole, 0, 1);
  const std::weak_ptr<void> head_alive = observe(*head);
  Executor executor;
  {
    const Model part(model_of(head));
    const Compilation compilation(OH_NNCompilation_Construct(part.get()));
    ASSERT_EQ(OH_NNCompilation_SetDevice(compilation.get(), first_device()), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_SetPerformanceMode(compilation.get(), OH_NN_PERFORMANCE_NONE), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_SetPriority(compilation.get(), OH_NN_PRIORITY_NONE), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_EnableFloat16(compilation.get(), false), OH_NN_SUCCESS);
    ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
    executor.reset(OH_NNExecutor_Construct(compilation.get()));
    EXPECT_EQ(head->subgraphs[0]->nodes.size(), 1u);  // still read by the client
  }
  EXPECT_TRUE(head_alive.expired());
  OH_NNModel_Destroy(&model);
  const Desc desc(OH_NNExecutor_CreateInputTensorDesc(executor.get(), 0));
  const api_tests::Tensor x(OH_NNTensor_Create(first_device(), desc.get())),
      y(OH_NNTensor_Create(first_device(), desc.get()));
  std::memcpy(OH_NNTensor_GetDataBuffer(x.get()), kInput.data(), sizeof kInput);
  NN_Tensor *inputs[] = {x.get()}, *outputs[] = {y.get()};
  ASSERT_EQ(OH_NNExecutor_RunSync(executor.get(), inputs, 1, outputs, 1), OH_NN_SUCCESS);
  EXPECT_EQ(static_cast<const float*>(OH_NNTensor_GetDataBuffer(y.get()))[1], 8);
}

TEST(LiteGraph, RunsAsInOpenHarmony50) {
  const Bytes file = small_model();
  char value[] = "model";
  OH_NN_Extension extension{"ModelName", value, sizeof value};
  Model model(OH_NNModel_Construct());
  ASSERT_EQ(OH_NNModel_BuildFromLiteGraph(model.get(), load_graph(file), &extension, 1), OH_NN_SUCCESS);
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  model.reset();
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "isProfiling", value, sizeof value),
            OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  run_with_tensors(executor.get());
}

// Libraries are opened with global symbols, and every function must exist.
TEST(LiteGraph, FindsTheFunctionsOfOpenHarmony61) {
  void* const runtime = dlopen(RUNTIME_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
  void* const core = dlopen(CORE_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
  ASSERT_TRUE(runtime != nullptr && core != nullptr);
  for (const char* name :
       {"OH_NNModel_HasCache", "OH_NNModel_Construct", "OH_NNModel_BuildFromLiteGraph", "OH_NNModel_Destroy",
        "OH_NNModel_GetAvailableOperations", "OH_NNExecutor_SetInput", "OH_NNExecutor_SetOutput",
        "OH_NN_IsSupportAIPP", "OH_NNExecutor_RunSyncWithAipp"})
    EXPECT_NE(dlsym(runtime, name), nullptr) << name;
  for (const char* name : {"OH_NNExecutor_Destroy",
                           "OH_NNDevice_GetName",
                           "OH_NNCompilation_ConstructForCache",
                           "OH_NNCompilation_Destroy",
                           "OH_NNExecutor_Construct",
                           "OH_NNCompilation_SetDevice",
                           "OH_NNCompilation_SetPerformanceMode",
                           "OH_NNCompilation_EnableFloat16",
                           "OH_NNCompilation_SetCache",
                           "OH_NNCompilation_AddExtensionConfig",
                           "OH_NNCompilation_Build",
                           "OH_NNCompilation_ConstructWithOfflineModelBuffer",
                           "OH_NNCompilation_Construct",
                           "OH_NNExecutor_RunSync",
                           "OH_NNTensor_Destroy",
                           "OH_NNTensorDesc_Destroy",
                           "OH_NNExecutor_GetInputCount",
                           "OH_NNExecutor_CreateInputTensorDesc",
                           "OH_NNTensor_Create",
                           "OH_NNCompilation_SetPriority",
                           "OH_NNExecutor_GetOutputCount",
                           "OH_NNExecutor_CreateOutputTensorDesc",
                           "OH_NNTensor_GetDataBuffer",
                           "OH_NNTensorDesc_SetShape",
                           "OH_NNTensorDesc_SetDataType",
                           "OH_NNTensorDesc_SetFormat",
                           "OH_NNTensorDesc_SetName",
                           "OH_NNTensorDesc_Create",
                           "OH_NNDevice_GetAllDevicesID",
                           "OH_NNDevice_GetType"})
    EXPECT_NE(dlsym(core, name), nullptr) << name;
  dlclose(core);
  dlclose(runtime);
}

// Newer clients only use devices of such names.
TEST(LiteGraph, IsForDevicesWithAPrefix) {
  ASSERT_EQ(setenv("NNRT_DEVICES", "cpu,prefix:NPU_", 1), 0);
  const char *const name = device_name(first_device()), *const again = device_name(first_device());
  ASSERT_EQ(setenv("NNRT_DEVICES", "cpu", 1), 0);
  EXPECT_TRUE(std::string(name).starts_with("NPU_"));
  EXPECT_EQ(name, again);
}

TEST(LiteGraph, OfAnUnknownNodeIsRefusedByBuild) {
  const Bytes file = small_model(true);
  const Model model(model_of(load_graph(file)));
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_UNSUPPORTED);
}

TEST(LiteGraph, IsNotChangedAfterwards) {
  const Bytes file = small_model();
  const Model model(model_of(load_graph(file)));
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), Desc(OH_NNTensorDesc_Create()).get()),
            OH_NN_OPERATION_FORBIDDEN);
  LiteGraph* const second = load_graph(file);
  EXPECT_EQ(OH_NNModel_BuildFromLiteGraph(model.get(), second, nullptr, 0), OH_NN_OPERATION_FORBIDDEN);
  free_graph(second);
}

// What fails leaves the graph to the client.
TEST(LiteGraph, WithInvalidEndsStaysTheClients) {
  const Bytes file = small_model();
  const auto refusal = [&](const auto& damage) {
    LiteGraph* const graph = load_graph(file);
    damage(*graph);
    const Model model(OH_NNModel_Construct());
    const OH_NN_ReturnCode code = OH_NNModel_BuildFromLiteGraph(model.get(), graph, nullptr, 0);
    free_graph(graph);
    return code;
  };
  EXPECT_EQ(refusal([](LiteGraph& graph) { graph.inputs.clear(); }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(refusal([](LiteGraph& graph) { graph.outputs = {99}; }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(refusal([](LiteGraph& graph) { graph.outputs.assign(201, 5); }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(refusal([](LiteGraph& graph) { graph.tensors[0] = nullptr; }), OH_NN_NULL_PTR);
}

TEST(LiteGraph, WithDamagedNodesHasThemFalse) {
  const Bytes file = small_model();
  const auto judged = [&](const auto& damage) {
    LiteGraph* const graph = load_graph(file);
    damage(*graph);
    const Model model(model_of(graph));
    return available(model, first_device());
  };
  const std::vector<bool> no_second{true, false, true};
  EXPECT_EQ(judged([](LiteGraph& graph) { graph.nodes[1]->primitive = nullptr; }), no_second);
  EXPECT_EQ(judged([](LiteGraph& graph) { graph.nodes[1]->inputs = {77}; }), no_second);
  EXPECT_EQ(judged([](LiteGraph& graph) { graph.nodes[1]->outputs.clear(); })[1], false);
  EXPECT_EQ(judged([](LiteGraph& graph) { graph.tensors[1] = nullptr; })[0], false);
  const std::vector<bool> no_cycle{true, false, false};
  EXPECT_EQ(judged([](LiteGraph& graph) { graph.nodes[1]->inputs = {5}; }), no_cycle);
}

TEST(MetaGraph, IsBuiltFromAFile) {
  const Bytes file = small_model();
  const Model model(OH_NNModel_Construct());
  ASSERT_EQ(OH_NNModel_BuildFromMetaGraph(model.get(), root_table(file), nullptr, 0), OH_NN_SUCCESS);
  run_with_tensors(executor_of(model.get()).get());
}

}  // namespace
}  // namespace nnrt::test
