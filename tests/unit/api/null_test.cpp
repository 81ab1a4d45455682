// A1: a null handle or required pointer gives OH_NN_INVALID_PARAMETER, or null if a pointer is returned.
#include "tests/unit/api/api_test_handles.h"

#include <unistd.h>

#include <cstdlib>
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

// Calls each function with null, and passes its code on.
template <typename Check>
void call_all(Fixture& f, const Check& check) {
  NN_TensorDesc* const desc = f.desc.get();
  NN_Tensor* const tensor = f.tensor.get();
  NN_QuantParam* const quant = f.quant.get();
  OH_NNModel* const model = f.model.get();
  OH_NNCompilation* const compilation = f.compilation.get();
  OH_NNExecutor* const executor = f.executor.get();
  const size_t* ids = nullptr;
  const char* name = nullptr;
  const bool* flags = nullptr;
  int32_t* dims = nullptr;
  size_t *min = nullptr, *max = nullptr;
  NN_Tensor* tensors[1] = {};
  check("GetAllDevicesID", OH_NNDevice_GetAllDevicesID(nullptr, &f.count));
  check("GetAllDevicesID count", OH_NNDevice_GetAllDevicesID(&ids, nullptr));
  check("GetName", OH_NNDevice_GetName(0, nullptr));
  check("GetType", OH_NNDevice_GetType(0, nullptr));
  check("Export", OH_NNCompilation_ExportCacheToBuffer(nullptr, f.bytes, 9, &f.size));
  check("Import", OH_NNCompilation_ImportCacheFromBuffer(nullptr, f.bytes, 9));
  check("Import buffer", OH_NNCompilation_ImportCacheFromBuffer(compilation, nullptr, 9));
  check("AddExtension", OH_NNCompilation_AddExtensionConfig(nullptr, "n", f.bytes, 1));
  check("AddExtension name", OH_NNCompilation_AddExtensionConfig(compilation, nullptr, f.bytes, 1));
  check("AddExtension value", OH_NNCompilation_AddExtensionConfig(compilation, "n", nullptr, 1));
  check("SetDevice", OH_NNCompilation_SetDevice(nullptr, 0));
  check("SetCache", OH_NNCompilation_SetCache(nullptr, ".", 1));
  check("SetCache path", OH_NNCompilation_SetCache(compilation, nullptr, 1));
  check("SetPerformanceMode", OH_NNCompilation_SetPerformanceMode(nullptr, OH_NN_PERFORMANCE_LOW));
  check("SetPriority", OH_NNCompilation_SetPriority(nullptr, OH_NN_PRIORITY_LOW));
  check("EnableFloat16", OH_NNCompilation_EnableFloat16(nullptr, true));
  check("Build", OH_NNCompilation_Build(nullptr));
  check("TensorDesc_Destroy", OH_NNTensorDesc_Destroy(nullptr));
  check("SetName", OH_NNTensorDesc_SetName(nullptr, "n"));
  check("SetName name", OH_NNTensorDesc_SetName(desc, nullptr));
  check("GetName desc", OH_NNTensorDesc_GetName(nullptr, &name));
  check("GetName out", OH_NNTensorDesc_GetName(desc, nullptr));
  check("SetDataType", OH_NNTensorDesc_SetDataType(nullptr, OH_NN_INT8));
  check("GetDataType", OH_NNTensorDesc_GetDataType(desc, nullptr));
  check("SetShape", OH_NNTensorDesc_SetShape(nullptr, f.shape.data(), 2));
  check("SetShape shape", OH_NNTensorDesc_SetShape(desc, nullptr, 2));
  check("GetShape", OH_NNTensorDesc_GetShape(nullptr, &dims, &f.size));
  check("GetShape out", OH_NNTensorDesc_GetShape(desc, nullptr, &f.size));
  check("GetShape length", OH_NNTensorDesc_GetShape(desc, &dims, nullptr));
  check("SetFormat", OH_NNTensorDesc_SetFormat(nullptr, OH_NN_FORMAT_ND));
  check("GetFormat", OH_NNTensorDesc_GetFormat(desc, nullptr));
  check("GetElementCount", OH_NNTensorDesc_GetElementCount(nullptr, &f.size));
  check("GetElementCount out", OH_NNTensorDesc_GetElementCount(desc, nullptr));
  check("GetByteSize", OH_NNTensorDesc_GetByteSize(nullptr, &f.size));
  check("GetByteSize out", OH_NNTensorDesc_GetByteSize(desc, nullptr));
  check("Tensor_Destroy", OH_NNTensor_Destroy(nullptr));
  check("GetFd", OH_NNTensor_GetFd(tensor, nullptr));
  check("GetSize", OH_NNTensor_GetSize(nullptr, &f.size));
  check("GetOffset", OH_NNTensor_GetOffset(tensor, nullptr));
  check("GetOutputShape", OH_NNExecutor_GetOutputShape(nullptr, 0, &dims, &f.count));
  check("GetOutputShape out", OH_NNExecutor_GetOutputShape(executor, 0, nullptr, &f.count));
  check("GetOutputShape length", OH_NNExecutor_GetOutputShape(executor, 0, &dims, nullptr));
  check("GetInputCount", OH_NNExecutor_GetInputCount(executor, nullptr));
  check("GetOutputCount", OH_NNExecutor_GetOutputCount(nullptr, &f.size));
  check("GetInputDimRange", OH_NNExecutor_GetInputDimRange(nullptr, 0, &min, &max, &f.size));
  check("GetInputDimRange min", OH_NNExecutor_GetInputDimRange(executor, 0, nullptr, &max, &f.size));
  check("GetInputDimRange length", OH_NNExecutor_GetInputDimRange(executor, 0, &min, &max, nullptr));
  check("SetOnRunDone", OH_NNExecutor_SetOnRunDone(executor, nullptr));
  check("SetOnRunDone executor", OH_NNExecutor_SetOnRunDone(nullptr, on_run_done));
  check("SetOnServiceDied", OH_NNExecutor_SetOnServiceDied(executor, nullptr));
  check("SetOnServiceDied executor", OH_NNExecutor_SetOnServiceDied(nullptr, on_service_died));
  check("RunSync", OH_NNExecutor_RunSync(nullptr, tensors, 1, tensors, 1));
  check("RunSync inputs", OH_NNExecutor_RunSync(executor, nullptr, 2, tensors, 1));
  check("RunSync outputs", OH_NNExecutor_RunSync(executor, tensors, 2, nullptr, 1));
  check("RunAsync userData", OH_NNExecutor_RunAsync(executor, tensors, 2, tensors, 1, 0, nullptr));
  check("SetScales", OH_NNQuantParam_SetScales(quant, nullptr, 1));
  check("SetZeroPoints", OH_NNQuantParam_SetZeroPoints(nullptr, f.shape.data(), 1));
  check("SetNumBits", OH_NNQuantParam_SetNumBits(quant, nullptr, 1));
  check("QuantParam_Destroy", OH_NNQuantParam_Destroy(nullptr));
  check("AddTensorToModel", OH_NNModel_AddTensorToModel(model, nullptr));
  check("AddTensorToModel model", OH_NNModel_AddTensorToModel(nullptr, desc));
  check("SetTensorData", OH_NNModel_SetTensorData(model, 2, nullptr, 24));
  check("SetTensorQuantParams", OH_NNModel_SetTensorQuantParams(model, 0, nullptr));
  check("SetTensorType", OH_NNModel_SetTensorType(nullptr, 0, OH_NN_TENSOR));
  check("AddOperation params",
        OH_NNModel_AddOperation(model, OH_NN_OPS_RELU, nullptr, &f.indices, &f.indices));
  check("AddOperation inputs",
        OH_NNModel_AddOperation(model, OH_NN_OPS_RELU, &f.indices, nullptr, &f.indices));
  check("AddOperation outputs",
        OH_NNModel_AddOperation(model, OH_NN_OPS_RELU, &f.indices, &f.indices, nullptr));
  check("Specify inputs", OH_NNModel_SpecifyInputsAndOutputs(model, nullptr, &f.indices));
  check("Specify outputs", OH_NNModel_SpecifyInputsAndOutputs(model, &f.indices, nullptr));
  check("Finish", OH_NNModel_Finish(nullptr));
  check("GetAvailableOperations", OH_NNModel_GetAvailableOperations(nullptr, 0, &flags, &f.count));
  check("GetAvailableOperations out", OH_NNModel_GetAvailableOperations(model, 0, nullptr, &f.count));
  check("GetAvailableOperations count", OH_NNModel_GetAvailableOperations(model, 0, &flags, nullptr));
  check("AddTensor", OH_NNModel_AddTensor(model, nullptr));
  check("SetInput", OH_NNExecutor_SetInput(nullptr, 0, &f.legacy, f.bytes, 24));
  check("SetInput tensor", OH_NNExecutor_SetInput(executor, 0, nullptr, f.bytes, 24));
  check("SetInput data", OH_NNExecutor_SetInput(executor, 0, &f.legacy, nullptr, 24));
  check("SetOutput", OH_NNExecutor_SetOutput(executor, 0, nullptr, 24));
  check("Run", OH_NNExecutor_Run(nullptr));
  check("SetInputWithMemory", OH_NNExecutor_SetInputWithMemory(executor, 0, &f.legacy, nullptr));
  check("SetInputWithMemory tensor", OH_NNExecutor_SetInputWithMemory(executor, 0, nullptr, f.memory));
  check("SetOutputWithMemory", OH_NNExecutor_SetOutputWithMemory(executor, 0, nullptr));
}

// Ends the process with the number of calls not logged as one line with function and reason.
[[noreturn]] void expect_one_line_for_each_call() {
  setenv("NNRT_LOG", "error", 1);
  Fixture fixture;
  int failures = 0;
  testing::internal::CaptureStderr();
  call_all(fixture, [&](const char* what, OH_NN_ReturnCode) {
    const std::string text = testing::internal::GetCapturedStderr();
    if (text.rfind("NNRt E: OH_NN", 0) != 0 || text.find(" is null.\n") != text.size() - 10) {
      std::cerr << what << " is logged as: " << text << "\n";
      ++failures;
    }
    testing::internal::CaptureStderr();
  });
  _exit(failures);
}

}  // namespace

TEST(Null, GivesInvalidParameter) {
  Fixture fixture;
  call_all(fixture,
           [](const char* what, OH_NN_ReturnCode code) { EXPECT_EQ(code, OH_NN_INVALID_PARAMETER) << what; });
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
