// Results of OpenHarmony's suites: in upstream mode as they expect, and by default as documented. The same
// program runs in both modes.
#include "tests/unit/api/execution/async_callbacks.h"
#include "tests/unit/api/plugin/recording_drivers.h"

#include <algorithm>
#include <cstdlib>

using namespace api_tests;

namespace {

using nnrt::test::SimpleTraits;
using Ranges = std::vector<std::vector<uint32_t>>;

const bool kUpstream = std::getenv("NNRT_TEST_COMPAT") != nullptr;

OH_NN_ReturnCode by_mode(OH_NN_ReturnCode upstream, OH_NN_ReturnCode documented) {
  return kUpstream ? upstream : documented;
}

// y = a + b with incompatible shapes: invalid.
Model senseless_model() {
  Model model(OH_NNModel_Construct());
  for (const int32_t size : {3, 4, 3}) OH_NNModel_AddTensorToModel(model.get(), desc_of({size}).get());
  add_operation(model, OH_NN_OPS_ADD, {0, 1}, {2});
  finish(model, {0, 1}, {2});
  return model;
}

class UpstreamCase : public testing::Test {
 protected:
  UpstreamCase() : before(Recorder::newest().traits()), device(Recorder::newest().id()) {
    static_cast<void>(Recorder::newest().take());
  }
  ~UpstreamCase() override { Recorder::newest().traits() = before; }

  Executor executor_on_device(const std::vector<int32_t>& shape) const {
    return executor_on(device, finished_model(shape));
  }

  static bool driver_ran() {
    const Names names = Recorder::newest().take_names();
    return std::ranges::find(names, "Run") != names.end();
  }

  const SimpleTraits before;
  SimpleTraits& traits = Recorder::newest().traits();
  const size_t device;
};

// Tensor counts are checked before anything else in RunAsync.

class UpstreamCaseCounts : public UpstreamCase,
                           public testing::WithParamInterface<std::pair<size_t, size_t>> {};

TEST_P(UpstreamCaseCounts, AreInvalidBeforeTheRunIsForbidden) {
  const auto [input_count, output_count] = GetParam();
  const Executor executor = executor_on_device({2});
  NN_Tensor* none[1] = {};  // its elements are not read
  int user_data = 0;
  const auto run = [&](size_t inputs, size_t outputs) {
    return OH_NNExecutor_RunAsync(executor.get(), none, inputs, none, outputs, 0, &user_data);
  };
  EXPECT_EQ(run(input_count, output_count), OH_NN_INVALID_PARAMETER) << "without a callback";
  const OH_NN_ReturnCode set = OH_NNExecutor_SetOnRunDone(executor.get(), note_done);
  EXPECT_EQ(set, by_mode(OH_NN_OPERATION_FORBIDDEN, OH_NN_SUCCESS));
  EXPECT_EQ(run(input_count, output_count), OH_NN_INVALID_PARAMETER) << "with one";
}

TEST_P(UpstreamCaseCounts, AreCheckedFirst) {
  const auto [input_count, output_count] = GetParam();
  const Executor executor = executor_on_device({2});
  NN_Tensor* none[1] = {};
  EXPECT_EQ(OH_NNExecutor_RunSync(executor.get(), none, input_count, none, output_count),
            OH_NN_INVALID_PARAMETER);
}

using Counts = std::pair<size_t, size_t>;
INSTANTIATE_TEST_SUITE_P(Wrong, UpstreamCaseCounts,
                         testing::Values(Counts{0, 1}, Counts{1, 1}, Counts{3, 1}, Counts{201, 1},
                                         Counts{2, 0}, Counts{2, 2}, Counts{2, 201}));

TEST_F(UpstreamCase, RightCountsWithoutACallbackAreForbidden) {
  const Executor executor = executor_on_device({2});
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  int user_data = 0;
  EXPECT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &user_data), OH_NN_OPERATION_FORBIDDEN);
}

