// The functions of API 9.
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <thread>

using namespace api_tests;

namespace {

using Shape = std::vector<int32_t>;

OH_NN_ReturnCode set_input(const Executor& executor, uint32_t index, const Shape& shape,
                           const std::vector<float>& values) {
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  return OH_NNExecutor_SetInput(executor.get(), index, &tensor, values.data(), values.size() * sizeof(float));
}

OH_NN_ReturnCode set_output(const Executor& executor, std::vector<float>& values) {
  return OH_NNExecutor_SetOutput(executor.get(), 0, values.data(), values.size() * sizeof(float));
}

OH_NN_ReturnCode run(const Executor& executor) { return OH_NNExecutor_Run(executor.get()); }

OH_NN_ReturnCode bind_input(const Executor& executor, uint32_t index, const Shape& shape,
                            const OH_NN_Memory* memory) {
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  return OH_NNExecutor_SetInputWithMemory(executor.get(), index, &tensor, memory);
}

}  // namespace

TEST(Legacy, EverythingMustBeBound) {
  const Executor executor = executor_of({2});
  std::vector<float> result(2);
  EXPECT_EQ(run(executor), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(set_input(executor, 0, {2}, {1, 2}), OH_NN_SUCCESS);
  ASSERT_EQ(set_output(executor, result), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(set_input(executor, 1, {2}, {1, 2}), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor), OH_NN_SUCCESS);
}

TEST(Legacy, BindingsStayUntilSetAgain) {
  const Executor executor = executor_of({2});
  std::vector<float> result(2), other(2);
  ASSERT_EQ(set_input(executor, 0, {2}, {1, 2}), OH_NN_SUCCESS);
  ASSERT_EQ(set_input(executor, 1, {2}, {1, 2}), OH_NN_SUCCESS);
  ASSERT_EQ(set_output(executor, result), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor), OH_NN_SUCCESS);
  ASSERT_EQ(set_input(executor, 1, {2}, {5, 6}), OH_NN_SUCCESS);
  ASSERT_EQ(set_output(executor, other), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor), OH_NN_SUCCESS);
  EXPECT_EQ(result, (std::vector<float>{2, 4}));
  EXPECT_EQ(other, (std::vector<float>{6, 8}));
}

TEST(Legacy, AFailedSetInputKeepsTheBinding) {
  const Executor executor = executor_of({2});
  std::vector<float> result(2);
  ASSERT_EQ(set_input(executor, 0, {2}, {1, 2}), OH_NN_SUCCESS);
  ASSERT_EQ(set_input(executor, 1, {2}, {1, 2}), OH_NN_SUCCESS);
  EXPECT_EQ(set_input(executor, 1, {2}, {9}), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(set_output(executor, result), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor), OH_NN_SUCCESS);
  EXPECT_EQ(result, (std::vector<float>{2, 4}));
}

TEST(Legacy, InputsMustFitTheModel) {
  const Executor executor = executor_of({2, -1});
  const std::vector<float> six(6);
  EXPECT_EQ(set_input(executor, 0, {2, 3}, six), OH_NN_SUCCESS);
  EXPECT_EQ(set_input(executor, 0, {2, 2}, six), OH_NN_SUCCESS) << "a longer buffer is fine";
  EXPECT_EQ(set_input(executor, 2, {2, 3}, six), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set_input(executor, 0, {2, 4}, six), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set_input(executor, 0, {2, -1}, six), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set_input(executor, 0, {2, 0}, six), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set_input(executor, 0, {3, 2}, six), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set_input(executor, 0, {6}, six), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set_input(executor, 0, {}, six), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set_input(executor, 0, {2, 3}, {}), OH_NN_INVALID_PARAMETER);
  const Shape shape{2, 3};
  OH_NN_Tensor tensor = legacy_tensor(shape, OH_NN_INT32);
  EXPECT_EQ(OH_NNExecutor_SetInput(executor.get(), 0, &tensor, six.data(), 24), OH_NN_INVALID_PARAMETER);
  tensor = legacy_tensor(shape);
  tensor.type = OH_NN_ADD_ACTIVATIONTYPE;
  EXPECT_EQ(OH_NNExecutor_SetInput(executor.get(), 0, &tensor, six.data(), 24), OH_NN_INVALID_PARAMETER);
}

