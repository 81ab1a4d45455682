#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using test::elements_of;
using test::OnnxModel;
using test::value_of;
using Floats = std::vector<float>;

// x [2, 3] times w [3, 2] plus c, and a Relu.
OnnxModel gemm(bool transposed, const test::Dimensions& bias_shape) {
  OnnxModel model = OnnxModel().input("x", {2, 3});
  if (transposed) {
    model.floats("w", {2, 3}, {1, 3, 5, -2, -4, 6});
  } else {
    model.floats("w", {3, 2}, {1, -2, 3, -4, 5, 6});
  }
  size_t count = 1;
  for (const int64_t length : bias_shape) count *= static_cast<size_t>(length);
  const Floats biases{10, 20, 30, 40};
  model.floats("c", bias_shape, Floats(biases.begin(), biases.begin() + static_cast<std::ptrdiff_t>(count)));
  return model.node("Gemm", {"x", "w", "c"}, {"g"}).with("transB", int64_t{transposed}).node("Relu", {"g"});
}

TEST(OnnxGemm, MatchesInBothWeightLayouts) {
  const auto x = value_of({2, 3}, Floats{1, 2, 3, -1, -2, -3});
  // Without c: 22 8, -22 -8.
  const std::pair<test::Dimensions, Floats> cases[] = {{{2}, {32, 28, 0, 12}},    {{1, 2}, {32, 28, 0, 12}},
                                                       {{1}, {32, 18, 0, 2}},     {{}, {32, 18, 0, 2}},
                                                       {{2, 2}, {32, 28, 8, 32}}, {{2, 1}, {32, 18, 0, 12}}};
  for (const auto& [shape, want] : cases) {
    for (const bool transposed : {false, true}) {
      const auto results = test::run_on_cpu(gemm(transposed, shape), {x}, {{2, 2}}).value();
      EXPECT_EQ(elements_of<float>(results[0]), want) << transposed << ' ' << shape.size();
    }
  }
}

TEST(OnnxGemm, KeepsWeightLayout) {
  for (const bool transposed : {false, true}) {
    const import::Network network = gemm(transposed, {2}).network();
    const import::Operation& first = network.operations[0];
    EXPECT_EQ(first.type, transposed ? Op::full_connection : Op::matmul);
    const import::Tensor& weights = network.tensors[first.inputs[1]];
    EXPECT_EQ(weights.name, "w");
    EXPECT_EQ(weights.shape, (transposed ? import::Shape{2, 3} : import::Shape{3, 2}));
    EXPECT_EQ(network.operations.size(), transposed ? 1u : 2u);  // the Relu is fused
  }
}

}  // namespace
}  // namespace nnrt