// Ranges for inputs that the model does not have.

class UpstreamCaseRanges : public UpstreamCase {
 protected:
  // Reports the usual inputs, which no run would match.
  void report_more_inputs() {
    traits.answer_ranges = [](Ranges& ranges) { ranges.resize(ranges.size() + 2, {77, 77, 77}); };
  }
  static OH_NN_ReturnCode expected() { return by_mode(OH_NN_SUCCESS, OH_NN_FAILED); }
};

TEST_F(UpstreamCaseRanges, OfMoreInputsAreIgnoredByRunSync) {
  const Executor executor = executor_on_device({-1});
  const Tensor a = tensor_of({3}), y = tensor_of({3});
  report_more_inputs();
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), expected());
  EXPECT_EQ(values_of(y, 3), std::vector<float>(3, kUpstream ? 1.0f : 0.0f));
  traits.answer_ranges = nullptr;
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS) << "the executor is not lost";
  EXPECT_EQ(values_of(y, 3), std::vector<float>(3, 1));
}

TEST_F(UpstreamCaseRanges, StillBoundTheirInputs) {
  const Executor executor = executor_on_device({-1});
  const Tensor large = tensor_of({101}), y = tensor_of({101});
  report_more_inputs();
  EXPECT_EQ(run(executor.get(), {large.get(), large.get()}, {y.get()}),
            by_mode(OH_NN_INVALID_PARAMETER, OH_NN_FAILED));
}

TEST_F(UpstreamCaseRanges, AreToldOfTheInputsThatThereAre) {
  const Executor executor = executor_on_device({-1});
  report_more_inputs();
  size_t *smallest = nullptr, *largest = nullptr, length = 0;
  const auto ask = [&](size_t index) {
    return OH_NNExecutor_GetInputDimRange(executor.get(), index, &smallest, &largest, &length);
  };
  ASSERT_EQ(ask(1), expected());
  EXPECT_EQ(ask(2), OH_NN_INVALID_PARAMETER) << "the model has two inputs";
  traits.answer_ranges = nullptr;
  ASSERT_EQ(ask(1), OH_NN_SUCCESS);
  ASSERT_EQ(length, 1u);
  EXPECT_EQ(smallest[0], 1u);
  EXPECT_EQ(largest[0], 100u);
}

TEST_F(UpstreamCaseRanges, AreIgnoredBySetInput) {
  const Executor executor = executor_on_device({-1});
  const std::vector<int32_t> shape{3};
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  float x[3] = {}, y[3] = {};
  report_more_inputs();
  for (uint32_t input : {0u, 1u})
    EXPECT_EQ(OH_NNExecutor_SetInput(executor.get(), input, &tensor, x, sizeof x), expected());
  traits.answer_ranges = nullptr;
  for (uint32_t input : {0u, 1u})
    ASSERT_EQ(OH_NNExecutor_SetInput(executor.get(), input, &tensor, x, sizeof x), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, y, sizeof y), OH_NN_SUCCESS);
  report_more_inputs();
  EXPECT_EQ(OH_NNExecutor_Run(executor.get()), expected());
  traits.answer_ranges = nullptr;
  EXPECT_EQ(OH_NNExecutor_Run(executor.get()), OH_NN_SUCCESS);
  EXPECT_EQ(std::vector<float>(y, y + 3), std::vector<float>(3, 1));
}

TEST_F(UpstreamCaseRanges, AreIgnoredBySetInputWithMemory) {
  const Executor executor = executor_on_device({-1});
  const std::vector<int32_t> shape{3};
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 12);
  ASSERT_NE(memory, nullptr);
  report_more_inputs();
  EXPECT_EQ(OH_NNExecutor_SetInputWithMemory(executor.get(), 0, &tensor, memory), expected());
  OH_NNExecutor_DestroyInputMemory(executor.get(), 0, &memory);
}