TEST(Legacy, TooSmallOutputFailsTheRun) {
  const Executor executor = executor_of({2, -1});
  std::vector<float> result(5, 7.0f);
  ASSERT_EQ(set_input(executor, 0, {2, 3}, std::vector<float>(6)), OH_NN_SUCCESS);
  ASSERT_EQ(set_input(executor, 1, {2, 3}, std::vector<float>(6)), OH_NN_SUCCESS);
  ASSERT_EQ(set_output(executor, result), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(result, std::vector<float>(5, 7.0f));
  EXPECT_EQ(output_shape(executor.get()), (Shape{2, 3}));
}

TEST(Legacy, OutputBuffersNeedALengthAndAnIndex) {
  const Executor executor = executor_of({2});
  float result[2];
  EXPECT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, result, 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNExecutor_SetOutput(executor.get(), 1, result, 8), OH_NN_INVALID_PARAMETER);
}

TEST(Legacy, DynamicShapesChangeFromRunToRun) {
  const Executor executor = executor_of({2, -1});
  for (const int32_t width : {3, 7, 2}) {
    const auto count = static_cast<size_t>(2 * width);
    std::vector<float> result(20, -1.0f);
    ASSERT_EQ(set_input(executor, 0, {2, width}, std::vector<float>(count, 1)), OH_NN_SUCCESS);
    ASSERT_EQ(set_input(executor, 1, {2, width}, std::vector<float>(count, 2)), OH_NN_SUCCESS);
    ASSERT_EQ(set_output(executor, result), OH_NN_SUCCESS);
    ASSERT_EQ(run(executor), OH_NN_SUCCESS);
    EXPECT_EQ(output_shape(executor.get()), (Shape{2, width}));
    EXPECT_EQ(result[count - 1], 3.0f);
    EXPECT_EQ(result[count], -1.0f);
  }
}

// Buffers of a model of FLOAT16, as MindSpore Lite passes them, are FLOAT32.
class LegacyFloat16 : public testing::TestWithParam<int32_t> {
 protected:
  template <typename T>
  OH_NN_ReturnCode set_input(uint32_t index, OH_NN_DataType type, const std::vector<T>& values) const {
    const OH_NN_Tensor tensor = legacy_tensor(shape_, type);
    return OH_NNExecutor_SetInput(executor_.get(), index, &tensor, values.data(), values.size() * sizeof(T));
  }
  template <typename T>
  OH_NN_ReturnCode set_output(std::vector<T>& values) const {
    return OH_NNExecutor_SetOutput(executor_.get(), 0, values.data(), values.size() * sizeof(T));
  }
  void set_inputs() const {
    ASSERT_EQ(set_input<float>(0, OH_NN_FLOAT32, {1, -5, 0.1f}), OH_NN_SUCCESS);
    ASSERT_EQ(set_input<uint16_t>(1, OH_NN_FLOAT16, {0x3c00, 0x3c00, 0}), OH_NN_SUCCESS);
  }

  const Shape shape_{3};
  const Executor executor_ = executor_of({GetParam()}, OH_NN_FLOAT16);
};

TEST_P(LegacyFloat16, IsConvertedInBuffersOfTwiceTheBytes) {
  set_inputs();
  std::vector<float> wide(3, -1);
  ASSERT_EQ(set_output(wide), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor_), OH_NN_SUCCESS);
  EXPECT_EQ(wide, (std::vector<float>{2, 0, 0.0999755859375f}));
  std::vector<uint16_t> halves(3, 7);
  ASSERT_EQ(set_output(halves), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor_), OH_NN_SUCCESS);
  EXPECT_EQ(halves, (std::vector<uint16_t>{0x4000, 0, 0x2e66}));
}

TEST_P(LegacyFloat16, IsRefusedInBuffersOfOtherLengths) {
  set_inputs();
  for (const size_t count : {1u, 2u, 4u, 5u, 7u, 12u}) {
    std::vector<uint16_t> values(count, 7);
    EXPECT_EQ(set_input(0, OH_NN_FLOAT16, values), OH_NN_INVALID_PARAMETER) << count;
    EXPECT_EQ(set_input(0, OH_NN_FLOAT32, values), OH_NN_INVALID_PARAMETER) << count;
    EXPECT_EQ(set_output(values), OH_NN_SUCCESS);
    EXPECT_EQ(run(executor_), OH_NN_INVALID_PARAMETER) << count;
    EXPECT_EQ(values, std::vector<uint16_t>(count, 7)) << count;
  }
  EXPECT_EQ(set_input<uint16_t>(0, OH_NN_FLOAT32, {0, 0, 0}), OH_NN_INVALID_PARAMETER);
}

