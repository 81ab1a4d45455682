#include "tests/shortage/two_device_model.h"

#include <algorithm>
#include <span>

namespace nnrt::test {
namespace {

using namespace api_tests;

constexpr int32_t kSize = 128, kRows = 512, kCount = kRows * kRows;

template <typename T>
std::span<T> elements(const Tensor& tensor, size_t count) {
  return {static_cast<T*>(OH_NNTensor_GetDataBuffer(tensor.get())), count};
}

Tensor make(const std::vector<int32_t>& shape, OH_NN_DataType type) {
  return Tensor(OH_NNTensor_Create(0, desc_of(shape, type).get()));
}

}  // namespace

Model make_two_parts() {
  Model model(OH_NNModel_Construct());
  const auto add = [&](const std::vector<int32_t>& shape, OH_NN_DataType type) {
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shape, type).get()), OH_NN_SUCCESS);
  };
  const std::vector<int32_t> square{kSize, kSize};
  for (int i = 0; i < 3; ++i) add(square, OH_NN_FLOAT32);
  add({kCount}, OH_NN_FLOAT32);
  add({2}, OH_NN_INT32);
  add({-1, -1}, OH_NN_FLOAT32);
  const std::vector<float> weights(size_t{kSize} * kSize, 0.5f);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, weights.data(), weights.size() * sizeof(float)),
            OH_NN_SUCCESS);
  const Indices none{}, x_w{0, 1}, y{2}, n_shape{3, 4}, reshaped{5};
  const Indices inputs{0, 3, 4}, outputs{2, 5};
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_MATMUL, &none, &x_w, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_RESHAPE, &none, &n_shape, &reshaped),
            OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  return model;
}

PartTensors::PartTensors()
    : x(make({kSize, kSize}, OH_NN_FLOAT32)),
      n(make({kCount}, OH_NN_FLOAT32)),
      shape(make({2}, OH_NN_INT32)),
      y(make({kSize, kSize}, OH_NN_FLOAT32)),
      reshaped(make({kRows, kRows}, OH_NN_FLOAT32)) {
  std::ranges::fill(elements<float>(x, size_t{kSize} * kSize), 1.0f);
  std::ranges::generate(elements<float>(n, kCount), [i = 0.0f]() mutable { return i++; });
  std::ranges::fill(elements<int32_t>(shape, 2), kRows);
}

void PartTensors::clear() const {
  std::ranges::fill(elements<float>(y, size_t{kSize} * kSize), -1.0f);
  std::ranges::fill(elements<float>(reshaped, kCount), -1.0f);
}

void PartTensors::expect_right() const {
  EXPECT_TRUE(std::ranges::all_of(elements<float>(y, size_t{kSize} * kSize),
                                  [](float element) { return element == kSize / 2; }));
  EXPECT_TRUE(std::ranges::equal(elements<float>(reshaped, kCount), elements<float>(n, kCount)));
}

}  // namespace nnrt::test
