// Models in a vendor-specific format: the driver gets the bytes, and reports inputs and outputs.
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/plugin/recording_drivers.h"
#include "tests/unit/api/tensor/tensor_files.h"

using namespace api_tests;

namespace {

namespace hdi = nnrt::test::hdi;

constexpr char kBytes[] = "a vendor's model";

hdi::IOTensor described(const char* name, std::vector<int32_t> dims) {
  return {name, hdi::DATA_TYPE_FLOAT32, std::move(dims), hdi::FORMAT_NHWC, {}};
}

class OfflineModels : public testing::Test {
 protected:
  OfflineModels() {
    traits.offline_inputs = {described("x", {-1, 3})};
    traits.offline_outputs = {described("y", {-1, 3})};
    device = recorder.id();
    recorder.take();
  }
  ~OfflineModels() override {
    traits = before;
    recorder.take();
  }
  static Compilation compilation_for(size_t device) {
    Compilation compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(kBytes, sizeof kBytes - 1));
    EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
    return compilation;
  }
  OH_NN_ReturnCode build() const { return OH_NNCompilation_Build(compilation_for(device).get()); }

  Recorder& recorder = Recorder::newest();
  nnrt::test::SimpleTraits& traits = recorder.traits();
  const nnrt::test::SimpleTraits before = traits;
  size_t device = 0;
};

}  // namespace

TEST_F(OfflineModels, GoToTheDriverInItsMemory) {
  const Compilation compilation = compilation_for(device);
  ASSERT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "vendor.key", "value", 5), OH_NN_SUCCESS);
  recorder.take();
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  EXPECT_EQ(recorder.take(), (Names{"GetDeviceStatus", "IsFloat16PrecisionSupported",
                                    "IsPerformanceModeSupported", "IsPrioritySupported", "AllocateBuffer 16",
                                    "PrepareOfflineModel a vendor's model config 0 0 0 vendor.key=value",
                                    "ReleaseBuffer 16 0 16", "DescribeOfflineModel"}));
}

TEST_F(OfflineModels, RunAsTheDriverDescribesThem) {
  const Compilation compilation = compilation_for(device);
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  ASSERT_NE(executor, nullptr);
  size_t inputs = 0, outputs = 0;
  EXPECT_EQ(OH_NNExecutor_GetInputCount(executor.get(), &inputs), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNExecutor_GetOutputCount(executor.get(), &outputs), OH_NN_SUCCESS);
  EXPECT_EQ(inputs, 1u);
  EXPECT_EQ(outputs, 1u);
  const Desc desc(OH_NNExecutor_CreateInputTensorDesc(executor.get(), 0));
  EXPECT_EQ(shape_of(desc.get()), (std::vector<int32_t>{-1, 3}));
  EXPECT_EQ(name_of(desc.get()), "x");
  const Tensor x = tensor_of({2, 3}), y = tensor_of({2, 3}), large = tensor_of({101, 3});
  recorder.take();
  ASSERT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(recorder.take(), (Names{"GetInputDimRanges", "Run  x[2,3]:43@0+24/24 -> y[-1,3]:43@0+24/24"}));
  EXPECT_EQ(values_of(y, 6), std::vector<float>(6, 1));
  EXPECT_EQ(run(executor.get(), {large.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
}

TEST_F(OfflineModels, ComeFromFilesToo) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/model";
  std::ofstream(path, std::ios::binary) << kBytes;
  const Compilation compilation(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()));
  ASSERT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
}

TEST_F(OfflineModels, UnknownFormatFails) {
  traits.offline_outputs.clear();
  EXPECT_EQ(build(), OH_NN_FAILED) << "the driver refuses it";
  EXPECT_EQ(OH_NNCompilation_Build(compilation_for(0).get()), OH_NN_FAILED) << "the CPU has no such format";
}

TEST_F(OfflineModels, OfADriverThatDoesNotTellFail) {
  EXPECT_EQ(OH_NNCompilation_Build(compilation_for(Recorder::oldest().id()).get()), OH_NN_FAILED);
  traits.on = [](const std::string& method, const std::string&) {
    return int32_t(method == "DescribeOfflineModel" ? hdi::NNRT_NOT_SUPPORT : hdi::NNRT_SUCCESS);
  };
  EXPECT_EQ(build(), OH_NN_FAILED);
}

TEST_F(OfflineModels, DescribedAsTheyCannotBeFail) {
  const auto good = traits.offline_inputs;
  traits.offline_inputs[0].dimensions = {0, 3};
  EXPECT_EQ(build(), OH_NN_FAILED);
  traits.offline_inputs[0].dimensions = {-7};
  EXPECT_EQ(build(), OH_NN_FAILED);
  traits.offline_inputs = good;
  traits.offline_inputs[0].dataType = hdi::DATA_TYPE_UNKNOWN;
  EXPECT_EQ(build(), OH_NN_FAILED);
  traits.offline_inputs.assign(201, good[0]);
  EXPECT_EQ(build(), OH_NN_FAILED);
}

TEST_F(OfflineModels, OwnFormatBypassesDrivers) {
  const Compilation source = compilation_on(device, finished_model({2}));
  ASSERT_EQ(OH_NNCompilation_Build(source.get()), OH_NN_SUCCESS);
  const std::string bytes = exported(source);
  const Compilation compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes.data(), bytes.size()));
  ASSERT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  recorder.take();
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Names calls = recorder.take_names();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "PrepareOfflineModel"), 0);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "PrepareModelFromModelCache"), 1);
}
