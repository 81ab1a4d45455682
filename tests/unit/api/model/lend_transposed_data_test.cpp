#include "tests/unit/api/compilation/cache_fixture.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

using namespace api_tests;

namespace {

constexpr std::array<uint32_t, 4> kOrder{0, 2, 3, 1};
constexpr int32_t kSide = 14, kChannels = 16, kTaps = 9;

enum class Given : uint8_t { set, lent, lent_unaligned, lent_late };

// y = conv(x, w), 3 x 3, and sum = w + w if that is wanted too.
class LendTransposedData : public testing::Test {
 protected:
  static void count(void* context) { ++*static_cast<int*>(context); }

  LendTransposedData() : weights_(size_t(kChannels * kTaps * kChannels)), stored_(weights_.size() + 1) {
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] = std::sin(float(i));
      const size_t row = size_t(kTaps) * kChannels;
      stored_[i / row * row + i % kChannels * kTaps + i / kChannels % kTaps] = weights_[i];
    }
  }

  OH_NN_ReturnCode lend(OH_NNModel* model, uint32_t index, const void* data, size_t bytes,
                        std::vector<uint32_t> order) {
    return OH_NNRt_LendTransposedData(model, index, data, bytes, order.data(), order.size(), count,
                                      &released_);
  }

  Model empty_model() const {
    Model model(OH_NNModel_Construct());
    const auto add = [&](std::vector<int32_t> shape, OH_NN_Format format) {
      const Desc desc = desc_of(std::move(shape));
      OH_NNTensorDesc_SetFormat(desc.get(), format);
      EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc.get()), OH_NN_SUCCESS);
    };
    add({1, kSide, kSide, kChannels}, OH_NN_FORMAT_NHWC);
    add({kChannels, 3, 3, kChannels}, OH_NN_FORMAT_NONE);
    add({kChannels}, OH_NN_FORMAT_NONE);
    add({1, kSide - 2, kSide - 2, kChannels}, OH_NN_FORMAT_NHWC);
    add({kChannels, 3, 3, kChannels}, OH_NN_FORMAT_NONE);
    const std::vector<float> bias(kChannels, 0.5f);
    OH_NNModel_SetTensorData(model.get(), 2, bias.data(), bias.size() * sizeof(float));
    return model;
  }

  void give_weights(const Model& model, Given given) {
    const size_t bytes = weights_.size() * sizeof(float);
    if (given == Given::set) {
      EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, weights_.data(), bytes), OH_NN_SUCCESS);
    } else {
      auto* data = reinterpret_cast<std::byte*>(stored_.data());
      if (given == Given::lent_unaligned) {
        std::memmove(data + 1, data, bytes);
        ++data;
      }
      EXPECT_EQ(lend(model.get(), 1, data, bytes, {kOrder.begin(), kOrder.end()}), OH_NN_SUCCESS);
    }
  }

  Model model(Given given, bool adds = false) {
    Model model = empty_model();
    if (given != Given::lent_late) give_weights(model, given);
    const Indices none{}, both{1, 1}, in{0}, y{3}, sum{4}, all{3, 4};
    add_operation(model, OH_NN_OPS_CONV2D, {0, 1, 2}, {3});
    if (adds) OH_NNModel_AddOperation(model.get(), OH_NN_OPS_ADD, &none, &both, &sum);
    if (given == Given::lent_late) give_weights(model, given);
    EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &in, adds ? &all : &y), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
    return model;
  }

  // Other devices transpose the weights in Build.
  static void choose_cpu(const Compilation& compilation) {
    size_t cpu = 0;
    EXPECT_EQ(OH_NNRt_FindDevice(OH_NN_CPU, &cpu), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), cpu), OH_NN_SUCCESS);
  }

  static std::vector<float> run(const Compilation& compilation, bool adds = false) {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    std::vector<float> cosines(kSide * kSide * kChannels);
    for (size_t i = 0; i < cosines.size(); ++i) cosines[i] = std::cos(float(i));
    const Tensor x = tensor_of({1, kSide, kSide, kChannels}, cosines);
    const Tensor y = tensor_of({1, kSide - 2, kSide - 2, kChannels}),
                 sum = tensor_of({kChannels, 3, 3, kChannels});
    std::vector<NN_Tensor*> outputs{y.get()};
    if (adds) outputs.push_back(sum.get());
    EXPECT_EQ(api_tests::run(executor.get(), {x.get()}, outputs), OH_NN_SUCCESS);
    std::vector<float> values = values_of(y, (kSide - 2) * (kSide - 2) * kChannels);
    if (adds) std::ranges::copy(values_of(sum, kChannels * kTaps * kChannels), std::back_inserter(values));
    return values;
  }
  static std::vector<float> built_and_run(const Model& model, bool adds = false) {
    const Compilation compilation = built(model);
    return run(compilation, adds);
  }

  std::vector<float> weights_, stored_;
  int released_ = 0;
};

}  // namespace

