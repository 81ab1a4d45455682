// A1: a null handle or required pointer gives OH_NN_INVALID_PARAMETER, or null if a pointer is returned.
#include "tests/unit/api/api_test_handles.h"

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

using namespace api_tests;

namespace {

void on_run_done(void*, OH_NN_ReturnCode, void*[], int32_t) {}
void on_service_died(void*) {}

struct Fixture {
  Desc desc = desc_of({2, 3});
  Tensor tensor = tensor_of({2, 3});
  QuantParam quant{OH_NNQuantParam_Create()};
  Model model = open_model({2, 3});
  Compilation compilation{OH_NNCompilation_Construct(finished_model({2, 3}).get())};
  Executor executor = executor_of({2, 3});
  std::vector<int32_t> shape{2, 3};
  OH_NN_Tensor legacy = legacy_tensor(shape);
  OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 24);
  Indices indices{0};
  char bytes[64] = {};
  size_t size = 0;
  uint32_t count = 0;
};

struct Call {
  std::string what;
  std::function<OH_NN_ReturnCode(Fixture&)> call;
};

const std::vector<Call>& calls() {
  static const size_t* ids;
  static const char* name;
  static const bool* flags;
  static int32_t* dims;
  static size_t *min, *max;
  static NN_Tensor* tensors[1];
  static const std::vector<Call> all = {
      {"GetAllDevicesID", [](Fixture& f) { return OH_NNDevice_GetAllDevicesID(nullptr, &f.count); }},
      {"GetAllDevicesID count", [](Fixture&) { return OH_NNDevice_GetAllDevicesID(&ids, nullptr); }},
      {"GetName", [](Fixture&) { return OH_NNDevice_GetName(0, nullptr); }},
      {"GetType", [](Fixture&) { return OH_NNDevice_GetType(0, nullptr); }},
      {"Export",
       [](Fixture& f) { return OH_NNCompilation_ExportCacheToBuffer(nullptr, f.bytes, 9, &f.size); }},
      {"Import", [](Fixture& f) { return OH_NNCompilation_ImportCacheFromBuffer(nullptr, f.bytes, 9); }},
      {"Import buffer",
       [](Fixture& f) { return OH_NNCompilation_ImportCacheFromBuffer(f.compilation.get(), nullptr, 9); }},
      {"AddExtension",
       [](Fixture& f) { return OH_NNCompilation_AddExtensionConfig(nullptr, "n", f.bytes, 1); }},
      {"AddExtension name",
       [](Fixture& f) {
         return OH_NNCompilation_AddExtensionConfig(f.compilation.get(), nullptr, f.bytes, 1);
       }},
      {"AddExtension value",
       [](Fixture& f) { return OH_NNCompilation_AddExtensionConfig(f.compilation.get(), "n", nullptr, 1); }},
      {"SetDevice", [](Fixture&) { return OH_NNCompilation_SetDevice(nullptr, 0); }},
      {"SetCache", [](Fixture&) { return OH_NNCompilation_SetCache(nullptr, ".", 1); }},
      {"SetCache path",
       [](Fixture& f) { return OH_NNCompilation_SetCache(f.compilation.get(), nullptr, 1); }},
      {"SetPerformanceMode",
       [](Fixture&) { return OH_NNCompilation_SetPerformanceMode(nullptr, OH_NN_PERFORMANCE_LOW); }},
      {"SetPriority", [](Fixture&) { return OH_NNCompilation_SetPriority(nullptr, OH_NN_PRIORITY_LOW); }},
      {"EnableFloat16", [](Fixture&) { return OH_NNCompilation_EnableFloat16(nullptr, true); }},
      {"Build", [](Fixture&) { return OH_NNCompilation_Build(nullptr); }},
      {"TensorDesc_Destroy", [](Fixture&) { return OH_NNTensorDesc_Destroy(nullptr); }},
      {"SetName", [](Fixture&) { return OH_NNTensorDesc_SetName(nullptr, "n"); }},
      {"SetName name", [](Fixture& f) { return OH_NNTensorDesc_SetName(f.desc.get(), nullptr); }},
      {"GetName desc", [](Fixture&) { return OH_NNTensorDesc_GetName(nullptr, &name); }},
      {"GetName out", [](Fixture& f) { return OH_NNTensorDesc_GetName(f.desc.get(), nullptr); }},
      {"SetDataType", [](Fixture&) { return OH_NNTensorDesc_SetDataType(nullptr, OH_NN_INT8); }},
      {"GetDataType", [](Fixture& f) { return OH_NNTensorDesc_GetDataType(f.desc.get(), nullptr); }},
      {"SetShape", [](Fixture& f) { return OH_NNTensorDesc_SetShape(nullptr, f.shape.data(), 2); }},
      {"SetShape shape", [](Fixture& f) { return OH_NNTensorDesc_SetShape(f.desc.get(), nullptr, 2); }},
      {"GetShape", [](Fixture& f) { return OH_NNTensorDesc_GetShape(nullptr, &dims, &f.size); }},
      {"GetShape out", [](Fixture& f) { return OH_NNTensorDesc_GetShape(f.desc.get(), nullptr, &f.size); }},
      {"GetShape length", [](Fixture& f) { return OH_NNTensorDesc_GetShape(f.desc.get(), &dims, nullptr); }},
      {"SetFormat", [](Fixture&) { return OH_NNTensorDesc_SetFormat(nullptr, OH_NN_FORMAT_ND); }},
      {"GetFormat", [](Fixture& f) { return OH_NNTensorDesc_GetFormat(f.desc.get(), nullptr); }},
      {"GetElementCount", [](Fixture& f) { return OH_NNTensorDesc_GetElementCount(nullptr, &f.size); }},
      {"GetElementCount out",
       [](Fixture& f) { return OH_NNTensorDesc_GetElementCount(f.desc.get(), nullptr); }},
      {"GetByteSize", [](Fixture& f) { return OH_NNTensorDesc_GetByteSize(nullptr, &f.size); }},
      {"GetByteSize out", [](Fixture& f) { return OH_NNTensorDesc_GetByteSize(f.desc.get(), nullptr); }},
      {"Tensor_Destroy", [](Fixture&) { return OH_NNTensor_Destroy(nullptr); }},
      {"GetFd", [](Fixture& f) { return OH_NNTensor_GetFd(f.tensor.get(), nullptr); }},
      {"GetSize", [](Fixture& f) { return OH_NNTensor_GetSize(nullptr, &f.size); }},
      {"GetOffset", [](Fixture& f) { return OH_NNTensor_GetOffset(f.tensor.get(), nullptr); }},
      {"GetOutputShape",
       [](Fixture& f) { return OH_NNExecutor_GetOutputShape(nullptr, 0, &dims, &f.count); }},
      {"GetOutputShape out",
       [](Fixture& f) { return OH_NNExecutor_GetOutputShape(f.executor.get(), 0, nullptr, &f.count); }},
      {"GetOutputShape length",
       [](Fixture& f) { return OH_NNExecutor_GetOutputShape(f.executor.get(), 0, &dims, nullptr); }},
      {"GetInputCount", [](Fixture& f) { return OH_NNExecutor_GetInputCount(f.executor.get(), nullptr); }},
      {"GetOutputCount", [](Fixture& f) { return OH_NNExecutor_GetOutputCount(nullptr, &f.size); }},
      {"GetInputDimRange",
       [](Fixture& f) { return OH_NNExecutor_GetInputDimRange(nullptr, 0, &min, &max, &f.size); }},
      {"GetInputDimRange min",
       [](Fixture& f) {
         return OH_NNExecutor_GetInputDimRange(f.executor.get(), 0, nullptr, &max, &f.size);
       }},
      {"GetInputDimRange length",
       [](Fixture& f) { return OH_NNExecutor_GetInputDimRange(f.executor.get(), 0, &min, &max, nullptr); }},
      {"SetOnRunDone", [](Fixture& f) { return OH_NNExecutor_SetOnRunDone(f.executor.get(), nullptr); }},
      {"SetOnRunDone executor", [](Fixture&) { return OH_NNExecutor_SetOnRunDone(nullptr, on_run_done); }},
      {"SetOnServiceDied",
       [](Fixture& f) { return OH_NNExecutor_SetOnServiceDied(f.executor.get(), nullptr); }},
      {"SetOnServiceDied executor",
       [](Fixture&) { return OH_NNExecutor_SetOnServiceDied(nullptr, on_service_died); }},
      {"RunSync", [](Fixture&) { return OH_NNExecutor_RunSync(nullptr, tensors, 1, tensors, 1); }},
      {"RunSync inputs",
       [](Fixture& f) { return OH_NNExecutor_RunSync(f.executor.get(), nullptr, 2, tensors, 1); }},
      {"RunSync outputs",
       [](Fixture& f) { return OH_NNExecutor_RunSync(f.executor.get(), tensors, 2, nullptr, 1); }},
      {"RunAsync userData",
       [](Fixture& f) {
         return OH_NNExecutor_RunAsync(f.executor.get(), tensors, 2, tensors, 1, 0, nullptr);
       }},
      {"SetScales", [](Fixture& f) { return OH_NNQuantParam_SetScales(f.quant.get(), nullptr, 1); }},
      {"SetZeroPoints", [](Fixture& f) { return OH_NNQuantParam_SetZeroPoints(nullptr, f.shape.data(), 1); }},
      {"SetNumBits", [](Fixture& f) { return OH_NNQuantParam_SetNumBits(f.quant.get(), nullptr, 1); }},
      {"QuantParam_Destroy", [](Fixture&) { return OH_NNQuantParam_Destroy(nullptr); }},
      {"AddTensorToModel", [](Fixture& f) { return OH_NNModel_AddTensorToModel(f.model.get(), nullptr); }},
      {"AddTensorToModel model",
       [](Fixture& f) { return OH_NNModel_AddTensorToModel(nullptr, f.desc.get()); }},
      {"SetTensorData", [](Fixture& f) { return OH_NNModel_SetTensorData(f.model.get(), 2, nullptr, 24); }},
      {"SetTensorQuantParams",
       [](Fixture& f) { return OH_NNModel_SetTensorQuantParams(f.model.get(), 0, nullptr); }},
      {"SetTensorType", [](Fixture&) { return OH_NNModel_SetTensorType(nullptr, 0, OH_NN_TENSOR); }},
      {"AddOperation params",
       [](Fixture& f) {
         return OH_NNModel_AddOperation(f.model.get(), OH_NN_OPS_RELU, nullptr, &f.indices, &f.indices);
       }},
      {"AddOperation inputs",
       [](Fixture& f) {
         return OH_NNModel_AddOperation(f.model.get(), OH_NN_OPS_RELU, &f.indices, nullptr, &f.indices);
       }},
      {"AddOperation outputs",
       [](Fixture& f) {
         return OH_NNModel_AddOperation(f.model.get(), OH_NN_OPS_RELU, &f.indices, &f.indices, nullptr);
       }},
      {"Specify inputs",
       [](Fixture& f) { return OH_NNModel_SpecifyInputsAndOutputs(f.model.get(), nullptr, &f.indices); }},
      {"Specify outputs",
       [](Fixture& f) { return OH_NNModel_SpecifyInputsAndOutputs(f.model.get(), &f.indices, nullptr); }},
      {"Finish", [](Fixture&) { return OH_NNModel_Finish(nullptr); }},
      {"GetAvailableOperations",
       [](Fixture& f) { return OH_NNModel_GetAvailableOperations(nullptr, 0, &flags, &f.count); }},
      {"GetAvailableOperations out",
       [](Fixture& f) { return OH_NNModel_GetAvailableOperations(f.model.get(), 0, nullptr, &f.count); }},
      {"GetAvailableOperations count",
       [](Fixture& f) { return OH_NNModel_GetAvailableOperations(f.model.get(), 0, &flags, nullptr); }},
      {"AddTensor", [](Fixture& f) { return OH_NNModel_AddTensor(f.model.get(), nullptr); }},
      {"SetInput", [](Fixture& f) { return OH_NNExecutor_SetInput(nullptr, 0, &f.legacy, f.bytes, 24); }},
      {"SetInput tensor",
       [](Fixture& f) { return OH_NNExecutor_SetInput(f.executor.get(), 0, nullptr, f.bytes, 24); }},
      {"SetInput data",
       [](Fixture& f) { return OH_NNExecutor_SetInput(f.executor.get(), 0, &f.legacy, nullptr, 24); }},
      {"SetOutput", [](Fixture& f) { return OH_NNExecutor_SetOutput(f.executor.get(), 0, nullptr, 24); }},
      {"Run", [](Fixture&) { return OH_NNExecutor_Run(nullptr); }},
      {"SetInputWithMemory",
       [](Fixture& f) { return OH_NNExecutor_SetInputWithMemory(f.executor.get(), 0, &f.legacy, nullptr); }},
      {"SetInputWithMemory tensor",
       [](Fixture& f) { return OH_NNExecutor_SetInputWithMemory(f.executor.get(), 0, nullptr, f.memory); }},
      {"SetOutputWithMemory",
       [](Fixture& f) { return OH_NNExecutor_SetOutputWithMemory(f.executor.get(), 0, nullptr); }},
  };
  return all;
}

