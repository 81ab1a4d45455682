// Methods of a driver are called in this order with these arguments.
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/plugin/recording_drivers.h"

using namespace api_tests;

namespace {

// x + constant, then RELU6; the constants have 8 and 4 bytes.
Model model_with_constants() {
  Model model(OH_NNModel_Construct());
  for (const auto& shape : std::vector<std::vector<int32_t>>{{3, 2}, {2}, {3, 2}, {1}, {3, 2}})
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shape).get()), OH_NN_SUCCESS);
  const int8_t fused = 1;  // RELU
  EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of({1}, OH_NN_INT8).get()), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorType(model.get(), 5, OH_NN_ADD_ACTIVATIONTYPE), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 5, &fused, 1), OH_NN_SUCCESS);
  const float two[] = {1, 2};
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, two, 8), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 3, two, 4), OH_NN_SUCCESS);
  const Indices activation{5}, first{0, 1}, sum{2};
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_ADD, &activation, &first, &sum), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_MUL, {2, 3}, {4});
  finish(model, {0}, {4});
  return model;
}

const std::string kSent =
    "NNR_Model Tensor: 0[3,2]:43/1 Tensor: 1[2]:43/1@0+8 Tensor: 2[3,2]:43/1 Tensor: 3[1]:43/1@8+4 "
    "Tensor: 4[3,2]:43/1 {ADD:0 5 0,1->2} {MUL:1 99 2,3->4} (0->4) NNRt_SubGraph(0->4:0,1)";

const Names kQuestions = {"GetDeviceStatus", "IsFloat16PrecisionSupported", "IsPerformanceModeSupported",
                          "IsPrioritySupported"};

Names operator+(Names first, const Names& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class Calls : public testing::Test {
 protected:
  Calls() {
    device = recorder.id();
    recorder.take();
  }
  Recorder& recorder = Recorder::newest();
  size_t device = 0;
};

}  // namespace

TEST_F(Calls, OfAvailableOperationsAreThree) {
  const Model model = model_with_constants();
  EXPECT_EQ(available(model, device).size(), 2u);
  EXPECT_EQ(recorder.take(),
            (Names{"AllocateBuffer 12", "GetSupportedOperation " + kSent, "ReleaseBuffer 12 0 12"}));
}

TEST_F(Calls, BuildSendsConstantsOnce) {
  const Model model = model_with_constants();
  const Compilation compilation = compilation_on(device, model);
  ASSERT_EQ(OH_NNCompilation_EnableFloat16(compilation.get(), true), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNCompilation_SetPriority(compilation.get(), OH_NN_PRIORITY_HIGH), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "vendor.key", "value", 5), OH_NN_SUCCESS);
  EXPECT_EQ(recorder.take_names(), (Names{"IsFloat16PrecisionSupported", "IsPrioritySupported"}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  EXPECT_EQ(recorder.take(), (kQuestions + Names{"AllocateBuffer 12", "GetSupportedOperation " + kSent,
                                                 "ReleaseBuffer 12 0 12", "AllocateBuffer 12",
                                                 "PrepareModel " + kSent + " config 1 0 3 vendor.key=value",
                                                 "ReleaseBuffer 12 0 12"}));
}

TEST_F(Calls, OfAModelWithoutConstantsAllocateNothing) {
  const Compilation compilation = compilation_on(device, finished_model({2}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  EXPECT_EQ(recorder.take_names(), (kQuestions + Names{"GetSupportedOperation", "PrepareModel"}));
}

TEST_F(Calls, RunsReleaseEverything) {
  Compilation compilation = compilation_on(device, finished_model({2}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  Executor executor(OH_NNExecutor_Construct(compilation.get()));
  compilation.reset();
  recorder.take();
  {
    const Tensor a(OH_NNTensor_Create(device, desc_of({2}).get())),
        y(OH_NNTensor_Create(device, desc_of({2}).get()));
    EXPECT_EQ(recorder.take(), (Names{"AllocateBuffer 8", "AllocateBuffer 8"}));
    ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
    EXPECT_EQ(values_of(y, 2), (std::vector<float>{1, 1}));
    EXPECT_EQ(recorder.take(),
              (Names{"GetInputDimRanges", "Run  a[2]:43@0+8/8 b[2]:43@0+8/8 -> y[2]:43@0+8/8"}));
  }
  EXPECT_EQ(recorder.take(), (Names{"ReleaseBuffer 8 0 8", "ReleaseBuffer 8 0 8"}));
  executor.reset();
  EXPECT_EQ(recorder.take(), (Names{"~IPreparedModel"}));
}

TEST_F(Calls, TensorsPassOffsetAndRemainingSize) {
  const Executor executor = executor_on(device, finished_model({2}));
  const Tensor a(OH_NNTensor_Create(device, desc_of({2}).get()));
  const int fd = memfd_create("client", 0);
  ASSERT_EQ(ftruncate(fd, 40), 0);
  const Tensor y(OH_NNTensor_CreateWithFd(device, desc_of({2}).get(), fd, 40, 20));
  recorder.take();
  ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(recorder.take().back(), "Run  a[2]:43@0+8/8 b[2]:43@0+8/8 -> y[2]:43@20+20/40");
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{1, 1}));
  close(fd);
}

TEST_F(Calls, Api9AllocatesInSetOutput) {
  const Executor executor = executor_on(device, finished_model({2}));
  recorder.take();
  float y[2] = {};
  ASSERT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, y, sizeof y), OH_NN_SUCCESS);
  EXPECT_EQ(recorder.take(), (Names{"AllocateBuffer 8"}));
}

TEST_F(Calls, CacheRestoreSkipsSupportQueries) {
  const TemporaryDirectory directory;
  const auto build = [&] {
    const Compilation compilation = compilation_on(device, finished_model({2}));
    EXPECT_EQ(OH_NNCompilation_SetCache(compilation.get(), directory.path().c_str(), 1), OH_NN_SUCCESS);
    recorder.take();
    EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  };
  const Names asked = {"GetDeviceStatus", "IsModelCacheSupported", "IsFloat16PrecisionSupported",
                       "IsPerformanceModeSupported", "IsPrioritySupported"};
  build();
  EXPECT_EQ(recorder.take_names(),
            (asked + Names{"GetSupportedOperation", "PrepareModel", "IsModelCacheSupported",
                           "ExportModelCache", "~IPreparedModel"}));
  build();
  EXPECT_EQ(recorder.take_names(), (asked + Names{"AllocateBuffer", "PrepareModelFromModelCache",
                                                  "ReleaseBuffer", "~IPreparedModel"}));
}

TEST_F(Calls, OfRegistrationAreFour) {
  EXPECT_EQ(Recorder::registration(),
            (Names{"GetDeviceName", "GetVendorName", "GetVersion", "GetDeviceStatus"}));
}
