#include "tests/support/exported_symbols.h"

#include <neural_network_runtime/neural_network_runtime.h>

#include <gtest/gtest.h>

#include <set>
#include <string>

extern "C" OH_NN_ReturnCode make_and_destroy_from_c(void);

namespace {

using Names = std::set<std::string>;

const Names kCore = {
    "OH_NNCompilation_AddExtensionConfig",
    "OH_NNCompilation_Build",
    "OH_NNCompilation_Construct",
    "OH_NNCompilation_ConstructForCache",
    "OH_NNCompilation_ConstructWithOfflineModelBuffer",
    "OH_NNCompilation_ConstructWithOfflineModelFile",
    "OH_NNCompilation_Destroy",
    "OH_NNCompilation_EnableFloat16",
    "OH_NNCompilation_ExportCacheToBuffer",
    "OH_NNCompilation_ImportCacheFromBuffer",
    "OH_NNCompilation_SetCache",
    "OH_NNCompilation_SetDevice",
    "OH_NNCompilation_SetPerformanceMode",
    "OH_NNCompilation_SetPriority",
    "OH_NNDevice_GetAllDevicesID",
    "OH_NNDevice_GetName",
    "OH_NNDevice_GetType",
    "OH_NNExecutor_Construct",
    "OH_NNExecutor_CreateInputTensorDesc",
    "OH_NNExecutor_CreateOutputTensorDesc",
    "OH_NNExecutor_Destroy",
    "OH_NNExecutor_GetInputCount",
    "OH_NNExecutor_GetInputDimRange",
    "OH_NNExecutor_GetOutputCount",
    "OH_NNExecutor_GetOutputShape",
    "OH_NNExecutor_RunAsync",
    "OH_NNExecutor_RunSync",
    "OH_NNExecutor_SetOnRunDone",
    "OH_NNExecutor_SetOnServiceDied",
    "OH_NNTensorDesc_Create",
    "OH_NNTensorDesc_Destroy",
    "OH_NNTensorDesc_GetByteSize",
    "OH_NNTensorDesc_GetDataType",
    "OH_NNTensorDesc_GetElementCount",
    "OH_NNTensorDesc_GetFormat",
    "OH_NNTensorDesc_GetName",
    "OH_NNTensorDesc_GetShape",
    "OH_NNTensorDesc_SetDataType",
    "OH_NNTensorDesc_SetFormat",
    "OH_NNTensorDesc_SetName",
    "OH_NNTensorDesc_SetShape",
    "OH_NNTensor_Create",
    "OH_NNTensor_CreateWithFd",
    "OH_NNTensor_CreateWithSize",
    "OH_NNTensor_Destroy",
    "OH_NNTensor_GetDataBuffer",
    "OH_NNTensor_GetFd",
    "OH_NNTensor_GetOffset",
    "OH_NNTensor_GetSize",
    "OH_NNTensor_GetTensorDesc",
};

const Names kRuntime = {
    "OH_NNExecutor_AllocateInputMemory",
    "OH_NNExecutor_AllocateOutputMemory",
    "OH_NNExecutor_DestroyInputMemory",
    "OH_NNExecutor_DestroyOutputMemory",
    "OH_NNExecutor_Run",
    "OH_NNExecutor_SetInput",
    "OH_NNExecutor_SetInputWithMemory",
    "OH_NNExecutor_SetOutput",
    "OH_NNExecutor_SetOutputWithMemory",
    "OH_NNModel_AddOperation",
    "OH_NNModel_AddTensor",
    "OH_NNModel_AddTensorToModel",
    "OH_NNModel_Construct",
    "OH_NNModel_Destroy",
    "OH_NNModel_Finish",
    "OH_NNModel_GetAvailableOperations",
    "OH_NNModel_SetTensorData",
    "OH_NNModel_SetTensorQuantParams",
    "OH_NNModel_SetTensorType",
    "OH_NNModel_SpecifyInputsAndOutputs",
    "OH_NNQuantParam_Create",
    "OH_NNQuantParam_Destroy",
    "OH_NNQuantParam_SetNumBits",
    "OH_NNQuantParam_SetScales",
    "OH_NNQuantParam_SetZeroPoints",
};

}  // namespace

TEST(Abi, CoreLibraryExports) {
  Names expected = kCore;
  expected.insert({"OH_NNRt_DescribeDevice", "OH_NNRt_MayShareMemory", "OH_NNRt_KeepOnDevice",
                   "OH_NNRt_GrowInRuns", "OH_NNRt_SyncTensor", "OH_NNRt_RegisterDevice",
                   "OH_NNRt_ExplainOperations", "OH_NNRt_GetLastError", "OH_NNRt_DescribeOfflineModel",
                   "OH_NNRt_SetModelNote", "OH_NNRt_GetModelNote", "OH_NNRt_FindDevice",
                   "OH_NNRt_LendTensorData", "OH_NNRt_LendTransposedData"});
  expected.insert({"OH_NNModel_BuildFromLiteGraph", "OH_NNModel_BuildFromMetaGraph",
                   "OH_NNModel_SetInputsAndOutputsInfo", "OH_NNModel_HasCache", "OH_NN_GetDeviceID",
                   "OH_NN_IsSupportAIPP", "OH_NNExecutor_RunSyncWithAipp", "CacheInfoGetCrc16"});
  EXPECT_EQ(expected.size(), 72u);
  EXPECT_EQ(nnrt::test::exported_symbols(CORE_LIBRARY), expected);
}

TEST(Abi, RuntimeLibraryExportsTwentyFiveFunctions) {
  EXPECT_EQ(kRuntime.size(), 25u);
  EXPECT_EQ(nnrt::test::exported_symbols(RUNTIME_LIBRARY), kRuntime);
}

TEST(Abi, HeadersServeC) { EXPECT_EQ(make_and_destroy_from_c(), OH_NN_SUCCESS); }

TEST(Abi, FuseTypeIsOneByteInCpp) { EXPECT_EQ(sizeof(OH_NN_FuseType), 1u); }

TEST(Abi, LastEnumeratorsHaveTheirNumbers) {
  EXPECT_EQ(OH_NN_OPS_GATHER_ND, 108);
  EXPECT_EQ(OH_NN_REDUCE_L2_COEFF, 162);
  EXPECT_EQ(OH_NN_UNAVAILABLE_DEVICE, 14);
  EXPECT_EQ(OH_NN_FLOAT64, 12);
}
