#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/simd/isa.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/support/node_maker.h"
#include "tests/support/tensor_views.h"

#include <cmath>
#include <set>
#include <utility>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

std::vector<float> counted(int64_t count, int period) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(float(i * 7 % period - period / 2));
  return values;
}

std::vector<float> transposed(const std::vector<float>& x, int64_t rows, int64_t columns) {
  std::vector<float> y(x.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) y[size_t(c * rows + r)] = x[size_t(r * columns + c)];
  return y;
}

struct Size {
  int64_t rows, columns, inner;
};
class MatMulOf : public testing::TestWithParam<Size> {};

void expect_exact_products(const Size& size) {
  const auto [rows, columns, inner] = size;
  const std::vector<float> a = counted(rows * inner, 11), b = counted(inner * columns, 13);
  const test::eigen::Reals sums =
      test::eigen::gemm({rows, columns, inner}, {a.begin(), a.end()}, {b.begin(), b.end()});
  const std::vector<float> want(sums.begin(), sums.end());
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const auto got = NodeMaker(Op::matmul)
                           .integer(Attr::transpose_a, {double(transpose_a)})
                           .integer(Attr::transpose_b, {double(transpose_b)})
                           .input(transpose_a ? Shape{inner, rows} : Shape{rows, inner},
                                  transpose_a ? transposed(a, rows, inner) : a)
                           .input(transpose_b ? Shape{columns, inner} : Shape{inner, columns},
                                  transpose_b ? transposed(b, inner, columns) : b)
                           .output(DType::f32, {rows, columns})
                           .run_for<float>();
      EXPECT_EQ(got, want) << transpose_a << transpose_b;
    }
  }
}

TEST_P(MatMulOf, IsTheSameHoweverItsOperandsLie) { expect_exact_products(GetParam()); }

