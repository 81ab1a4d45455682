// Products with weights kept in 16 bits: chosen if no precision is lost, and bit-identical to FLOAT32 panels.
#include "backends/cpu/gemm/half/half_matmul.h"

#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/simd/isa.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/tensor_views.h"

#include <bit>
#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;
using test::KernelsVariable;

enum class Weights { half, bfloat, float32, huge, infinite };

constexpr int64_t kInner = 264, kColumns = 301;

std::vector<float> values(int64_t count, Weights weights) {
  std::vector<float> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) {
    const float value = std::sin(float(i)) / 5;
    switch (weights) {
      case Weights::half: result[i] = to_float(to_half(value)); break;
      case Weights::bfloat:
        result[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(value * 1e7f) & 0xffff0000u);
        break;
      default: result[i] = value;
    }
  }
  if (weights == Weights::huge) result.back() = 70000.5f;
  if (weights == Weights::infinite) result.back() = std::numeric_limits<float>::infinity();
  return result;
}

struct Network {
  bool transposed = true;
  int64_t rows = 1;  // -1: known only in a run
  Weights weights = Weights::half;

  // relu(x * w + b) + other
  GraphPtr graph() const {
    GraphMaker maker;
    const TensorId x = maker.input({rows, kInner}), other = maker.input({rows, kColumns});
    const Shape shape = transposed ? Shape{kColumns, kInner} : Shape{kInner, kColumns};
    std::vector<TensorId> inputs{x, maker.floats(shape, values(kInner * kColumns, weights))};
    if (transposed) inputs.push_back(maker.floats({kColumns}, values(kColumns, Weights::float32)));
    const TensorId product =
        maker.op(transposed ? Op::full_connection : Op::matmul, inputs, {rows, kColumns});
    return maker.finish({maker.op(Op::add, {product, other}, {rows, kColumns})});
  }
};

std::unique_ptr<PreparedModel> prepared(const Network& network, const CompileOptions& options = {}) {
  return make_device()->prepare(network.graph(), options).value();
}

std::string kernel_of(const PreparedModel& model) {
  return model.kernels(nullptr).operations.at(0).kernels.at(0).name;
}

std::vector<float> run(PreparedModel& model, int64_t rows) {
  const TensorView inputs[] = {
      test::view_of<float>({rows, kInner}, values(rows * kInner, Weights::float32)),
      test::view_of<float>({rows, kColumns}, values(rows * kColumns, Weights::float32))};
  std::vector<OutputSlot> outputs{{{}, true}};
  const Status status = model.run(inputs, outputs, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return test::values_of<float>(outputs[0].view);
}

TEST(HalfGemm, IsChosenIfLossless) {
  for (const int64_t rows : {1, 6}) {
    for (const bool transposed : {false, true}) {
      EXPECT_EQ(kernel_of(*prepared({transposed, rows, Weights::half})), "half_gemm");
      EXPECT_EQ(kernel_of(*prepared({transposed, rows, Weights::bfloat})), "half_gemm");
      for (const Weights weights : {Weights::float32, Weights::huge, Weights::infinite})
        EXPECT_NE(kernel_of(*prepared({transposed, rows, weights})), "half_gemm");
    }
  }
}

TEST(HalfGemm, IsNotChosenForManyRows) {
  EXPECT_EQ(kernel_of(*prepared({true, 70, Weights::half})), "fp32_gemm");
}

TEST(HalfGemm, HasTheBitsOfFloatWeights) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    const IsaLimit limit(isa);
    for (const Weights weights : {Weights::half, Weights::bfloat})
      for (const bool transposed : {false, true})
        for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 67}) {
          const Network network{transposed, rows, weights};
          const auto forced = [&](const char* kernel) {
            const KernelsVariable kernels(kernel);
            return prepared(network);
          };
          const auto halves = forced("+half_gemm"), model = forced("+fp32_gemm");
          ASSERT_EQ(kernel_of(*halves), "half_gemm");
          const std::vector<float> got = run(*halves, rows);
          ASSERT_EQ(kernel_of(*model), "fp32_gemm");
          EXPECT_EQ(got, run(*model, rows)) << rows << " rows, " << int(weights) << transposed;
        }
  }
}

