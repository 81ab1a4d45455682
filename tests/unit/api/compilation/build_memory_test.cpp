// Memory that a built compilation holds.
#include "tests/support/process_resources.h"
#include "tests/unit/api/api_test_handles.h"

#include <cstdlib>

using namespace api_tests;

namespace {

constexpr int32_t kRows = 8;

// y = x w, with size x size weights.
Model product_model(int32_t size) {
  Model model(OH_NNModel_Construct());
  const auto add = [&](std::vector<int32_t> shape) {
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(std::move(shape)).get()), OH_NN_SUCCESS);
  };
  add({kRows, size});
  add({size, size});
  add({kRows, size});
  const std::vector<float> weights(size_t(size) * size_t(size), 0.5f);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, weights.data(), weights.size() * sizeof(float)),
            OH_NN_SUCCESS);
  const Indices none{}, operands{0, 1}, x{0}, y{2};
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_FULL_CONNECTION, &none, &operands, &y),
            OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &x, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  return model;
}

// Bytes in memory with a built compilation whose model is destroyed.
double held_by(int32_t size, bool exports) {
  const Compilation compilation(OH_NNCompilation_Construct(product_model(size).get()));
  if (!exports) {
    EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.export", "off", 3), OH_NN_SUCCESS);
  }
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return double(held().resident);
}

}  // namespace

TEST(BuildMemory, HasWeightsOnceIfTheClientForgoesExports) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
  constexpr int32_t kSmall = 64, kLarge = 3072;
  const double weights = double(kLarge) * kLarge * sizeof(float);
  for (const bool exports : {false, true}) {
    const double held = held_by(kLarge, exports) - held_by(kSmall, exports);
    EXPECT_GT(held, (exports ? 1.8 : 0.9) * weights) << exports;
    EXPECT_LT(held, (exports ? 2.3 : 1.2) * weights) << exports;
  }
}
