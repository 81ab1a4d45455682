// Each library opened by its name alone, in a program that links none of them.
#include "tests/support/exported_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace nnrt::test {
namespace {

template <typename Function>
Function* function(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  return handle == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle, name));
}

TEST(OpenedAlone, CoreLibraryListsDevices) {
  auto* const all = function<int(const size_t**, uint32_t*)>(CORE_LIBRARY, "OH_NNDevice_GetAllDevicesID");
  ASSERT_NE(all, nullptr);
  const size_t* ids = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(all(&ids, &count), 0);
  EXPECT_EQ(count, 1u);
}

TEST(OpenedAlone, RuntimeLibraryMakesModels) {
  auto* const make = function<void*()>(RUNTIME_LIBRARY, "OH_NNModel_Construct");
  auto* const destroy = function<void(void**)>(RUNTIME_LIBRARY, "OH_NNModel_Destroy");
  ASSERT_TRUE(make != nullptr && destroy != nullptr);
  void* model = make();
  EXPECT_NE(model, nullptr);
  destroy(&model);
  EXPECT_EQ(model, nullptr);
}

// As the runtime's documentation says of functions that have moved between the two libraries.
TEST(OpenedAlone, RuntimeLibraryFindsFunctionsOfTheCoreLibrary) {
  EXPECT_NE(function<void*()>(RUNTIME_LIBRARY, "OH_NNTensorDesc_Create"), nullptr);
}

TEST(OpenedAlone, NnapiLibraryCountsDevices) {
  auto* const devices = function<int(uint32_t*)>(NNAPI_LIBRARY, "ANeuralNetworks_getDeviceCount");
  ASSERT_NE(devices, nullptr);
  uint32_t count = 0;
  EXPECT_EQ(devices(&count), 0);
  EXPECT_GT(count, 0u);
}

#ifdef IMPORT_LIBRARY
TEST(OpenedAlone, ImportLibraryReportsVersion) {
  auto* const version = function<uint32_t()>(IMPORT_LIBRARY, "OH_NNRt_GetImportVersion");
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(version(), 3u);
}
#endif

// All have the private library's version. Without optimization there are also standard library templates
// instantiated with exported types.
TEST(PrivateLibrary, ExportsTheCApiAndSomeFunctionsForTheTool) {
  const auto symbols = exported_symbols(PRIVATE_LIBRARY);
  const auto count = [&](std::string_view prefix) {
    return size_t(
        std::ranges::count_if(symbols, [&](const std::string& name) { return name.starts_with(prefix); }));
  };
  const size_t in_cpp = count("_ZN4nnrt") + count("_ZNK4nnrt");
  EXPECT_LE(in_cpp, 80u);
  EXPECT_GT(count("nnrt_front_"), 100u);
  EXPECT_EQ(symbols.size(), count("nnrt_front_") + count("OH_NN") + count("CacheInfo") +
                                count("NNRT_PRIVATE_") + in_cpp + count("_ZSt"));
}

}  // namespace
}  // namespace nnrt::test