// Garbage is refused in both modes, and does not leak an executor.
TEST_F(UpstreamCaseRanges, WrongCountOrRankIsRefused) {
  const Executor executor = executor_on_device({-1});
  const Tensor a = tensor_of({3}), y = tensor_of({3});
  const auto run_with = [&](std::function<void(Ranges&)> answer) {
    traits.answer_ranges = std::move(answer);
    return run(executor.get(), {a.get(), a.get()}, {y.get()});
  };
  EXPECT_EQ(run_with([](Ranges& ranges) { ranges.pop_back(); }), OH_NN_FAILED);
  EXPECT_EQ(run_with([](Ranges& ranges) { ranges.clear(); }), OH_NN_FAILED);
  EXPECT_EQ(run_with([](Ranges& ranges) { ranges[1].push_back(7); }), OH_NN_FAILED);
  EXPECT_EQ(run_with([](Ranges& ranges) { ranges[0].clear(); }), OH_NN_FAILED);
  EXPECT_EQ(run_with(nullptr), OH_NN_SUCCESS);
}

// A driver that refuses an invalid operation.

TEST_F(UpstreamCase, DriverRefusalFailsBuild) {
  traits.answer_operations = [](std::vector<bool>& ops) { ops.assign(ops.size(), false); };
  const Model model = senseless_model();
  EXPECT_EQ(OH_NNCompilation_Build(compilation_on(device, model).get()),
            by_mode(OH_NN_FAILED, OH_NN_INVALID_PARAMETER))
      << "by default the CPU is asked as well, and says what is wrong";
  const Compilation alone = compilation_on(device, model);
  const char off[] = "off";
  ASSERT_EQ(OH_NNCompilation_AddExtensionConfig(alone.get(), "nnrt.fallback", off, 3), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(alone.get()), OH_NN_FAILED);
  EXPECT_EQ(OH_NNCompilation_Build(compilation_on(Recorder::exclusive().id(), model).get()), OH_NN_SUCCESS)
      << "one that claims it is believed";
}

TEST_F(UpstreamCase, DriverRefusalOfUnsupportedTypeFailsBuild) {
  traits.answer_operations = [](std::vector<bool>& ops) { ops.assign(ops.size(), false); };
  Model model(OH_NNModel_Construct());
  for (int tensor = 0; tensor < 2; ++tensor)
    OH_NNModel_AddTensorToModel(model.get(), desc_of({3}, OH_NN_BOOL).get());
  add_operation(model, OH_NN_OPS_COS, {0}, {1});
  finish(model, {0}, {1});
  EXPECT_EQ(OH_NNCompilation_Build(compilation_on(device, model).get()),
            by_mode(OH_NN_FAILED, OH_NN_UNSUPPORTED));
}

// Outputs too small for the result.

class UpstreamCaseOutputs : public UpstreamCase {
 protected:
  static OH_NN_ReturnCode expected() { return by_mode(OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER); }

  // Runs with the first `room` floats of a memory; the rest must not change.
  void expect_cut(const std::vector<int32_t>& model_shape, const std::vector<int32_t>& output_shape,
                  size_t room) {
    const Executor executor = executor_on_device(model_shape);
    const std::vector<float> whole{9, 9, 9, 9, 9, 9, 9, 9};
    const Tensor a = tensor_of({6}), memory = tensor_of({8}, whole);
    int fd = -1;
    ASSERT_EQ(OH_NNTensor_GetFd(memory.get(), &fd), OH_NN_SUCCESS);
    const size_t bytes = (1 + room) * sizeof(float);
    const Tensor y(OH_NNTensor_CreateWithFd(device, desc_of(output_shape).get(), fd, bytes, sizeof(float)));
    ASSERT_NE(y, nullptr);
    EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), expected());
    EXPECT_EQ(driver_ran(), kUpstream);
    std::vector<float> wanted = whole;
    if (kUpstream) std::fill_n(wanted.begin() + 1, room, 1.0f);
    EXPECT_EQ(values_of(memory, 8), wanted) << "nothing is written beyond the end";
    EXPECT_EQ(output_shape_of(executor), (std::vector<int32_t>{6}));
    if (kUpstream) {
      EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(y.get())), (std::vector<int32_t>{6}));
    }
  }
  static std::vector<int32_t> output_shape_of(const Executor& executor) {
    return output_shape(executor.get());
  }
};