TEST_P(LegacyFloat16, IsNotConvertedInMemoryOfTheExecutor) {
  OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor_.get(), 0, 12);
  const OH_NN_Tensor wide = legacy_tensor(shape_), half = legacy_tensor(shape_, OH_NN_FLOAT16);
  EXPECT_EQ(OH_NNExecutor_SetInputWithMemory(executor_.get(), 0, &wide, memory), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNExecutor_SetInputWithMemory(executor_.get(), 0, &half, memory), OH_NN_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(KnownAndUnknownShapes, LegacyFloat16, testing::Values(3, -1));

TEST(LegacyMemory, IsRunInPlace) {
  const Executor executor = executor_of({3});
  OH_NN_Memory* a = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 12);
  OH_NN_Memory* b = OH_NNExecutor_AllocateInputMemory(executor.get(), 1, 100);
  OH_NN_Memory* y = OH_NNExecutor_AllocateOutputMemory(executor.get(), 0, 12);
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(b->length, 100u);
  ASSERT_EQ(bind_input(executor, 0, {3}, a), OH_NN_SUCCESS);
  ASSERT_EQ(bind_input(executor, 1, {3}, b), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, y), OH_NN_SUCCESS);
  const float values[] = {1, -5, 3};
  std::memcpy(a->data, values, sizeof values);
  std::memcpy(b->data, values, sizeof values);
  EXPECT_EQ(run(executor), OH_NN_SUCCESS);
  const auto* result = static_cast<const float*>(y->data);
  EXPECT_EQ(std::vector<float>(result, result + 3), (std::vector<float>{2, 0, 6}));
}

TEST(LegacyMemory, MayServeAnotherInput) {
  const Executor executor = executor_of({3});
  OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 12);
  EXPECT_EQ(bind_input(executor, 0, {3}, memory), OH_NN_SUCCESS);
  EXPECT_EQ(bind_input(executor, 1, {3}, memory), OH_NN_SUCCESS);
}

// A device whose kernels may read an element after its neighbours were written refuses the run.
TEST(LegacyMemory, MayAliasInputAndOutput) {
  const Executor executor = executor_of({3});
  bool may = false;
  ASSERT_EQ(OH_NNRt_MayShareMemory(executor.get(), 0, 0, &may), OH_NN_SUCCESS);
  OH_NN_Memory* memory = OH_NNExecutor_AllocateOutputMemory(executor.get(), 0, 12);
  const std::vector<float> state{10, 20, 30};
  std::memcpy(memory->data, state.data(), 12);
  ASSERT_EQ(bind_input(executor, 0, {3}, memory), OH_NN_SUCCESS);
  ASSERT_EQ(set_input(executor, 1, {3}, {1, 2, 3}), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, memory), OH_NN_SUCCESS);
  const OH_NN_ReturnCode want = may ? OH_NN_SUCCESS : OH_NN_INVALID_PARAMETER;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(executor), want);
  const auto* const result = static_cast<const float*>(memory->data);
  EXPECT_EQ(std::vector<float>(result, result + 3), may ? (std::vector<float>{12, 24, 36}) : state);
  std::vector<float> other(3);
  ASSERT_EQ(set_output(executor, other), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor), OH_NN_SUCCESS);
  EXPECT_EQ(other, may ? (std::vector<float>{13, 26, 39}) : (std::vector<float>{11, 22, 33}));
}

TEST(LegacyMemory, DestroyAlsoUnbindsOutputs) {
  const Executor executor = executor_of({3});
  OH_NN_Memory* memory = OH_NNExecutor_AllocateOutputMemory(executor.get(), 0, 12);
  for (const uint32_t input : {0u, 1u}) {
    ASSERT_EQ(set_input(executor, input, {3}, {1, 2, 3}), OH_NN_SUCCESS);
  }
  ASSERT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, memory), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor), OH_NN_SUCCESS);
  OH_NNExecutor_DestroyOutputMemory(executor.get(), 0, &memory);
  EXPECT_EQ(run(executor), OH_NN_INVALID_PARAMETER);
}

