#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <random>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

struct QuantizedOperands {
  Affine a, b, to;
};

double real_result(Op op, double a, double b) {
  return op == Op::mul ? a * b : op == Op::sub ? a - b : a + b;
}

// All pairs of quantized values; `shape_b` may repeat b's values.
void expect_exact(Op op, const QuantizedOperands& scales, Activation activation, const Shape& shape,
                  const std::vector<int8_t>& a, const Shape& shape_b, const std::vector<int8_t>& b) {
  std::vector<int8_t> want;
  for (size_t i = 0; i < a.size(); ++i) {
    const int8_t other =
        b[shape_b.size() == 1 || shape_b.back() > 1 ? i % b.size() : i / size_t(shape.back())];
    const double real = real_result(op, dequantize(a[i], scales.a), dequantize(other, scales.b));
    want.push_back(quantize<int8_t>(apply_activation(activation, real), scales.to));
  }
  const auto quant = [](Affine affine) {
    return Quant{{affine.scale}, {affine.zero_point}, affine.ties_to_even};
  };
  const auto got = NodeMaker(op)
                       .integer(Attr::activation, {double(activation)})
                       .input(shape, a, quant(scales.a))
                       .input(shape_b, b, quant(scales.b))
                       .output(DType::i8, shape, quant(scales.to))
                       .run_for<int8_t>();
  EXPECT_EQ(got, want) << name(op) << " " << scales.to.scale << " " << int(activation);
}

// Some scales make half of all results ties.
const QuantizedOperands kScales[] = {{{0.05, 3}, {0.05, -2}, {0.1, 7}},
                                     {{0.1, 0}, {0.3, 0}, {0.2, -128}},
                                     {{0.0173, -128}, {0.0219, 5}, {0.0311, -128}},
                                     {{1, 0}, {2, 0}, {6, 1}},
                                     {{0.5, -3}, {0.25, 4}, {0.25, 10, true}},
                                     {{0.0039, -128}, {0.0571, 6}, {0.0309, -119, true}},
                                     {{1e-3, 0}, {1, 127}, {0.02, 0}}};

void expect_exact_arithmetic() {
  std::vector<int8_t> a, b, row;
  for (int code = -128; code < 128; ++code)
    for (int other = -128; other < 128; ++other) {
      a.push_back(int8_t(code));
      b.push_back(int8_t(other));
    }
  for (int code = -128; code < 128; code += 3) row.push_back(int8_t(code));
  for (const Op op : {Op::add, Op::sub, Op::mul}) {
    for (const QuantizedOperands& scales : kScales) {
      for (const Activation activation : {Activation::none, Activation::relu, Activation::relu6}) {
        const std::vector<int8_t> x(a.begin(), a.end() - 1), y(b.begin(), b.end() - 1);  // an odd length
        expect_exact(op, scales, activation, {int64_t(x.size())}, x, {int64_t(x.size())}, y);
      }
      const int64_t width = int64_t(row.size()), rows = 700;
      const std::vector<int8_t> x(a.begin(), a.begin() + rows * width);
      expect_exact(op, scales, Activation::none, {rows, width}, x, {width}, row);
      const std::vector<int8_t> column(b.begin(), b.begin() + rows);
      expect_exact(op, scales, Activation::none, {rows, width}, x, {rows, 1}, column);
      expect_exact(op, scales, Activation::none, {100, 256}, {a.begin(), a.begin() + 25600}, {256},
                   {b.begin(), b.begin() + 256});
      expect_exact(op, scales, Activation::none, {100, 300}, {a.begin(), a.begin() + 30000}, {300},
                   {b.begin(), b.begin() + 300});
    }
  }
}

class QuantizedBinary : public testing::TestWithParam<Isa> {
 protected:
  const IsaLimit limit_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Isas, QuantizedBinary,
                         testing::Values(Isa::amx, Isa::avx512, Isa::avx2, Isa::baseline));

TEST_P(QuantizedBinary, IsExact) { expect_exact_arithmetic(); }

TEST_P(QuantizedBinary, DecidesTiesOfProducts) {
  std::vector<int8_t> a, b;
  for (int i = 0; i < 65536; ++i) {
    a.push_back(int8_t(i >> 8));
    b.push_back(int8_t(i));
  }
  const float scales[] = {0.02f, 0.04f, 0.1f, 0.05f, 0.5f, 0.25f, 1 / 3.0f, 1 / 256.0f, 0.0173f, 3};
  std::mt19937 random(1);
  const auto drawn = [&](bool ties_to_even) {
    return Affine{double(scales[random() % std::size(scales)]), int32_t(random() % 256) - 128, ties_to_even};
  };
  for (int i = 0; i < 60; ++i) {
    const QuantizedOperands operands{drawn(false), drawn(false), drawn(i % 2 == 0)};
    const Activation activation = i % 3 == 0 ? Activation::relu6 : Activation::none;
    expect_exact(Op::mul, operands, activation, {65536}, a, {65536}, b);
  }
}

TEST_P(QuantizedBinary, BroadcastsRowsAndColumnsOnEitherSide) {
  const QuantizedOperands scales{{0.02, 5}, {0.011, -7}, {0.017, 3}};
  for (const int64_t width : {1, 3, 8, 31, 64, 255, 257}) {
    const int64_t rows = 1 + 5000 / width;
    std::vector<int8_t> all, all_few;
    for (int64_t i = 0; i < rows * width; ++i) {
      all.push_back(int8_t(i * 37 % 251));
      all_few.push_back(int8_t(i * 71 + 9));
    }
    for (const Shape& shape : {Shape{width}, Shape{rows, 1}}) {
      const std::vector<int8_t> few(all_few.begin(), all_few.begin() + shape[0]);
      expect_exact(Op::mul, scales, Activation::none, {rows, width}, all, shape, few);
      const auto swapped = NodeMaker(Op::mul)
                               .input(shape, few, {{0.011}, {-7}})
                               .input({rows, width}, all, {{0.02}, {5}})
                               .output(DType::i8, {rows, width}, {{0.017}, {3}})
                               .run_for<int8_t>();
      const auto straight = NodeMaker(Op::mul)
                                .input({rows, width}, all, {{0.02}, {5}})
                                .input(shape, few, {{0.011}, {-7}})
                                .output(DType::i8, {rows, width}, {{0.017}, {3}})
                                .run_for<int8_t>();
      EXPECT_EQ(swapped, straight) << width << ", " << shape.size();
    }
  }
}

}  // namespace
}  // namespace nnrt::cpu
