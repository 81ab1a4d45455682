#include "backends/cpu/base/element.h"
#include "backends/cpu/simd/isa.h"
#include "backends/cpu/simd/simd.h"
#include "tests/support/node_maker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

// Small integers whose order differs in every pooling window.
std::vector<float> counted(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(float(i * 37 % 101) - 50);
  return values;
}

struct Case {
  const char* name;
  Shape x;
  std::array<int64_t, 2> kernel, stride;
  std::array<int64_t, 4> pad;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"plain", {1, 7, 5, 3}, {3, 2}, {1, 1}, {}},
    {"strided", {2, 11, 13, 1}, {2, 3}, {3, 2}, {1, 0, 2, 1}},
    {"padded", {1, 5, 7, 2}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
    {"overhanging", {1, 3, 3, 1}, {5, 5}, {2, 2}, {4, 4, 4, 4}},
    {"few_channels", {2, 9, 37, 3}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {"wide", {1, 4, 70, 5}, {2, 7}, {1, 3}, {0, 1, 3, 2}},
    {"many_channels", {1, 3, 5, 307}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {"one_channel", {2, 9, 75, 1}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {"one_channel_plain", {1, 6, 83, 1}, {2, 5}, {1, 1}, {0, 1, 2, 2}},
    {"three_channels", {1, 9, 40, 3}, {3, 3}, {2, 2}, {1, 0, 0, 1}},
    {"seven_channels", {2, 5, 23, 7}, {3, 4}, {1, 3}, {1, 1, 2, 0}},
    {"skipped_pixels", {1, 7, 41, 2}, {2, 2}, {3, 4}, {}},
    {"one_column", {1, 5, 9, 1}, {3, 9}, {1, 7}, {1, 1, 0, 0}},
    {"all_of_one_channel", {3, 23, 37, 1}, {23, 37}, {1, 1}, {}},
    {"all_of_a_small_plane", {5, 7, 7, 1}, {7, 7}, {1, 1}, {}},
    {"all_of_three_channels", {2, 31, 29, 3}, {31, 29}, {1, 1}, {}},
    {"all_of_fifteen_channels", {2, 17, 19, 15}, {17, 19}, {1, 1}, {}},
};

Shape output_shape(const Case& c) {
  const auto out = [&](size_t axis) {
    return (c.x[axis + 1] + c.pad[axis * 2] + c.pad[axis * 2 + 1] - c.kernel[axis]) / c.stride[axis] + 1;
  };
  return {c.x[0], out(0), out(1), c.x[3]};
}

// The cells inside the input of each output's pooling window.
std::vector<std::vector<float>> cells_of(const Case& c, const std::vector<float>& x) {
  const Shape y = output_shape(c);
  std::vector<std::vector<float>> cells;
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t i = 0; i < y[1]; ++i)
      for (int64_t j = 0; j < y[2]; ++j)
        for (int64_t channel = 0; channel < y[3]; ++channel) {
          cells.emplace_back();
          for (int64_t u = 0; u < c.kernel[0]; ++u)
            for (int64_t v = 0; v < c.kernel[1]; ++v) {
              const int64_t row = i * c.stride[0] + u - c.pad[0], column = j * c.stride[1] + v - c.pad[2];
              if (row >= 0 && row < c.x[1] && column >= 0 && column < c.x[2])
                cells.back().push_back(x[size_t(((n * c.x[1] + row) * c.x[2] + column) * c.x[3] + channel)]);
            }
        }
  return cells;
}

NodeMaker pool_of(Op op, const Case& c) {
  NodeMaker maker(op);
  return maker.integer(Attr::kernel, c.kernel).integer(Attr::stride, c.stride).integer(Attr::pad, c.pad);
}

class Pool : public testing::TestWithParam<Case> {};

constexpr Isa kWidths[] = {Isa::baseline, Isa::avx2, Isa::amx};

// With a fused RELU6 too.
void expect_pool(Op op, const Case& c, const std::vector<float>& x, const std::vector<float>& want) {
  for (const Isa isa : kWidths) {
    const IsaLimit limit(isa);
    for (const Activation activation : {Activation::none, Activation::relu6}) {
      NodeMaker maker = pool_of(op, c);
      maker.integer(Attr::activation, {double(activation)});
      std::vector<float> clamped;
      for (const float value : want) clamped.push_back(apply_activation(activation, value));
      EXPECT_EQ(maker.input(c.x, x).output(DType::f32, output_shape(c)).run_for<float>(), clamped)
          << vector_bytes() << " bytes";
    }
  }
}

TEST_P(Pool, TakesTheLargestOfTheCellsInside) {
  const Case& c = GetParam();
  const std::vector<float> x = counted(product(c.x, 0, 4));
  std::vector<float> want;
  for (const auto& cells : cells_of(c, x)) want.push_back(*std::ranges::max_element(cells));
  expect_pool(Op::max_pool, c, x, want);
}

TEST_P(Pool, TakesTheMeanOfTheCellsInside) {
  const Case& c = GetParam();
  const std::vector<float> x = counted(product(c.x, 0, 4));
  std::vector<float> want;
  for (const auto& cells : cells_of(c, x)) {
    float sum = 0;
    for (const float cell : cells) sum += cell;
    want.push_back(sum / float(cells.size()));
  }
  expect_pool(Op::avg_pool, c, x, want);
}

INSTANTIATE_TEST_SUITE_P(Cases, Pool, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

// At every vector length, with and without another quantization.
TEST(MaxPool, ComputesQuantizedTensorsExactly) {
  for (const Case& c : kCases) {
    if (std::string_view(c.name) == "overhanging") continue;  // has windows without cells
    std::vector<int8_t> x;
    for (int64_t i = 0; i < product(c.x, 0, 4); ++i) x.push_back(int8_t(i * i % 251 - 128));
    const Quant from{{0.5}, {-9}};
    for (const Quant& to : {from, Quant{{0.25}, {5}}}) {
      std::vector<int8_t> want;
      for (const auto& cells : cells_of(c, std::vector<float>(x.begin(), x.end())))
        want.push_back(quantize<int8_t>(0.5 * (double(*std::ranges::max_element(cells)) + 9), affine_of(to)));
      for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
        const IsaLimit limit(isa);
        EXPECT_EQ(pool_of(Op::max_pool, c)
                      .input(c.x, x, from)
                      .output(DType::i8, output_shape(c), to)
                      .run_for<int8_t>(),
                  want)
            << c.name << ", " << vector_bytes() << " bytes";
      }
    }
  }
}

struct QuantizedCase {
  Case of;
  bool ties_to_even;
  Activation activation;
};

// At every vector length.
void expect_quantized_means(const QuantizedCase& c) {
  const Quant from{{0.037}, {-9}}, to{{0.021}, {5}, c.ties_to_even};
  std::vector<int8_t> x;
  for (int64_t i = 0; i < product(c.of.x, 0, 4); ++i) x.push_back(int8_t(i * i % 251 - 128));
  std::vector<int8_t> want;
  for (const auto& cells : cells_of(c.of, std::vector<float>(x.begin(), x.end()))) {
    double sum = 0;
    for (const float cell : cells) sum += double(cell) + 9;
    const double mean = 0.037 * sum / double(cells.size());
    want.push_back(quantize<int8_t>(apply_activation(c.activation, mean), affine_of(to)));
  }
  for (const Isa isa : kWidths) {
    const IsaLimit limit(isa);
    NodeMaker maker = pool_of(Op::avg_pool, c.of);
    maker.integer(Attr::activation, {double(c.activation)});
    EXPECT_EQ(maker.input(c.of.x, x, from).output(DType::i8, output_shape(c.of), to).run_for<int8_t>(), want)
        << c.of.name << ", " << vector_bytes() << " bytes";
  }
}

TEST(AvgPool, ComputesQuantizedTensorsExactly) {
  std::vector<Case> cases(std::begin(kCases), std::end(kCases));
  for (const auto& [width, channels] :
       {std::pair{700, 3}, {700, 1}, {40, 64}, {21, 100}, {21, 129}, {9, 300}})
    cases.push_back({"all", {1, 9, width, channels}, {9, width}, {1, 1}, {}});
  for (const Case& c : cases) {
    if (std::string_view(c.name) == "overhanging") continue;  // has windows without cells
    for (const bool ties_to_even : {false, true})
      for (const Activation activation : {Activation::none, Activation::relu6})
        expect_quantized_means({c, ties_to_even, activation});
  }
}

TEST(AvgPool, SumsALargePlaneWithoutLosingPrecision) {
  for (const int64_t channels : {1, 3, 64}) {
    const std::vector<float> plane(size_t(513 * 511 * channels), 1000.1f);
    const auto got = NodeMaker(Op::avg_pool)
                         .integer(Attr::global, {1})
                         .input({1, 513, 511, channels}, plane)
                         .output(DType::f32, {1, 1, 1, channels})
                         .run_for<float>();
    test::expect_near(got, std::vector<float>(size_t(channels), 1000.1f), 1e-5f);
  }
}

}  // namespace
}  // namespace nnrt::cpu
