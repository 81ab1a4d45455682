// Faulty plugins: nothing crashes, and each function returns an appropriate code.
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/execution/async_callbacks.h"
#include "tests/unit/api/plugin/recording_drivers.h"
#include "tests/unit/api/plugin/use_device.h"

#include <deque>

using namespace api_tests;

namespace {

using ReturnCodes = std::vector<OH_NN_ReturnCode>;

size_t bad(const std::string& name) { return device_by_name(name + "_Bad_v2_1"); }

Tensor tensor_on(size_t device) { return Tensor(OH_NNTensor_Create(device, desc_of({2}).get())); }

}  // namespace

TEST(BadPlugin, ExceptionMakesItUnavailable) {
  for (const char* method :
       {"GetSupportedOperation", "IsFloat16PrecisionSupported", "IsPerformanceModeSupported",
        "IsPrioritySupported", "PrepareModel", "GetInputDimRanges", "Run"}) {
    EXPECT_EQ(use(bad(std::string("Throws in ") + method)), OH_NN_UNAVAILABLE_DEVICE) << method;
  }
  OH_NN_DeviceType type = OH_NN_OTHERS;
  EXPECT_EQ(OH_NNDevice_GetType(bad("Throws in GetDeviceType"), &type), OH_NN_UNAVAILABLE_DEVICE);
  const Model model = finished_model({2});
  const bool* flags = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(
      OH_NNModel_GetAvailableOperations(model.get(), bad("Throws in GetSupportedOperation"), &flags, &count),
      OH_NN_UNAVAILABLE_DEVICE);
}

TEST(BadPlugin, MapsErrorCodes) {
  EXPECT_EQ(use(bad("Fails in GetSupportedOperation")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Fails in IsFloat16PrecisionSupported")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Fails in IsPerformanceModeSupported")), OH_NN_FAILED);
  EXPECT_EQ(use(bad("Fails in IsPrioritySupported")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Fails in PrepareModel")), OH_NN_FAILED);
  EXPECT_EQ(use(bad("Fails in GetInputDimRanges")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Fails in Run")), OH_NN_UNAVAILABLE_DEVICE);
}

TEST(BadPlugin, CacheFailureRecompiles) {
  for (const char* how : {"Throws in ", "Fails in "}) {
    const TemporaryDirectory directory;
    EXPECT_EQ(use(bad(std::string(how) + "IsModelCacheSupported"), directory.path()),
              OH_NN_UNAVAILABLE_DEVICE);
    EXPECT_NE(use(bad(std::string(how) + "ExportModelCache"), directory.path()), OH_NN_SUCCESS);
    EXPECT_EQ(directory.files(), 0u);
    for (int time = 0; time < 2; ++time)
      EXPECT_EQ(use(bad(std::string(how) + "PrepareModelFromModelCache"), directory.path()), OH_NN_SUCCESS);
  }
}

TEST(BadPlugin, WithoutMemoryMakesNoTensors) {
  for (const char* name :
       {"Throws in AllocateBuffer", "Fails in AllocateBuffer", "Gives no memory", "Gives a closed file",
        "Gives short memory", "Gives small memory", "Gives memory elsewhere"}) {
    EXPECT_EQ(tensor_on(bad(name)), nullptr) << name;
  }
}

TEST(BadPlugin, IgnoresFailedRelease) {
  for (const char* name : {"Throws in ReleaseBuffer", "Fails in ReleaseBuffer"})
    EXPECT_NE(tensor_on(bad(name)), nullptr) << name;
}

TEST(BadPlugin, RejectsMalformedResults) {
  EXPECT_EQ(use(bad("Gives no model")), OH_NN_FAILED);
  EXPECT_EQ(use(bad("Tells no dimensions")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Tells too many outputs")), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(use(bad("Tells negative dimensions")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Tells huge dimensions")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Tells larger dimensions")), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(use(bad("Answers for a million operations")), OH_NN_SUCCESS);
  EXPECT_EQ(use(bad("Answers for no operation")), OH_NN_SUCCESS);
  OH_NN_DeviceType type = OH_NN_OTHERS;
  EXPECT_EQ(OH_NNDevice_GetType(bad("Has no type"), &type), OH_NN_UNAVAILABLE_DEVICE);
}

TEST(BadPlugin, LossIsPermanent) {
  EXPECT_EQ(use(bad("Loses itself")), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(use(bad("Loses itself")), OH_NN_UNAVAILABLE_DEVICE);
}

TEST(BadPlugin, HangPastTheDeadlineEndsTheRun) {
  RunLog log;
  std::deque<NotedRun> runs;
  const size_t device = bad("Hangs in Run");
  const Compilation compilation = compilation_on(device, finished_model({2}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  Executor executor = async_executor_of(compilation);
  Tensor a = tensor_of({2}), late = tensor_of({2}), y = tensor_of({2});
  NotedRun& first = runs.emplace_back(NotedRun{log, 0});
  ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {late.get()}, &first, 50), OH_NN_SUCCESS);
  using Entries = std::vector<RunLog::Entry>;
  EXPECT_EQ(log.wait_for(1), (Entries{{0, OH_NN_TIMEOUT}}));
  late.reset();  // the driver still writes there
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS) << "waits for the first";
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{1, 1}));
  NotedRun& last = runs.emplace_back(NotedRun{log, 1});
  Tensor gone = tensor_of({2});
  ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {gone.get()}, &last, 50), OH_NN_SUCCESS);
  executor.reset();  // waits for the callback, not for the driver
  EXPECT_EQ(log.wait_for(2).back(), (RunLog::Entry{1, OH_NN_TIMEOUT}));
}
