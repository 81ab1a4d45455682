// Quantized convolutions of any groups against exact sums. All scales are multiples of powers of two, so that
// R12 needs no real numbers and ties are exact.
#include "backends/cpu/simd/isa.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/support/node_maker.h"
#include "tests/support/random/random.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

using test::Random;
namespace eigen = test::eigen;

struct Draw {
  Op op = Op::conv2d;
  eigen::Convolution c;
  int32_t input_zero = 0, output_zero = 0;
  bool symmetric = true, ties_to_even = false;
  int shift = 10;  // channel o scales its sums by factor(o) / 2^shift
  std::vector<int8_t> x, w;
  std::vector<int32_t> bias;

  static int64_t factor(int64_t channel) { return channel % 4 * 2 + 1; }
  int32_t weight_zero(int64_t channel) const { return symmetric ? 0 : int32_t(channel % 5) - 2; }
};

std::ostream& operator<<(std::ostream& to, const Draw& d) {
  return to << name(d.op) << ": " << d.c << ", zero points " << d.input_zero << " " << d.output_zero
            << (d.symmetric ? "" : " asymmetric") << (d.ties_to_even ? " ties to even" : "") << " shift "
            << d.shift;
}

std::vector<int8_t> codes(Random& random, const Shape& shape) {
  std::vector<int8_t> all;
  for (int64_t i = 0; i < *element_count(shape); ++i)
    all.push_back(int8_t(random.one_in(9) ? -128 : random.between(-128, 127)));
  return all;
}

Draw draw(uint32_t seed) {
  Random random(seed);
  Draw d;
  if (random.one_in(5)) d.op = Op::conv2d_transpose;
  d.c.transposed = d.op == Op::conv2d_transpose;
  // Widths that fill vectors, and any.
  const auto width = [&] {
    return random.one_in(2) ? random.between(1, 9) : random.of<int64_t>({4, 8, 12, 16, 20, 32});
  };
  int64_t group_in = width(), group_out = random.one_in(2) ? group_in : width();
  d.c.groups = random.between(1, 13);
  // Blocks of eight pixels whose taps lie side by side.
  const bool is_wide = random.one_in(4);
  if (is_wide) {
    d.c.groups = 1;
    group_in = 4 * random.between(3, 10);
    group_out = random.between(1, 34);
  }
  int64_t square = 0;  // kernels that are computed by columns
  if (random.one_in(4)) {
    d.op = Op::depthwise_conv2d_native;
    square = random.of<int64_t>({0, 3, 5, 7});
    d.c.transposed = false;
    d.c.groups = random.between(1, 150);
    group_in = 1;
    group_out = random.one_in(3) ? 2 : 1;
  }
  d.c.x = {random.one_in(4) ? 2 : 1, 0, 0, d.c.groups * group_in};
  d.c.w = {d.c.groups * group_out, 0, 0, group_in};
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t& kernel = d.c.w[axis + 1] = square > 0 ? square : random.between(1, is_wide ? 5 : 4);
    d.c.stride[axis] = random.between(1, 2);
    d.c.dilation[axis] = random.one_in(4) ? 2 : 1;
    const int64_t reach = (kernel - 1) * d.c.dilation[axis] + 1;
    d.c.x[axis + 1] = random.between(reach, std::max<int64_t>(reach + 6, is_wide ? 20 : 11));
    for (size_t end = 0; end < 2; ++end)
      d.c.pad[2 * axis + end] = random.between(0, std::min<int64_t>(2, reach - 1) / 2);
  }
  d.input_zero = int32_t(random.between(-128, 127));
  d.output_zero = int32_t(random.between(-20, 20));
  d.symmetric = !random.one_in(3);
  d.ties_to_even = random.one_in(2);
  d.shift = int(random.between(8, 14));
  d.x = codes(random, d.c.x);
  d.w = codes(random, d.c.w);
  for (int64_t o = 0; o < d.c.w[0]; ++o) d.bias.push_back(int32_t(random.between(-9000, 9000)));
  return d;
}

int8_t quantized(const Draw& d, int64_t sum, int64_t channel) {
  const int64_t value = sum * Draw::factor(channel), size = std::abs(value), one = int64_t{1} << d.shift;
  int64_t nearest = (size + one / 2) / one;
  if (d.ties_to_even && size % one == one / 2 && nearest % 2 != 0) --nearest;
  return int8_t(std::clamp<int64_t>((value < 0 ? -nearest : nearest) + d.output_zero, -128, 127));
}

std::vector<int8_t> expected(const Draw& d) {
  eigen::Reals w(d.w.begin(), d.w.end());
  const size_t filter = d.w.size() / d.bias.size();
  for (size_t i = 0; i < w.size(); ++i) w[i] -= d.weight_zero(int64_t(i / filter));
  std::vector<int8_t> all;
  for (const double sum : eigen::convolution(d.c, eigen::differences(d.x, d.input_zero), w)) {
    const size_t channel = all.size() % d.bias.size();
    all.push_back(quantized(d, int64_t(sum) + d.bias[channel], int64_t(channel)));
  }
  return all;
}

std::vector<int8_t> computed(const Draw& d) {
  Quant weights;
  for (int64_t o = 0; o < d.c.w[0]; ++o) {
    weights.scales.push_back(std::ldexp(double(Draw::factor(o)), -d.shift));
    weights.zero_points.push_back(d.weight_zero(o));
  }
  test::NodeMaker maker(d.op);
  if (d.op != Op::depthwise_conv2d_native) maker.integer(Attr::group, {double(d.c.groups)});
  return maker.integer(Attr::stride, d.c.stride)
      .integer(Attr::dilation, d.c.dilation)
      .integer(Attr::pad, d.c.pad)
      .input(d.c.x, d.x, {{0.25}, {d.input_zero}})
      .input(d.c.w, d.w, weights)
      .input({d.c.w[0]}, d.bias)
      .output(DType::i8, d.c.result(), {{0.25}, {d.output_zero}, d.ties_to_even})
      .run_for<int8_t>();
}

void expect_exact(uint32_t seed) {
  const Draw d = draw(seed);
  EXPECT_EQ(computed(d), expected(d)) << seed << ": " << d;
}

constexpr uint32_t kDraws = 150;

TEST(Int8Groups, AreExactOnLesserProcessors) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::vnni, Isa::dotprod}) {
    const IsaLimit limit(isa);
    for (uint32_t seed = 0; seed < kDraws && !testing::Test::HasFailure(); ++seed) expect_exact(seed);
  }
}

TEST(Int8Groups, AreExactByEachImplementation) {
  test::for_each_implementation(Op::conv2d, [] {
    for (uint32_t seed = kDraws; seed < kDraws + 40 && !testing::Test::HasFailure(); ++seed)
      expect_exact(seed);
  });
}

}  // namespace
}  // namespace nnrt::cpu
