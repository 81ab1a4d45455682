// Quantized convolutions of any groups against integer arithmetic. All scales are multiples of powers of two,
// so that R12 needs no real numbers and ties are exact.
#include "backends/cpu/simd/isa.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/node_maker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace nnrt::cpu {
namespace {

struct Draw {
  Op op = Op::conv2d;
  int64_t batch = 1, groups = 1, group_in = 1, group_out = 1;
  std::array<int64_t, 2> in{}, kernel{}, stride{}, dilation{};
  std::array<int64_t, 4> pad{};  // top, bottom, left, right
  int32_t input_zero = 0, output_zero = 0;
  bool symmetric = true, ties_to_even = false;
  int shift = 10;  // channel o scales its sums by factor(o) / 2^shift
  std::vector<int8_t> x, w;
  std::vector<int32_t> bias;

  bool transposed() const { return op == Op::conv2d_transpose; }
  int64_t channels_in() const { return groups * group_in; }
  int64_t channels_out() const { return groups * group_out; }
  int64_t reach(size_t axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
  int64_t out(size_t axis) const {
    const int64_t pads = pad[2 * axis] + pad[2 * axis + 1];
    if (transposed()) return (in[axis] - 1) * stride[axis] + reach(axis) - pads;
    return (in[axis] + pads - reach(axis)) / stride[axis] + 1;
  }
  static int64_t factor(int64_t channel) { return channel % 4 * 2 + 1; }
  int32_t weight_zero(int64_t channel) const { return symmetric ? 0 : int32_t(channel % 5) - 2; }
};

std::ostream& operator<<(std::ostream& to, const Draw& d) {
  to << name(d.op) << ": " << d.groups << " groups of " << d.group_in << " to " << d.group_out;
  for (size_t axis = 0; axis < 2; ++axis)
    to << ", in " << d.in[axis] << " kernel " << d.kernel[axis] << " stride " << d.stride[axis]
       << " dilation " << d.dilation[axis] << " pad " << d.pad[2 * axis] << " " << d.pad[2 * axis + 1];
  return to << ", batch " << d.batch << " zero points " << d.input_zero << " " << d.output_zero
            << (d.symmetric ? "" : " asymmetric") << (d.ties_to_even ? " ties to even" : "") << " shift "
            << d.shift;
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t between(int64_t low, int64_t high) { return low + int64_t(engine_() % uint64_t(high - low + 1)); }
  bool one_of(int64_t count) { return between(1, count) == 1; }
  std::vector<int8_t> codes(int64_t count) {
    std::vector<int8_t> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(int8_t(one_of(9) ? -128 : between(-128, 127)));
    return all;
  }

 private:
  std::mt19937 engine_;
};

Draw draw(uint32_t seed) {
  Random random(seed);
  Draw d;
  if (random.one_of(5)) d.op = Op::conv2d_transpose;
  d.batch = random.one_of(4) ? 2 : 1;
  // Widths that fill vectors, and any.
  constexpr int64_t kWidths[] = {4, 8, 12, 16, 20, 32};
  const auto width = [&] { return random.one_of(2) ? random.between(1, 9) : kWidths[random.between(0, 5)]; };
  d.groups = random.between(1, 13);
  d.group_in = width();
  d.group_out = random.one_of(2) ? d.group_in : width();
  // Blocks of eight pixels whose taps lie side by side.
  const bool is_wide = random.one_of(4);
  if (is_wide) {
    d.groups = 1;
    d.group_in = 4 * random.between(3, 10);
    d.group_out = random.between(1, 34);
  }
  if (random.one_of(5)) {
    d.op = Op::depthwise_conv2d_native;
    d.groups = random.between(1, 150);
    d.group_in = 1;
    d.group_out = random.one_of(3) ? 2 : 1;
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    d.kernel[axis] = random.between(1, is_wide ? 5 : 4);
    d.stride[axis] = random.between(1, 2);
    d.dilation[axis] = random.one_of(4) ? 2 : 1;
    d.in[axis] = random.between(d.reach(axis), is_wide ? 20 : 11);
    for (size_t end = 0; end < 2; ++end)
      d.pad[2 * axis + end] = random.between(0, std::min<int64_t>(2, d.reach(axis) - 1) / 2);
  }
  d.input_zero = int32_t(random.between(-128, 127));
  d.output_zero = int32_t(random.between(-20, 20));
  d.symmetric = !random.one_of(3);
  d.ties_to_even = random.one_of(2);
  d.shift = int(random.between(8, 14));
  d.x = random.codes(d.batch * d.in[0] * d.in[1] * d.channels_in());
  d.w = random.codes(d.channels_out() * d.kernel[0] * d.kernel[1] * d.group_in);
  for (int64_t o = 0; o < d.channels_out(); ++o) d.bias.push_back(int32_t(random.between(-9000, 9000)));
  return d;
}

// The input cell under a tap, or -1.
int64_t source(const Draw& d, size_t axis, int64_t at, int64_t tap) {
  const int64_t reach = tap * d.dilation[axis] - d.pad[2 * axis];
  int64_t cell = at * d.stride[axis] + reach;
  if (d.transposed()) {
    if (at - reach < 0 || (at - reach) % d.stride[axis] != 0) return -1;
    cell = (at - reach) / d.stride[axis];
  }
  return cell < d.in[axis] ? cell : -1;
}

int64_t sum_of(const Draw& d, int64_t image, int64_t y, int64_t x, int64_t channel) {
  int64_t sum = d.bias[size_t(channel)];
  const int64_t first = channel / d.group_out * d.group_in;
  for (int64_t u = 0; u < d.kernel[0]; ++u) {
    for (int64_t v = 0; v < d.kernel[1]; ++v) {
      const int64_t line = source(d, 0, y, u), column = source(d, 1, x, v);
      if (line < 0 || column < 0) continue;
      const int8_t* const from =
          &d.x[size_t(((image * d.in[0] + line) * d.in[1] + column) * d.channels_in() + first)];
      const int8_t* const taps = &d.w[size_t(((channel * d.kernel[0] + u) * d.kernel[1] + v) * d.group_in)];
      for (int64_t k = 0; k < d.group_in; ++k)
        sum += (from[k] - d.input_zero) * (taps[k] - d.weight_zero(channel));
    }
  }
  return sum;
}

int8_t quantized(const Draw& d, int64_t sum, int64_t channel) {
  const int64_t value = sum * Draw::factor(channel), size = std::abs(value), one = int64_t{1} << d.shift;
  int64_t nearest = (size + one / 2) / one;
  if (d.ties_to_even && size % one == one / 2 && nearest % 2 != 0) --nearest;
  return int8_t(std::clamp<int64_t>((value < 0 ? -nearest : nearest) + d.output_zero, -128, 127));
}

std::vector<int8_t> expected(const Draw& d) {
  std::vector<int8_t> all;
  for (int64_t image = 0; image < d.batch; ++image)
    for (int64_t y = 0; y < d.out(0); ++y)
      for (int64_t x = 0; x < d.out(1); ++x)
        for (int64_t o = 0; o < d.channels_out(); ++o)
          all.push_back(quantized(d, sum_of(d, image, y, x, o), o));
  return all;
}

std::vector<int8_t> computed(const Draw& d) {
  Quant weights;
  for (int64_t o = 0; o < d.channels_out(); ++o) {
    weights.scales.push_back(std::ldexp(double(Draw::factor(o)), -d.shift));
    weights.zero_points.push_back(d.weight_zero(o));
  }
  test::NodeMaker maker(d.op);
  if (d.op != Op::depthwise_conv2d_native) maker.integer(Attr::group, {double(d.groups)});
  return maker.integer(Attr::stride, {double(d.stride[0]), double(d.stride[1])})
      .integer(Attr::dilation, {double(d.dilation[0]), double(d.dilation[1])})
      .integer(Attr::pad, {double(d.pad[0]), double(d.pad[1]), double(d.pad[2]), double(d.pad[3])})
      .input({d.batch, d.in[0], d.in[1], d.channels_in()}, d.x, {{0.25}, {d.input_zero}})
      .input({d.channels_out(), d.kernel[0], d.kernel[1], d.group_in}, d.w, weights)
      .input({d.channels_out()}, d.bias)
      .output(DType::i8, {d.batch, d.out(0), d.out(1), d.channels_out()},
              {{0.25}, {d.output_zero}, d.ties_to_even})
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