TEST_P(MatMulOf, IsTheSameByEachImplementation) {
  test::for_each_implementation(Op::matmul, [] { expect_exact_products(GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Sizes, MatMulOf,
                         testing::Values(Size{1, 1, 1}, Size{1, 67, 31}, Size{5, 3, 7}, Size{67, 41, 29},
                                         Size{311, 97, 13}, Size{4, 601, 37}, Size{2, 290, 24},
                                         Size{3, 5, 2053}, Size{37, 53, 2053}));

TEST(MatMul, BroadcastsLeadingDimensions) {
  const auto got = NodeMaker(Op::matmul)
                       .input<float>({2, 1, 1, 2}, {1, 2, 3, 4})
                       .input<float>({3, 2, 1}, {1, 10, 2, 20, 3, 30})
                       .output(DType::f32, {2, 3, 1, 1})
                       .run_for<float>();
  EXPECT_EQ(got, (std::vector<float>{21, 42, 63, 43, 86, 129}));
}

TEST(MatMul, MultipliesAStackWithOneMatrix) {
  const auto got = NodeMaker(Op::matmul)
                       .integer(Attr::activation, {1})
                       .input<float>({2, 2, 2}, {1, 0, 0, 1, 2, 0, 0, -2})
                       .input<float>({2, 2}, {1, 2, 3, 4})
                       .output(DType::f32, {2, 2, 2})
                       .run_for<float>();
  EXPECT_EQ(got, (std::vector<float>{1, 2, 3, 4, 2, 4, 0, 0}));
}

TEST(MatMul, TakesVectorsAsRowsAndColumns) {
  EXPECT_EQ(NodeMaker(Op::matmul)
                .input<float>({3}, {1, 2, 3})
                .input<float>({3}, {4, 5, 6})
                .output(DType::f32, {})
                .run_for<float>(),
            (std::vector<float>{32}));
  EXPECT_EQ(NodeMaker(Op::matmul)
                .input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
                .input<float>({3}, {1, 0, -1})
                .output(DType::f32, {2})
                .run_for<float>(),
            (std::vector<float>{-2, -2}));
}

TEST(MatMul, MultipliesDifferencesToTheZeroPoints) {
  const auto got = NodeMaker(Op::matmul)
                       .input<int8_t>({1, 2}, {5, 7}, {{0.5}, {3}})
                       .input<int8_t>({2, 2}, {1, 2, 3, 4}, {{2.0}, {1}})
                       .output(DType::i8, {1, 2}, {{1.0}, {-1}})
                       .run_for<int8_t>();
  EXPECT_EQ(got, (std::vector<int8_t>{7, 13}));
}

// 128 times the sum of the row, by which kernels correct products with unsigned weights, takes more than 31
// bits.
TEST(MatMul, WrapsCorrectionsOfLongRows) {
  constexpr int64_t kInner = 132112, kColumns = 32;
  const IsaLimit limit(Isa::vnni);
  const auto got =
      NodeMaker(Op::matmul)
          .input({1, kInner}, std::vector<int8_t>(size_t(kInner), 127), {{1.0}, {0}})
          .input({kInner, kColumns}, std::vector<int8_t>(size_t(kInner * kColumns), 1), {{1.0}, {0}})
          .output(DType::i8, {1, kColumns}, {{127.0 * kInner / 100}, {0}})
          .run_for<int8_t>();
  EXPECT_EQ(got, std::vector<int8_t>(size_t(kColumns), 100));
}

std::vector<int8_t> scattered(int64_t count, uint32_t seed) {
  std::vector<int8_t> bytes;
  for (int64_t i = 0; i < count; ++i) bytes.push_back(int8_t((uint32_t(i) + seed) * 2654435761u >> 24));
  return bytes;
}
std::vector<int8_t> one_column(int64_t rows, int64_t inner, bool transpose_b) {
  const double scale = 14 * std::sqrt(double(inner));
  return NodeMaker(Op::matmul)
      .integer(Attr::transpose_b, {double(transpose_b)})
      .input({rows, inner}, scattered(rows * inner, 3), {{0.5}, {-3}})
      .input(transpose_b ? Shape{1, inner} : Shape{inner, 1}, scattered(inner, 77), {{0.25}, {0}})
      .output(DType::i8, {rows, 1}, {{scale}, {7}})
      .run_for<int8_t>();
}

TEST(MatMul, MultipliesOneColumnOfBytesByEachImplementation) {
  for (const auto& [rows, inner] : {std::pair{1, 1}, {3, 64}, {8, 67}, {33, 200}, {530, 768}}) {
    const int64_t row_count = rows, length = inner;
    std::vector<int8_t> want;
    {
      const IsaLimit limit(Isa::baseline);
      want = one_column(row_count, length, false);
    }
    EXPECT_GT(std::set(want.begin(), want.end()).size(), want.size() / 30) << length;
    for (const bool transpose_b : {false, true})
      test::for_each_implementation(
          Op::matmul, [&] { EXPECT_EQ(one_column(row_count, length, transpose_b), want) << length; });
  }
}

TEST(MatMul, SumsFloat16InFloat32) {
  const std::vector<Half> ones(4099, to_half(1.0f));
  const auto got = NodeMaker(Op::matmul)
                       .input({1, 4099}, ones)
                       .input({4099, 1}, ones)
                       .output(DType::f16, {1, 1})
                       .run_for<Half>();
  EXPECT_EQ(test::floats(got), (std::vector<float>{4100.0f}));  // 4099, rounded once
}

// A single row reads the raw weight; more rows read the packed one.
TEST(FullConnection, ReusesPackedWeightForAnyBatch) {
  test::GraphMaker maker;
  const TensorId x = maker.input({-1, 2});
  const TensorId weight = maker.floats({3, 2}, {1, 0, 0, 1, 1, 1});
  const TensorId bias = maker.floats({3}, {0, 0, 10});
  const auto axis = maker.parameter<int64_t>(31, DType::i64, {1});
  const GraphPtr graph = maker.finish({maker.op(Op::full_connection, {x, weight, bias}, {-1, 3}, {axis})});
  const auto device = make_device();
  const auto model = device->prepare(graph, {});
  ASSERT_TRUE(model.ok()) << model.error().message;
  for (const int64_t rows : {7, 1, 5, 7}) {
    std::vector<float> in, want;
    for (int64_t r = 0; r < rows; ++r) {
      const float value = float(r + rows);
      in.insert(in.end(), {value, -2 * value});
      want.insert(want.end(), {value, -2 * value, 10 - value});
    }
    std::vector<OutputSlot> outputs{{test::empty_view(want.size() * sizeof(float))}};
    const Status status = model.value()->run(std::vector{test::view_of<float>({rows, 2}, in)}, outputs, {});
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(test::values_of<float>(outputs[0].view), want) << rows << " rows";
  }
}

TEST(FullConnection, CutsTheElementsIntoRows) {
  const auto got = NodeMaker(Op::full_connection)
                       .input<float>({3, 2, 1}, {1, 2, 3, 4, 5, 6})
                       .input<float>({2, 3}, {1, 0, 0, 0, 1, 1})
                       .input<float>({2}, {0.5f, -100})
                       .output(DType::f32, {2, 2})
                       .run_for<float>();
  EXPECT_EQ(got, (std::vector<float>{1.5f, -95, 4.5f, -89}));
}

TEST(FullConnection, IgnoresABiasThatIsSwitchedOff) {
  const auto got = NodeMaker(Op::full_connection)
                       .integer(Attr::has_bias, {0})
                       .input<float>({1, 1}, {3})
                       .input<float>({1, 1}, {2})
                       .input<float>({1}, {100})
                       .output(DType::f32, {1, 1})
                       .run_for<float>();
  EXPECT_EQ(got, (std::vector<float>{6}));
}

TEST(FullConnection, HasPerRowScales) {
  const auto got = NodeMaker(Op::full_connection)
                       .input<int8_t>({1, 2}, {10, 20}, {{1.0}, {0}})
                       .input<int8_t>({2, 2}, {1, 1, 2, 2}, {{0.5, 0.25}, {0, 1}})
                       .input<int32_t>({2}, {2, -2})
                       .output(DType::i8, {1, 2}, {{1.0}, {0}})
                       .run_for<int8_t>();
  EXPECT_EQ(got, (std::vector<int8_t>{16, 7}));
}

// With zero weights every gate is half open and no candidate is added.
TEST(Lstm, CarriesZonedOutStates) {
  NodeMaker maker(Op::lstm);
  maker.real(Attr::zoneout_cell, 0.5).real(Attr::zoneout_hidden, 0.25);
  maker.input<float>({1, 1, 1}, {7})
      .input<float>({1, 4, 1}, {0, 0, 0, 0})
      .input<float>({1, 4, 1}, {0, 0, 0, 0});
  maker.input<float>({1, 8}, std::vector<float>(8)).input<float>({1, 1, 1}, {4}).input<float>({1, 1, 1}, {2});
  maker.output(DType::f32, {1, 1, 1}).output(DType::f32, {1, 1, 1}).output(DType::f32, {1, 1, 1});
  ASSERT_TRUE(maker.run());
  const float step = 0.5f * std::tanh(1.0f);
  test::expect_near(maker.result<float>(0), {step});
  test::expect_near(maker.result<float>(1), {0.25f * 4 + 0.75f * step});
  test::expect_near(maker.result<float>(2), {0.5f * 2 + 0.5f * 1});
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// Reference LSTM, one layer and direction: weights [4 * hidden][inputs] and [4 * hidden][hidden].
struct PlainLstm {
  int64_t steps, batch, inputs, hidden;
  const float *input_weight, *hidden_weight, *bias;

  void run(const float* from, bool backward, float* state, float* cell, float* to, int64_t to_step) const {
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t t = backward ? steps - 1 - step : step;
      for (int64_t b = 0; b < batch; ++b) {
        std::vector<float> gates(size_t(4 * hidden));
        for (int64_t j = 0; j < 4 * hidden; ++j) {
          float sum = bias[j] + bias[4 * hidden + j];
          for (int64_t k = 0; k < inputs; ++k)
            sum += from[(t * batch + b) * inputs + k] * input_weight[j * inputs + k];
          for (int64_t k = 0; k < hidden; ++k) sum += state[b * hidden + k] * hidden_weight[j * hidden + k];
          gates[size_t(j)] = sum;
        }
        for (int64_t j = 0; j < hidden; ++j) {
          const auto gate = [&](int64_t i) { return gates[size_t(i * hidden + j)]; };
          float& c = cell[b * hidden + j];
          c = sigmoid(gate(2)) * c + sigmoid(gate(0)) * std::tanh(gate(3));
          to[(t * batch + b) * to_step + j] = state[b * hidden + j] = sigmoid(gate(1)) * std::tanh(c);
        }
      }
    }
  }
};

TEST(Lstm, SupportsBidirectionalLayersOfAnySize) {
  constexpr int64_t kSteps = 5, kBatch = 3, kUnits = 21, kLayers = 2, kInputs = 2 * kUnits;
  const auto values = [](int64_t count, size_t seed) {
    std::vector<float> result(static_cast<size_t>(count));
    for (size_t i = 0; i < result.size(); ++i) result[i] = float(int((i * 37 + seed * 11) % 101) - 50) / 200;
    return result;
  };
  constexpr int64_t kPasses = 2 * kLayers, kRows = 4 * kUnits;
  const auto x = values(kSteps * kBatch * kInputs, 1), w = values(kPasses * kRows * kInputs, 2),
             r = values(kPasses * kRows * kUnits, 3), bias = values(kPasses * 2 * kRows, 4);
  auto state = values(kPasses * kBatch * kUnits, 5), cell = values(kPasses * kBatch * kUnits, 6);
  NodeMaker maker(Op::lstm);
  maker.integer(Attr::bidirectional, {1}).integer(Attr::has_bias, {1});
  maker.input<float>({kSteps, kBatch, kInputs}, x).input<float>({kPasses, kRows, kInputs}, w);
  maker.input<float>({kPasses, kRows, kUnits}, r).input<float>({kPasses, 2 * kRows}, bias);
  maker.input<float>({kPasses, kBatch, kUnits}, state).input<float>({kPasses, kBatch, kUnits}, cell);
  maker.output(DType::f32, {kSteps, kBatch, kInputs});
  maker.output(DType::f32, {kPasses, kBatch, kUnits}).output(DType::f32, {kPasses, kBatch, kUnits});
  ASSERT_TRUE(maker.run());

  std::vector<float> below = x;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    std::vector<float> above(below.size());
    for (int64_t direction = 0; direction < 2; ++direction) {
      const int64_t k = layer * 2 + direction;
      const PlainLstm plain{kSteps,
                            kBatch,
                            kInputs,
                            kUnits,
                            w.data() + k * kRows * kInputs,
                            r.data() + k * kRows * kUnits,
                            bias.data() + k * 2 * kRows};
      plain.run(below.data(), direction == 1, state.data() + k * kBatch * kUnits,
                cell.data() + k * kBatch * kUnits, above.data() + direction * kUnits, kInputs);
    }
    below = above;
  }
  test::expect_near(maker.result<float>(0), below, 1e-5f);
  test::expect_near(maker.result<float>(1), state, 1e-5f);
  test::expect_near(maker.result<float>(2), cell, 1e-5f);
}

TEST(Lstm, StoresBackwardResultsByStep) {
  NodeMaker maker(Op::lstm);
  maker.integer(Attr::bidirectional, {1});
  // All gates are fully open: a step adds 1 to the cell for a large positive input.
  const std::vector<float> weight{50, 50, 50, 50, 50, 50, 50, 50};
  maker.input<float>({2, 1, 1}, {1, 1}).input<float>({2, 4, 1}, weight);
  maker.input<float>({2, 4, 1}, std::vector<float>(8)).input<float>({2, 8}, std::vector<float>(16));
  maker.input<float>({2, 1, 1}, {0, 0}).input<float>({2, 1, 1}, {0, 0});
  maker.output(DType::f32, {2, 1, 2}).output(DType::f32, {2, 1, 1}).output(DType::f32, {2, 1, 1});
  ASSERT_TRUE(maker.run());
  const float once = std::tanh(1.0f), twice = std::tanh(2.0f);
  test::expect_near(maker.result<float>(0), {once, twice, twice, once});
  test::expect_near(maker.result<float>(2), {2, 2});
}

}  // namespace
}  // namespace nnrt::cpu