TEST_F(UpstreamCaseOutputs, OfAKnownSizeGetWhatFits) { expect_cut({6}, {-1}, 4); }
TEST_F(UpstreamCaseOutputs, DynamicSizeIsCut) { expect_cut({-1}, {-1}, 4); }
TEST_F(UpstreamCaseOutputs, SmallerShapeIsCut) { expect_cut({-1}, {2}, 2); }
TEST_F(UpstreamCaseOutputs, OfASingleElementGetIt) { expect_cut({6}, {-1}, 1); }

TEST_F(UpstreamCaseOutputs, OtherShapesNeedUpstreamMode) {
  const Executor executor = executor_on_device({6});
  const Tensor a = tensor_of({6}), y = tensor_of({2});
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), expected());
  EXPECT_EQ(values_of(y, 2), std::vector<float>(2, kUpstream ? 1.0f : 0.0f));
  EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(y.get())), (std::vector<int32_t>{kUpstream ? 6 : 2}));
}

TEST_F(UpstreamCaseOutputs, OfSetOutputGetWhatFits) {
  const Executor executor = executor_on_device({-1});
  const std::vector<int32_t> shape{6};
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  float x[6] = {}, y[6] = {9, 9, 9, 9, 9, 9};
  for (uint32_t input : {0u, 1u})
    ASSERT_EQ(OH_NNExecutor_SetInput(executor.get(), input, &tensor, x, sizeof x), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, y, 3 * sizeof(float)), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNExecutor_Run(executor.get()), expected());
  const float first = kUpstream ? 1 : 9;
  EXPECT_EQ(std::vector<float>(y, y + 6), (std::vector<float>{first, first, first, 9, 9, 9}));
}

TEST_F(UpstreamCaseOutputs, OfSetOutputWithMemoryGetWhatFits) {
  const Executor executor = executor_on_device({-1});
  const std::vector<int32_t> shape{6};
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  float x[6] = {};
  for (uint32_t input : {0u, 1u})
    ASSERT_EQ(OH_NNExecutor_SetInput(executor.get(), input, &tensor, x, sizeof x), OH_NN_SUCCESS);
  OH_NN_Memory* memory = OH_NNExecutor_AllocateOutputMemory(executor.get(), 0, 3 * sizeof(float));
  ASSERT_NE(memory, nullptr);
  ASSERT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, memory), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNExecutor_Run(executor.get()), expected());
  EXPECT_EQ(*static_cast<const float*>(memory->data), kUpstream ? 1.0f : 0.0f);
  OH_NNExecutor_DestroyOutputMemory(executor.get(), 0, &memory);
}

TEST_F(UpstreamCaseOutputs, MayBeReportedLarger) {
  traits.answer_dims = [](std::vector<std::vector<int32_t>>& dims) { dims[0] = {100}; };
  const Executor executor = executor_on_device({-1});
  const Tensor a = tensor_of({6}), y = tensor_of({6});
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), expected());
  EXPECT_TRUE(driver_ran());
  EXPECT_EQ(values_of(y, 6), std::vector<float>(6, 1));
  EXPECT_EQ(output_shape_of(executor), (std::vector<int32_t>{100}));
}

// Built-in devices refuse in both modes.
TEST_F(UpstreamCaseOutputs, OfTheCpuAreRefused) {
  const Executor executor = executor_of({-1});
  const Tensor a = tensor_of({6}), y(OH_NNTensor_CreateWithSize(0, desc_of({-1}).get(), 8));
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
}

}  // namespace
