// NNRT_TEST_COMPAT=openharmony: what deviates from the documentation, and what does not.
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/execution/async_callbacks.h"
#include "tests/unit/api/plugin/recording_drivers.h"

using namespace api_tests;

namespace {

using nnrt::test::SimpleTraits;

class Upstream : public testing::Test {
 protected:
  Upstream() : before(Recorder::newest().traits()), device(Recorder::newest().id()) {}
  ~Upstream() override { Recorder::newest().traits() = before; }

  const SimpleTraits before;
  SimpleTraits& traits = Recorder::newest().traits();
  const size_t device;
};

}  // namespace

TEST_F(Upstream, BuildReportsMissingFeatures) {
  traits.float16 = traits.performance = traits.priority = traits.caching = false;
  const TemporaryDirectory directory;
  const auto build = [&](auto&& set) {
    const Compilation compilation = compilation_on(device, finished_model({2}));
    EXPECT_EQ(set(compilation.get()), OH_NN_SUCCESS);
    return OH_NNCompilation_Build(compilation.get());
  };
  EXPECT_EQ(build([](auto* c) { return OH_NNCompilation_EnableFloat16(c, true); }),
            OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(build([](auto* c) { return OH_NNCompilation_SetPerformanceMode(c, OH_NN_PERFORMANCE_LOW); }),
            OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(build([](auto* c) { return OH_NNCompilation_SetPriority(c, OH_NN_PRIORITY_LOW); }),
            OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(build([&](auto* c) { return OH_NNCompilation_SetCache(c, directory.path().c_str(), 1); }),
            OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(build([](auto* c) { return OH_NNCompilation_EnableFloat16(c, false); }), OH_NN_SUCCESS);
}

TEST_F(Upstream, ChecksCacheVersionAndDirectory) {
  const TemporaryDirectory directory;
  ASSERT_EQ(build_with_cache(compilation_on(device, finished_model({2})), directory.path(), 3),
            OH_NN_SUCCESS);
  EXPECT_EQ(build_with_cache(compilation_on(device, finished_model({2})), directory.path(), 2),
            OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(build_with_cache(compilation_on(device, finished_model({2})), directory.path() + "/none", 1),
            OH_NN_INVALID_PARAMETER);
}

TEST_F(Upstream, ADamagedCacheIsRebuilt) {
  const TemporaryDirectory directory;
  ASSERT_EQ(build_with_cache(compilation_on(device, finished_model({2})), directory.path(), 3),
            OH_NN_SUCCESS);
  ASSERT_EQ(truncate(directory.container().c_str(), 50), 0);
  EXPECT_EQ(build_with_cache(compilation_on(device, finished_model({2})), directory.path(), 3),
            OH_NN_SUCCESS);
}

TEST_F(Upstream, ThereAreNoAsynchronousRuns) {
  const Executor executor = executor_of({2});
  EXPECT_EQ(OH_NNExecutor_SetOnRunDone(executor.get(), note_done), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNExecutor_SetOnServiceDied(executor.get(), note_death), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNExecutor_SetOnRunDone(executor.get(), nullptr), OH_NN_INVALID_PARAMETER);
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  int user_data = 0;
  NN_Tensor *inputs[] = {a.get(), a.get()}, *outputs[] = {y.get()};
  EXPECT_EQ(OH_NNExecutor_RunAsync(executor.get(), inputs, 2, outputs, 1, 0, &user_data),
            OH_NN_OPERATION_FORBIDDEN);
}

TEST_F(Upstream, CachesOfPluginsAreNotExported) {
  const Compilation compilation = compilation_on(device, finished_model({2}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  char buffer[10];
  size_t size = 0;
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), buffer, sizeof buffer, &size),
            OH_NN_UNSUPPORTED);
}

TEST_F(Upstream, PartialSupportFailsBuild) {
  traits.answer_operations = [](std::vector<bool>& ops) { ops.back() = false; };
  EXPECT_EQ(OH_NNCompilation_Build(compilation_on(device, finished_model({2})).get()), OH_NN_FAILED);
}

TEST_F(Upstream, LateCallsAreIgnored) {
  const Compilation compilation = built_compilation({2});
  EXPECT_EQ(OH_NNCompilation_EnableFloat16(compilation.get(), true), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_INVALID_PARAMETER);
  const Model model = finished_model({2});
  EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of({2}).get()), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorType(model.get(), 0, OH_NN_TENSOR), OH_NN_OPERATION_FORBIDDEN);
}

TEST_F(Upstream, SetOutputComparesSizes) {
  const Executor executor = executor_of({2});
  float y[2] = {};
  EXPECT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, y, 4), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, y, 8), OH_NN_SUCCESS);
}

TEST_F(Upstream, DynamicShapeHasSizeZero) {
  size_t size = 7;
  EXPECT_EQ(OH_NNTensorDesc_GetByteSize(desc_of({-1, 2}).get(), &size), OH_NN_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(OH_NNTensorDesc_GetElementCount(desc_of({-1, 2}).get(), &size), OH_NN_DYNAMIC_SHAPE);
}

TEST_F(Upstream, InputsOfTheModelTakeData) {
  const Model model = open_model({2});
  const float data[] = {1, 2};
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, sizeof data), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
}

TEST_F(Upstream, FailingMethodDecidesCode) {
  traits.on = [](const std::string& method, const std::string&) -> int32_t {
    return method == "PrepareModel" ? int32_t(nnrt::test::hdi::NNRT_DEVICE_ERROR) : 0;
  };
  EXPECT_EQ(OH_NNCompilation_Build(compilation_on(device, finished_model({2})).get()), OH_NN_FAILED);
}