TEST(HalfGemm, RoundsWeightsOnlyIfItMay) {
  const CompileOptions may_round{.float16 = true};
  for (const bool transposed : {false, true}) {
    const Network network{transposed, 3, Weights::float32};
    const auto exact = prepared(network), rounded = prepared(network, may_round);
    EXPECT_NE(kernel_of(*exact), "half_gemm");
    EXPECT_EQ(kernel_of(*rounded), "half_gemm");
    const std::vector<float> want = run(*exact, 3), got = run(*rounded, 3);
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 3e-3f) << i;
    for (const Weights weights : {Weights::huge, Weights::infinite})
      EXPECT_NE(kernel_of(*prepared({transposed, 3, weights}, may_round)), "half_gemm");
  }
}

TEST(HalfGemm, HalvesTheMemory) {
  const Network network{true, 5, Weights::half};
  const KernelsVariable without_gemv("-gemv");
  const size_t halves = prepared(network)->export_cache(network.graph()).value().size();
  const KernelsVariable kernels("-gemv,-half_gemm");
  const size_t floats = prepared(network)->export_cache(network.graph()).value().size();
  EXPECT_LT(double(halves), 0.55 * double(floats));
}

TEST(HalfGemm, IsRestored) {
  for (const bool float16 : {false, true}) {
    const Network network{true, 2, float16 ? Weights::float32 : Weights::half};
    const CompileOptions options{.float16 = float16};
    const auto model = prepared(network, options);
    const GraphPtr graph = network.graph();
    const Bytes cached = model->export_cache(graph).value();
    const auto restored =
        make_device()->restore(graph, options, std::make_shared<const Bytes>(cached)).value();
    EXPECT_EQ(kernel_of(*restored), "half_gemm");
    EXPECT_EQ(run(*restored, 2), run(*model, 2));
  }
}

TEST(HalfGemm, ServesRunsOfAnyNumberOfRows) {
  const Network network{true, -1, Weights::half};
  const auto model = prepared(network);
  const KernelsVariable kernels("+fp32_gemm");
  const auto floats = prepared(network);
  for (const int64_t rows : {1, 9, 2, 33, 1}) EXPECT_EQ(run(*model, rows), run(*floats, rows)) << rows;
}

TEST(HalfGemm, ReadsFloat16Weights) {
  for (const int64_t rows : {1, 4, 41}) {
    GraphMaker maker;
    const TensorId x = maker.input({rows, kInner}, DType::f16);
    std::vector<Half> weights, input;
    for (const float value : values(kInner * kColumns, Weights::half)) weights.push_back(to_half(value));
    for (const float value : values(rows * kInner, Weights::half)) input.push_back(to_half(value));
    const GraphPtr graph =
        maker.finish({maker.op(Op::matmul, {x, maker.constant({kInner, kColumns}, DType::f16, weights)},
                               {rows, kColumns}, {}, DType::f16)});
    const auto model = make_device()->prepare(graph, {}).value();
    EXPECT_EQ(kernel_of(*model), "half_gemm");
    std::vector<OutputSlot> outputs{{{}, true}};
    ASSERT_TRUE(model->run(std::vector{test::view_of<Half>({rows, kInner}, input)}, outputs, {}).ok());
    const std::vector<Half> got = test::values_of<Half>(outputs[0].view);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < kColumns; ++column) {
        double want = 0;
        for (int64_t k = 0; k < kInner; ++k)
          want += double(to_float(input[size_t(row * kInner + k)])) *
                  double(to_float(weights[size_t(k * kColumns + column)]));
        ASSERT_NEAR(to_float(got[size_t(row * kColumns + column)]), want, std::abs(want) * 1e-3 + 1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace nnrt::cpu