// Ends the process with the number of calls not logged as one line with function and reason.
[[noreturn]] void expect_one_line_for_each_call() {
  setenv("NNRT_LOG", "error", 1);
  Fixture fixture;
  int failures = 0;
  for (const Call& one : calls()) {
    testing::internal::CaptureStderr();
    one.call(fixture);
    const std::string text = testing::internal::GetCapturedStderr();
    if (text.rfind("NNRt E: OH_NN", 0) == 0 && text.find(" is null.\n") == text.size() - 10) continue;
    std::cerr << one.what << " is logged as: " << text << "\n";
    ++failures;
  }
  _exit(failures);
}

}  // namespace

TEST(Null, GivesInvalidParameter) {
  Fixture fixture;
  for (const Call& one : calls()) {
    EXPECT_EQ(one.call(fixture), OH_NN_INVALID_PARAMETER) << one.what;
  }
}

TEST(Null, IsLoggedOnceAsAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, in which NNRT_LOG is read anew
  EXPECT_EXIT(expect_one_line_for_each_call(), testing::ExitedWithCode(0), "");
}

TEST(Null, ReturnsNullPointers) {
  EXPECT_EQ(OH_NNCompilation_Construct(nullptr), nullptr);
  EXPECT_EQ(OH_NNCompilation_ConstructWithOfflineModelFile(nullptr), nullptr);
  EXPECT_EQ(OH_NNCompilation_ConstructWithOfflineModelBuffer(nullptr, 5), nullptr);
  EXPECT_EQ(OH_NNTensor_Create(0, nullptr), nullptr);
  EXPECT_EQ(OH_NNTensor_CreateWithSize(0, nullptr, 5), nullptr);
  EXPECT_EQ(OH_NNTensor_CreateWithFd(0, nullptr, 0, 5, 0), nullptr);
  EXPECT_EQ(OH_NNTensor_GetTensorDesc(nullptr), nullptr);
  EXPECT_EQ(OH_NNTensor_GetDataBuffer(nullptr), nullptr);
  EXPECT_EQ(OH_NNExecutor_Construct(nullptr), nullptr);
  EXPECT_EQ(OH_NNExecutor_CreateInputTensorDesc(nullptr, 0), nullptr);
  EXPECT_EQ(OH_NNExecutor_CreateOutputTensorDesc(nullptr, 0), nullptr);
  EXPECT_EQ(OH_NNExecutor_AllocateInputMemory(nullptr, 0, 5), nullptr);
  EXPECT_EQ(OH_NNExecutor_AllocateOutputMemory(nullptr, 0, 5), nullptr);
}

TEST(Null, IsIgnoredByFunctionsWithoutACode) {
  OH_NNModel* model = nullptr;
  OH_NNCompilation* compilation = nullptr;
  OH_NNExecutor* executor = nullptr;
  OH_NN_Memory* memory = nullptr;
  OH_NNModel_Destroy(nullptr);
  OH_NNModel_Destroy(&model);
  OH_NNCompilation_Destroy(nullptr);
  OH_NNCompilation_Destroy(&compilation);
  OH_NNExecutor_Destroy(nullptr);
  OH_NNExecutor_Destroy(&executor);
  OH_NNExecutor_DestroyInputMemory(nullptr, 0, &memory);
  OH_NNExecutor_DestroyOutputMemory(executor_of({2}).get(), 0, &memory);
  OH_NNExecutor_DestroyInputMemory(executor_of({2}).get(), 0, nullptr);
  EXPECT_EQ(memory, nullptr);
}
