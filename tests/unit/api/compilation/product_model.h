// A model with large weights.
#pragma once

#include "tests/unit/api/api_test_handles.h"

#include <vector>

namespace api_tests {

inline constexpr int32_t kRows = 8;

// y = x w, with size x size weights.
inline Model product_model(int32_t size) {
  Model model(OH_NNModel_Construct());
  const auto add = [&](std::vector<int32_t> shape) {
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(std::move(shape)).get()), OH_NN_SUCCESS);
  };
  add({kRows, size});
  add({size, size});
  add({kRows, size});
  const std::vector<float> weights(size_t(size) * size_t(size), 0.3f);  // halves would be packed in 16 bits
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, weights.data(), weights.size() * sizeof(float)),
            OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_FULL_CONNECTION, {0, 1}, {2});
  finish(model, {0}, {2});
  return model;
}

}  // namespace api_tests
