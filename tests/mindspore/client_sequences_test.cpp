// Longer call sequences of MindSpore Lite's delegates: zero copy, caches, and functions found by name.
#include "core/base/bytes.h"
#include "tests/mindspore/lite_graph_maker.h"
#include "tests/mindspore/small_model.h"
#include "tests/unit/api/compilation/cache_fixture.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace nnrt::test {
namespace {

using namespace api_tests;

constexpr std::array<float, 2> kInput{-3, 4}, kExpected{1, 10};  // of small_model()

size_t first_device() { return device_ids().at(0); }

Model model_of(const Bytes& file) {
  Model model(OH_NNModel_Construct());
  EXPECT_EQ(OH_NNModel_BuildFromLiteGraph(model.get(), load_graph(file), nullptr, 0), OH_NN_SUCCESS);
  return model;
}

Executor executor_for(const Bytes& file) {
  const Model model = model_of(file);
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), first_device()), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return Executor(OH_NNExecutor_Construct(compilation.get()));
}

// Tensors of MindSpore's byte sizes, as with zero copy since OpenHarmony 5.0.
void expect_result(OH_NNExecutor* executor) {
  const Desc in(OH_NNExecutor_CreateInputTensorDesc(executor, 0)),
      out(OH_NNExecutor_CreateOutputTensorDesc(executor, 0));
  const api_tests::Tensor x(OH_NNTensor_CreateWithSize(first_device(), in.get(), sizeof kInput)),
      y(OH_NNTensor_CreateWithSize(first_device(), out.get(), sizeof kExpected));
  ASSERT_TRUE(x && y);
  std::memcpy(OH_NNTensor_GetDataBuffer(x.get()), kInput.data(), sizeof kInput);
  NN_Tensor *inputs[] = {x.get()}, *outputs[] = {y.get()};
  ASSERT_EQ(OH_NNExecutor_RunSync(executor, inputs, 1, outputs, 1), OH_NN_SUCCESS);
  EXPECT_EQ(std::memcmp(OH_NNTensor_GetDataBuffer(y.get()), kExpected.data(), sizeof kExpected), 0);
}

// MindSpore Lite on a CPU has FLOAT32 tensors for a graph's inputs and outputs of FLOAT16.
TEST(ClientSequences, PassFloat16AsFloat32InOpenHarmony3_2) {
  const Bytes file = half_model();
  const Executor executor = executor_for(file);
  const int32_t dims[] = {1, 2};
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, 2, dims, nullptr, OH_NN_TENSOR};
  std::array<float, 2> result{-1, -1};
  ASSERT_EQ(OH_NNExecutor_SetInput(executor.get(), 0, &tensor, kInput.data(), sizeof kInput), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, result.data(), sizeof result), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_Run(executor.get()), OH_NN_SUCCESS);
  EXPECT_EQ(result, (std::array<float, 2>{0, 4}));
}

TEST(ClientSequences, ShareMemoryAsInOpenHarmony41) {
  const Bytes file = small_model();
  const Executor executor = executor_for(file);
  const int32_t dims[] = {1, 2};
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, 2, dims, nullptr, OH_NN_TENSOR};
  OH_NN_Memory* x = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, sizeof kInput);
  OH_NN_Memory* y = OH_NNExecutor_AllocateOutputMemory(executor.get(), 0, sizeof kExpected);
  ASSERT_TRUE(x != nullptr && y != nullptr);
  std::memcpy(x->data, kInput.data(), sizeof kInput);
  EXPECT_EQ(OH_NNExecutor_SetInputWithMemory(executor.get(), 0, &tensor, x), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNExecutor_Run(executor.get()), OH_NN_SUCCESS);
  EXPECT_EQ(std::memcmp(y->data, kExpected.data(), sizeof kExpected), 0);
  OH_NNExecutor_DestroyInputMemory(executor.get(), 0, &x);
  OH_NNExecutor_DestroyOutputMemory(executor.get(), 0, &y);
}

// The first start writes a cache, later ones have no model.
TEST(ClientSequences, RestoreCachesAsInOpenHarmony5_0) {
  const Bytes file = small_model();
  const TemporaryDirectory directory;
  char name[] = "face";  // its length counts the terminator
  const auto build = [&](OH_NNCompilation* compilation) {
    EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation, "ModelName", name, sizeof name),
              OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_SetDevice(compilation, first_device()), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_SetCache(compilation, directory.path().c_str(), 3), OH_NN_SUCCESS);
    return OH_NNCompilation_Build(compilation);
  };
  EXPECT_FALSE(OH_NNModel_HasCache(directory.path().c_str(), name, 3));
  {
    const Model model = model_of(file);
    const Compilation compilation(OH_NNCompilation_Construct(model.get()));
    ASSERT_EQ(build(compilation.get()), OH_NN_SUCCESS);
  }
  EXPECT_TRUE(OH_NNModel_HasCache(directory.path().c_str(), name, 3));
  Compilation compilation(OH_NNCompilation_ConstructForCache());
  ASSERT_EQ(build(compilation.get()), OH_NN_SUCCESS);
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  compilation.reset();
  expect_result(executor.get());
}

TEST(ClientSequences, ShareTensorsAsInOpenHarmony50) {
  const Bytes file = small_model();
  expect_result(executor_for(file).get());
}

// Every function is called through its address.
class OpenHarmony61 : public testing::Test {
 protected:
  OpenHarmony61() { setenv("NNRT_DEVICES", "cpu,prefix:NPU_,graph_extensions", 1); }
  ~OpenHarmony61() override {
    setenv("NNRT_DEVICES", "cpu", 1);
    dlclose(core_);
    dlclose(runtime_);
  }

