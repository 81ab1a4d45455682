#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <array>

using namespace api_tests;

namespace {

// y = x + lent weights.
class LendTensorData : public testing::Test {
 protected:
  LendTensorData() {
    for (int i = 0; i < 3; ++i) OH_NNModel_AddTensorToModel(model_.get(), desc_of({4}, OH_NN_FLOAT32).get());
  }

  static void count(void* context) { ++*static_cast<int*>(context); }
  OH_NN_ReturnCode lend(const void* data, size_t length, uint32_t index = 1) {
    return OH_NNRt_LendTensorData(model_.get(), index, data, length, count, &released_);
  }
  OH_NN_ReturnCode finish() {
    const Indices none{}, both{0, 1}, in{0}, out{2};
    OH_NNModel_AddOperation(model_.get(), OH_NN_OPS_ADD, &none, &both, &out);
    OH_NNModel_SpecifyInputsAndOutputs(model_.get(), &in, &out);
    return OH_NNModel_Finish(model_.get());
  }
  // The results for x = {1, 1, 1, 1}.
  static std::vector<float> run(const Compilation& compilation) {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    const Tensor x = tensor_of({4}, {1, 1, 1, 1}), y = tensor_of({4});
    EXPECT_EQ(api_tests::run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS);
    return values_of(y, 4);
  }

  Model model_{OH_NNModel_Construct()};
  std::array<float, 4> weights_{1, 2, 3, 4};
  int released_ = 0;
};

}  // namespace

TEST_F(LendTensorData, DataIsReleasedOnceWithItsLastUser) {
  ASSERT_EQ(lend(weights_.data(), sizeof weights_), OH_NN_SUCCESS);
  ASSERT_EQ(finish(), OH_NN_SUCCESS);
  EXPECT_EQ(released_, 0);
  {
    const Compilation compilation = built(model_);
    model_.reset();
    EXPECT_EQ(run(compilation), (std::vector<float>{2, 3, 4, 5}));
  }
  EXPECT_EQ(released_, 1);
}

TEST_F(LendTensorData, UnfinishedModelReleasesData) {
  ASSERT_EQ(lend(weights_.data(), sizeof weights_), OH_NN_SUCCESS);
  model_.reset();
  EXPECT_EQ(released_, 1);
}

TEST_F(LendTensorData, AFailedCallReleasesNothing) {
  EXPECT_EQ(lend(weights_.data(), sizeof weights_ - 1), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(lend(nullptr, sizeof weights_), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(lend(weights_.data(), sizeof weights_, 3), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_LendTensorData(nullptr, 1, weights_.data(), sizeof weights_, count, &released_),
            OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(lend(weights_.data(), sizeof weights_), OH_NN_SUCCESS);
  EXPECT_EQ(lend(weights_.data(), sizeof weights_), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(finish(), OH_NN_SUCCESS);
  EXPECT_EQ(lend(weights_.data(), sizeof weights_), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(released_, 0);
  model_.reset();
  EXPECT_EQ(released_, 1);
}

TEST_F(LendTensorData, UnalignedDataIsCopiedAndReleasedAtOnce) {
  std::array<std::byte, sizeof weights_ + 1> bytes{};
  std::memcpy(bytes.data() + 1, weights_.data(), sizeof weights_);
  ASSERT_EQ(lend(bytes.data() + 1, sizeof weights_), OH_NN_SUCCESS);
  EXPECT_EQ(released_, 1);
  bytes.fill(std::byte{0});
  ASSERT_EQ(finish(), OH_NN_SUCCESS);
  const Compilation compilation = built(model_);
  EXPECT_EQ(run(compilation), (std::vector<float>{2, 3, 4, 5}));
}

TEST_F(LendTensorData, DataOfTheWholeProcessNeedsNoRelease) {
  ASSERT_EQ(OH_NNRt_LendTensorData(model_.get(), 1, weights_.data(), sizeof weights_, nullptr, nullptr),
            OH_NN_SUCCESS);
  EXPECT_EQ(finish(), OH_NN_SUCCESS);
}