TEST_F(LendTransposedData, GivesTheResultsOfTransposedData) {
  const std::vector<float> want = built_and_run(model(Given::set, true), true);
  EXPECT_EQ(built_and_run(model(Given::lent), false),
            std::vector<float>(want.begin(), want.end() - kChannels * kTaps * kChannels));
  for (const Given given : {Given::lent, Given::lent_late})
    EXPECT_EQ(built_and_run(model(given, true), true), want) << "The addition reads the weights too.";
}

TEST_F(LendTransposedData, ReleasesItOnceWithItsLastUser) {
  {
    Model lent = model(Given::lent);
    const Compilation compilation(OH_NNCompilation_Construct(lent.get()));
    choose_cpu(compilation);
    ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
    lent.reset();
    run(compilation);
    EXPECT_EQ(released_, 0) << "The compilation may be exported.";
  }
  EXPECT_EQ(released_, 1);
}

TEST_F(LendTransposedData, CopiesUnalignedData) {
  const std::vector<float> want = built_and_run(model(Given::set));
  const Model lent = model(Given::lent_unaligned);
  EXPECT_EQ(released_, 1);
  std::ranges::fill(stored_, 0.0f);
  EXPECT_EQ(built_and_run(lent), want);
}

TEST_F(LendTransposedData, TransposesOtherOrdersAtOnce) {
  Model model = with_tensors(3, {2, 3});
  const std::array<float, 6> columns{1, 4, 2, 5, 3, 6};
  ASSERT_EQ(lend(model.get(), 1, columns.data(), sizeof columns, {1, 0}), OH_NN_SUCCESS);
  EXPECT_EQ(released_, 1);
  add_operation(model, OH_NN_OPS_ADD, {0, 1}, {2});
  finish(model, {0}, {2});
  const Executor executor = executor_for(model);
  const Tensor in = tensor_of({2, 3}, std::vector<float>(6, 10)), out = tensor_of({2, 3});
  ASSERT_EQ(api_tests::run(executor.get(), {in.get()}, {out.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(out, 6), (std::vector<float>{11, 12, 13, 14, 15, 16}));
}

TEST_F(LendTransposedData, AFailedCallReleasesNothing) {
  const Model model = empty_model();
  const size_t bytes = weights_.size() * sizeof(float);
  using Order = std::vector<uint32_t>;
  for (const Order& order :
       {Order{0, 2, 3}, Order{0, 2, 3, 3}, Order{0, 2, 3, 4}, Order{0, 2, 3, 1, 4}, Order{}})
    EXPECT_EQ(lend(model.get(), 1, stored_.data(), bytes, order), OH_NN_INVALID_PARAMETER) << order.size();
  EXPECT_EQ(lend(model.get(), 1, stored_.data(), bytes - 4, {0, 2, 3, 1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(lend(model.get(), 1, nullptr, bytes, {0, 2, 3, 1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(lend(model.get(), 5, stored_.data(), bytes, {0, 2, 3, 1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_LendTransposedData(model.get(), 1, stored_.data(), bytes, nullptr, 4, count, &released_),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(released_, 0);
}

// Both read the contents as they are described.
TEST_F(LendTransposedData, IsCachedAndExported) {
  const auto bytes_of = [](const Model& model) {
    const Compilation compilation(OH_NNCompilation_Construct(model.get()));
    choose_cpu(compilation);
    EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
    return exported(compilation);
  };
  EXPECT_EQ(bytes_of(model(Given::lent)), bytes_of(model(Given::set)));
}