  void* const runtime_ = dlopen(RUNTIME_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
  void* const core_ = dlopen(CORE_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
};

#define OF_RUNTIME(name) reinterpret_cast<decltype(&(name))>(dlsym(runtime_, #name))
#define OF_CORE(name) reinterpret_cast<decltype(&(name))>(dlsym(core_, #name))

TEST_F(OpenHarmony61, RunsAWholeGraph) {
  const Bytes file = small_model();
  const size_t* ids = nullptr;
  uint32_t count = 0;
  ASSERT_EQ(OF_CORE(OH_NNDevice_GetAllDevicesID)(&ids, &count), OH_NN_SUCCESS);
  const char* device = nullptr;
  ASSERT_EQ(OF_CORE(OH_NNDevice_GetName)(ids[0], &device), OH_NN_SUCCESS);
  ASSERT_EQ(std::string(device).rfind("NPU_", 0), 0u) << device;
  bool preprocesses = true;
  EXPECT_EQ(OF_RUNTIME(OH_NN_IsSupportAIPP)(preprocesses), OH_NN_SUCCESS);
  EXPECT_FALSE(preprocesses);

  char profiling[] = "false";
  OH_NN_Extension extension{"isProfiling", profiling, sizeof profiling};
  OH_NNModel* model = OF_RUNTIME(OH_NNModel_Construct)();
  ASSERT_EQ(OF_RUNTIME(OH_NNModel_BuildFromLiteGraph)(model, load_graph(file), &extension, 1), OH_NN_SUCCESS);
  OH_NNCompilation* compilation = OF_CORE(OH_NNCompilation_Construct)(model);
  EXPECT_EQ(OF_CORE(OH_NNCompilation_SetDevice)(compilation, ids[0]), OH_NN_SUCCESS);
  EXPECT_EQ(OF_CORE(OH_NNCompilation_SetPerformanceMode)(compilation, OH_NN_PERFORMANCE_NONE), OH_NN_SUCCESS);
  EXPECT_EQ(OF_CORE(OH_NNCompilation_SetPriority)(compilation, OH_NN_PRIORITY_NONE), OH_NN_SUCCESS);
  EXPECT_EQ(OF_CORE(OH_NNCompilation_EnableFloat16)(compilation, false), OH_NN_SUCCESS);
  EXPECT_EQ(OF_CORE(OH_NNCompilation_AddExtensionConfig)(compilation, extension.name, extension.value,
                                                         extension.valueSize),
            OH_NN_SUCCESS);
  ASSERT_EQ(OF_CORE(OH_NNCompilation_Build)(compilation), OH_NN_SUCCESS);
  OH_NNExecutor* executor = OF_CORE(OH_NNExecutor_Construct)(compilation);
  ASSERT_NE(executor, nullptr);
  size_t inputs = 0, outputs = 0;
  EXPECT_EQ(OF_CORE(OH_NNExecutor_GetInputCount)(executor, &inputs), OH_NN_SUCCESS);
  EXPECT_EQ(OF_CORE(OH_NNExecutor_GetOutputCount)(executor, &outputs), OH_NN_SUCCESS);
  EXPECT_EQ(inputs + outputs, 2u);

  // Descriptions made by hand, as for zero copy.
  const int32_t dims[] = {1, 2};
  NN_Tensor* tensors[2] = {};
  for (NN_Tensor*& tensor : tensors) {
    NN_TensorDesc* desc = OF_CORE(OH_NNTensorDesc_Create)();
    EXPECT_EQ(OF_CORE(OH_NNTensorDesc_SetShape)(desc, dims, 2), OH_NN_SUCCESS);
    EXPECT_EQ(OF_CORE(OH_NNTensorDesc_SetDataType)(desc, OH_NN_FLOAT32), OH_NN_SUCCESS);
    EXPECT_EQ(OF_CORE(OH_NNTensorDesc_SetFormat)(desc, OH_NN_FORMAT_NHWC), OH_NN_SUCCESS);
    EXPECT_EQ(OF_CORE(OH_NNTensorDesc_SetName)(desc, "tensor"), OH_NN_SUCCESS);
    tensor = OF_CORE(OH_NNTensor_Create)(ids[0], desc);
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(OF_CORE(OH_NNTensorDesc_Destroy)(&desc), OH_NN_SUCCESS);
  }
  std::memcpy(OF_CORE(OH_NNTensor_GetDataBuffer)(tensors[0]), kInput.data(), sizeof kInput);
  EXPECT_EQ(OF_CORE(OH_NNExecutor_RunSync)(executor, &tensors[0], 1, &tensors[1], 1), OH_NN_SUCCESS);
  EXPECT_EQ(std::memcmp(OF_CORE(OH_NNTensor_GetDataBuffer)(tensors[1]), kExpected.data(), sizeof kExpected),
            0);
  // The model goes last here, as when the delegate itself is destroyed.
  for (NN_Tensor*& tensor : tensors) EXPECT_EQ(OF_CORE(OH_NNTensor_Destroy)(&tensor), OH_NN_SUCCESS);
  OF_CORE(OH_NNExecutor_Destroy)(&executor);
  OF_CORE(OH_NNCompilation_Destroy)(&compilation);
  OF_RUNTIME(OH_NNModel_Destroy)(&model);
}

}  // namespace
}  // namespace nnrt::test