TEST(LegacyMemory, LengthsAndIndicesAreChecked) {
  const Executor executor = executor_of({3});
  constexpr size_t kGiB = size_t{1} << 30;
  EXPECT_EQ(OH_NNExecutor_AllocateInputMemory(executor.get(), 2, 12), nullptr);
  EXPECT_EQ(OH_NNExecutor_AllocateOutputMemory(executor.get(), 1, 12), nullptr);
  EXPECT_EQ(OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 0), nullptr);
  EXPECT_EQ(OH_NNExecutor_AllocateInputMemory(executor.get(), 0, kGiB + 1), nullptr);
  EXPECT_NE(OH_NNExecutor_AllocateInputMemory(executor.get(), 0, kGiB), nullptr);
}

TEST(LegacyMemory, MustBeTheExecutorsAndLargeEnough) {
  const Executor executor = executor_of({3}), other = executor_of({3});
  OH_NN_Memory* small = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 11);
  OH_NN_Memory* foreign = OH_NNExecutor_AllocateInputMemory(other.get(), 0, 12);
  for (const OH_NN_Memory* memory : {small, foreign}) {
    EXPECT_EQ(bind_input(executor, 0, {3}, memory), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, memory), OH_NN_INVALID_PARAMETER);
  }
  EXPECT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 1, small), OH_NN_INVALID_PARAMETER);
}

TEST(LegacyMemory, DestroyNeedsTheRightOwnerSideAndIndex) {
  const Executor executor = executor_of({3}), other = executor_of({3});
  OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor.get(), 1, 12);
  OH_NN_Memory* const retained = memory;
  OH_NNExecutor_DestroyInputMemory(executor.get(), 0, &memory);
  OH_NNExecutor_DestroyInputMemory(executor.get(), 2, &memory);
  OH_NNExecutor_DestroyOutputMemory(executor.get(), 0, &memory);
  OH_NNExecutor_DestroyInputMemory(other.get(), 1, &memory);
  EXPECT_EQ(memory, retained);
  OH_NNExecutor_DestroyInputMemory(executor.get(), 1, &memory);
  EXPECT_EQ(memory, nullptr);
}

TEST(LegacyMemory, DestroyUnbinds) {
  const Executor executor = executor_of({3});
  std::vector<float> result(3);
  ASSERT_EQ(set_input(executor, 0, {3}, {1, 2, 3}), OH_NN_SUCCESS);
  ASSERT_EQ(set_output(executor, result), OH_NN_SUCCESS);
  OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor.get(), 1, 12);
  ASSERT_EQ(bind_input(executor, 1, {3}, memory), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor), OH_NN_SUCCESS);
  OH_NNExecutor_DestroyInputMemory(executor.get(), 1, &memory);
  EXPECT_EQ(run(executor), OH_NN_INVALID_PARAMETER);
}

TEST(LegacyMemory, ServesBothSidesFromTwoThreads) {
  const Executor executor = executor_of({3});
  const auto work = [&](auto* allocate, auto* destroy) {
    for (int i = 0; i < 200; ++i) {
      OH_NN_Memory* memory = allocate(executor.get(), 0, 12);
      destroy(executor.get(), 0, &memory);
      if (memory != nullptr) std::abort();
    }
  };
  std::thread inputs(work, OH_NNExecutor_AllocateInputMemory, OH_NNExecutor_DestroyInputMemory);
  std::thread outputs(work, OH_NNExecutor_AllocateOutputMemory, OH_NNExecutor_DestroyOutputMemory);
  inputs.join();
  outputs.join();
  EXPECT_EQ(run(executor), OH_NN_INVALID_PARAMETER);
}

TEST(LegacyMemory, RunSyncNeitherUsesNorChangesBindings) {
  const Executor executor = executor_of({3});
  std::vector<float> result(3);
  ASSERT_EQ(set_input(executor, 0, {3}, {1, 2, 3}), OH_NN_SUCCESS);
  ASSERT_EQ(set_input(executor, 1, {3}, {1, 2, 3}), OH_NN_SUCCESS);
  ASSERT_EQ(set_output(executor, result), OH_NN_SUCCESS);
  const Tensor a = tensor_of({3}, {10, 10, 10}), y = tensor_of({3});
  ASSERT_EQ(api_tests::run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 3), (std::vector<float>{20, 20, 20}));
  EXPECT_EQ(result, (std::vector<float>{2, 4, 6}));
}
