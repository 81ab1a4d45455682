// Functions that MindSpore Lite looks up in addition to the public ones.
#include "tests/unit/api/compilation/cache_fixture.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <dlfcn.h>

using namespace api_tests;

TEST(InnerFunctions, AreFoundThroughEitherLibrary) {
  for (const char* library : {CORE_LIBRARY, RUNTIME_LIBRARY}) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    for (const char* name : {"OH_NNModel_BuildFromLiteGraph", "OH_NNModel_BuildFromMetaGraph",
                             "OH_NNModel_SetInputsAndOutputsInfo", "OH_NNModel_HasCache", "OH_NN_GetDeviceID",
                             "OH_NN_IsSupportAIPP", "OH_NNExecutor_RunSyncWithAipp", "CacheInfoGetCrc16"}) {
      EXPECT_NE(dlsym(handle, name), nullptr) << name << " in " << library;
    }
    dlclose(handle);
  }
}

TEST(InnerFunctions, RejectInvalidGraphs) {
  alignas(8) const std::byte zeros[256]{};
  for (auto* build : {OH_NNModel_BuildFromLiteGraph, OH_NNModel_BuildFromMetaGraph}) {
    const Model empty(OH_NNModel_Construct());
    EXPECT_EQ(build(nullptr, zeros, nullptr, 0), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(build(empty.get(), nullptr, nullptr, 0), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(build(finished_model({2}).get(), zeros, nullptr, 0), OH_NN_OPERATION_FORBIDDEN);
    EXPECT_NE(build(empty.get(), zeros, nullptr, 0), OH_NN_SUCCESS);
  }
  const Model empty(OH_NNModel_Construct());
  const OH_NN_TensorInfo info{};
  EXPECT_EQ(OH_NNModel_SetInputsAndOutputsInfo(empty.get(), &info, 1, &info, 1), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetInputsAndOutputsInfo(empty.get(), &info, 0, &info, 1), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SetInputsAndOutputsInfo(empty.get(), nullptr, 1, &info, 1), OH_NN_INVALID_PARAMETER);
}

TEST(InnerFunctions, SumWords) {
  char bytes[] = {1, 2, 3, 4, 5};
  EXPECT_EQ(CacheInfoGetCrc16(bytes, 0), 0xffff);
  EXPECT_EQ(CacheInfoGetCrc16(bytes, 2), static_cast<unsigned short>(~0x0201));
  EXPECT_EQ(CacheInfoGetCrc16(bytes, 5), static_cast<unsigned short>(~0x0609));
  char carries[] = {'\xff', '\xff', 2, 0};
  EXPECT_EQ(CacheInfoGetCrc16(carries, 4), static_cast<unsigned short>(~2));
  EXPECT_EQ(CacheInfoGetCrc16(nullptr, 4), 0);
}

TEST(InnerFunctions, ReportCacheExistence) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(OH_NNModel_HasCache(directory.path().c_str(), "", 3));
  const Compilation compilation(OH_NNCompilation_Construct(finished_model({2}).get()));
  ASSERT_EQ(build_with_cache(compilation, directory.path(), 3), OH_NN_SUCCESS);
  EXPECT_TRUE(OH_NNModel_HasCache(directory.path().c_str(), "", 3));
  EXPECT_FALSE(OH_NNModel_HasCache(directory.path().c_str(), "", 4));
  EXPECT_FALSE(OH_NNModel_HasCache(directory.path().c_str(), "other", 3));
  EXPECT_FALSE(OH_NNModel_HasCache(nullptr, "", 3));
  ASSERT_EQ(truncate(directory.container().c_str(), 100), 0);
  EXPECT_FALSE(OH_NNModel_HasCache(directory.path().c_str(), "", 3));
}

TEST(InnerFunctions, KnowNoAcceleratorAndNoPreprocessing) {
  char name[8] = "unknown";
  EXPECT_EQ(OH_NN_GetDeviceID(name, sizeof name), OH_NN_SUCCESS);
  EXPECT_STREQ(name, "");
  EXPECT_EQ(OH_NN_GetDeviceID(nullptr, 8), OH_NN_INVALID_PARAMETER);
  bool can = true;
  EXPECT_EQ(OH_NN_IsSupportAIPP(can), OH_NN_SUCCESS);
  EXPECT_FALSE(can);
  const Executor executor = executor_of({2});
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  NN_Tensor *inputs[] = {a.get(), a.get()}, *outputs[] = {y.get()};
  EXPECT_EQ(OH_NNExecutor_RunSyncWithAipp(executor.get(), inputs, 2, outputs, 1, "{}"), OH_NN_UNSUPPORTED);
  EXPECT_EQ(OH_NNExecutor_RunSyncWithAipp(nullptr, inputs, 2, outputs, 1, "{}"), OH_NN_INVALID_PARAMETER);
}
