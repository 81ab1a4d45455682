#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <array>
#include <random>
#include <vector>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

// [N, C, cells] to [N, cells, C].
template <typename T>
std::vector<T> channels_last(const std::vector<T>& x, int64_t batch, int64_t channels) {
  const int64_t cells = int64_t(x.size()) / batch / channels;
  std::vector<T> y(x.size());
  for (int64_t i = 0; i < int64_t(x.size()); ++i) {
    const int64_t n = i / cells / channels, c = i / cells % channels, cell = i % cells;
    y[size_t((n * cells + cell) * channels + c)] = x[size_t(i)];
  }
  return y;
}

std::vector<float> numbers(size_t count, uint32_t factor) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = float(int(i * factor % 33) - 16) / 8;
  return values;
}

struct Draw {
  int64_t batch = 1, groups = 1, group_in = 1, group_out = 1;
  std::array<int64_t, 3> in{}, kernel{}, stride{1, 1, 1}, dilation{1, 1, 1};
  std::array<int64_t, 6> pad{};

  int64_t channels_in() const { return groups * group_in; }
  int64_t channels_out() const { return groups * group_out; }
  int64_t cells() const { return in[0] * in[1] * in[2]; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t out(size_t axis) const {
    const int64_t reach = (kernel[axis] - 1) * dilation[axis] + 1;
    return (in[axis] + pad[2 * axis] + pad[2 * axis + 1] - reach) / stride[axis] + 1;
  }
  int64_t pixels() const { return out(0) * out(1) * out(2); }
};

std::ostream& operator<<(std::ostream& to, const Draw& d) {
  to << d.groups << " groups of " << d.group_in << " to " << d.group_out << ", batch " << d.batch;
  for (size_t axis = 0; axis < 3; ++axis)
    to << ", in " << d.in[axis] << " kernel " << d.kernel[axis] << " stride " << d.stride[axis]
       << " dilation " << d.dilation[axis] << " pad " << d.pad[2 * axis] << " " << d.pad[2 * axis + 1];
  return to;
}

Draw draw(uint32_t seed) {
  std::mt19937 engine(seed);
  const auto between = [&](int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  };
  Draw d;
  d.batch = between(1, 2);
  d.groups = between(1, 4) == 1 ? between(2, 3) : 1;
  d.group_in = between(1, 4);
  d.group_out = between(1, 12);
  for (size_t axis = 0; axis < 3; ++axis) {
    d.kernel[axis] = between(1, 4);
    d.dilation[axis] = between(1, 4) == 1 ? 2 : 1;
    d.stride[axis] = between(1, axis == 0 ? 3 : 8) == 1 ? 2 : 1;
    const int64_t reach = (d.kernel[axis] - 1) * d.dilation[axis] + 1;
    d.pad[2 * axis] = between(0, 2);
    d.pad[2 * axis + 1] = between(0, 2);
    d.in[axis] = between(reach, axis == 2 ? 40 : 8);
  }
  return d;
}

// Sums of products of small multiples of 1/8 are exact.
std::vector<float> convolved(const Draw& d, const std::vector<float>& x, const std::vector<float>& w) {
  std::vector<float> y;
  const auto at = [&](int64_t image, int64_t channel, const std::array<int64_t, 3>& cell) {
    int64_t index = image * d.channels_in() + channel;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (cell[axis] < 0 || cell[axis] >= d.in[axis]) return 0.0f;
      index = index * d.in[axis] + cell[axis];
    }
    return x[size_t(index)];
  };
  for (int64_t i = 0; i < d.batch * d.channels_out() * d.pixels(); ++i) {
    const int64_t pixel = i % d.pixels(), out = i / d.pixels() % d.channels_out();
    const std::array<int64_t, 3> to{pixel / d.out(2) / d.out(1), pixel / d.out(2) % d.out(1),
                                    pixel % d.out(2)};
    float sum = 0;
    for (int64_t k = 0; k < d.taps() * d.group_in; ++k) {
      const int64_t tap = k / d.group_in;
      std::array<int64_t, 3> cell{tap / d.kernel[2] / d.kernel[1], tap / d.kernel[2] % d.kernel[1],
                                  tap % d.kernel[2]};
      for (size_t axis = 0; axis < 3; ++axis)
        cell[axis] = to[axis] * d.stride[axis] - d.pad[2 * axis] + cell[axis] * d.dilation[axis];
      sum += at(i / d.pixels() / d.channels_out(), out / d.group_out * d.group_in + k % d.group_in, cell) *
             w[size_t(out * d.taps() * d.group_in + k)];
    }
    y.push_back(sum);
  }
  return y;
}

template <typename T, typename Bias>
std::vector<T> conv3d(const Draw& d, Format format, const std::vector<T>& x, const std::vector<T>& w,
                      const std::vector<Bias>& bias, const std::array<Quant, 3>& quants = {}) {
  const bool last = format == Format::nhwc;
  const auto shape = [&](int64_t channels, std::array<int64_t, 3> cells) -> Shape {
    if (last) return {d.batch, cells[0], cells[1], cells[2], channels};
    return {d.batch, channels, cells[0], cells[1], cells[2]};
  };
  NodeMaker node(Op::conv3d);
  node.integer(Attr::stride, d.stride).integer(Attr::dilation, d.dilation).integer(Attr::pad, d.pad);
  node.integer(Attr::group, {double(d.groups)});
  return node
      .input(shape(d.channels_in(), d.in), last ? channels_last(x, d.batch, d.channels_in()) : x, quants[0],
             format)
      .input({d.channels_out(), d.kernel[0], d.kernel[1], d.kernel[2], d.group_in}, w, quants[1])
      .input({d.channels_out()}, bias)
      .output(kDTypeOf<T>, shape(d.channels_out(), {d.out(0), d.out(1), d.out(2)}), quants[2])
      .template run_for<T>();
}

constexpr Isa kLimits[] = {Isa::baseline, Isa::avx2, Isa::avx512};

class Conv3dOfDraws : public testing::TestWithParam<uint32_t> {};

TEST_P(Conv3dOfDraws, IsExact) {
  const Draw d = draw(GetParam());
  const auto x = numbers(size_t(d.batch * d.channels_in() * d.cells()), 7);
  const auto w = numbers(size_t(d.channels_out() * d.taps() * d.group_in), 5);
  const std::vector<float> bias(size_t(d.channels_out()), 0.0f);
  const std::vector<float> want = convolved(d, x, w);
  for (const Isa isa : kLimits) {
    const IsaLimit limit(isa);
    EXPECT_EQ(conv3d(d, Format::nchw, x, w, bias), want) << d;
  }
}

TEST_P(Conv3dOfDraws, IsTheSameInBothLayouts) {
  const Draw d = draw(1000 + GetParam());
  std::vector<Half> x, w, bias;
  std::vector<int8_t> codes, weights;
  std::vector<int32_t> biases;
  for (const float value : numbers(size_t(d.batch * d.channels_in() * d.cells()), 7)) {
    x.push_back(to_half(value));
    codes.push_back(int8_t(value * 60));
  }
  for (const float value : numbers(size_t(d.channels_out() * d.taps() * d.group_in), 5)) {
    w.push_back(to_half(value));
    weights.push_back(int8_t(value * 60));
  }
  Quant of_weights;
  for (const float value : numbers(size_t(d.channels_out()), 3)) {
    bias.push_back(to_half(value));
    biases.push_back(int32_t(value * 1000));
    of_weights.scales.push_back(0.5);
    of_weights.zero_points.push_back(int32_t(value));
  }
  const std::array<Quant, 3> quants{Quant{.scales = {0.25}, .zero_points = {-7}}, of_weights,
                                    Quant{.scales = {256}, .zero_points = {5}}};
  for (const Isa isa : kLimits) {
    const IsaLimit limit(isa);
    EXPECT_EQ(test::floats(channels_last(conv3d(d, Format::nchw, x, w, bias), d.batch, d.channels_out())),
              test::floats(conv3d(d, Format::nhwc, x, w, bias)))
        << d;
    EXPECT_EQ(
        channels_last(conv3d(d, Format::nchw, codes, weights, biases, quants), d.batch, d.channels_out()),
        conv3d(d, Format::nhwc, codes, weights, biases, quants))
        << d;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Conv3dOfDraws, testing::Range(0u, 60u));

// The padded input is processed in several parts.
TEST(Conv3d, SplitsLargeInputs) {
  const Draw d{
      .group_in = 40, .group_out = 2, .in = {6, 150, 150}, .kernel = {3, 3, 3}, .pad = {1, 1, 1, 1, 1, 1}};
  const auto x = numbers(size_t(d.channels_in() * d.cells()), 7);
  const auto w = numbers(size_t(d.channels_out() * d.taps() * d.group_in), 5), bias = numbers(2, 3);
  EXPECT_EQ(channels_last(conv3d(d, Format::nchw, x, w, bias), 1, 2), conv3d(d, Format::nhwc, x, w, bias));
}

}  // namespace
}  // namespace nnrt::cpu
