#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> wave(int64_t count, float scale, float shift) {
  std::vector<float> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(scale * float((i * 37 % 101) - 50) + shift);
  return all;
}

struct Quantized {
  std::vector<int8_t> codes;
  float scale = 0;
  int32_t zero_point = 0;

  bool operator==(const Quantized&) const = default;
};

// The formula of the specification; NaN is left out.
Quantized by_formula(const std::vector<float>& x) {
  float low = 0, high = 0;
  for (const float value : x) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  const auto clamped = [](float code) {
    return std::isnan(code) ? 0 : int32_t(std::clamp(code, 0.0f, 255.0f));
  };
  Quantized made;
  made.scale = (high - low) / 255.0f;
  if (made.scale == 0) made.scale = 1;
  const int32_t zero = clamped(std::nearbyint(-low / made.scale));
  made.zero_point = zero - 128;
  for (const float value : x)
    made.codes.push_back(int8_t(clamped(std::nearbyint(value / made.scale) + float(zero)) - 128));
  return made;
}

Quantized quantized(const std::vector<float>& x) {
  const Shape shape{int64_t(x.size())};
  NodeMaker node(Op::dynamic_quantize);
  node.input(shape, x).output(DType::i8, shape).output(DType::f32, {}).output(DType::i32, {});
  if (!node.run()) return {};
  return {node.result<int8_t>(0), node.result<float>(1)[0], node.result<int32_t>(2)[0]};
}

TEST(DynamicQuantize, FollowsItsFormulaAtEveryWidth) {
  std::vector<std::vector<float>> inputs{
      wave(200, 0.037f, 0.0f), wave(200, 0.01f, 2),    wave(200, 0.01f, -2),   wave(200, 0, 0.0f),
      wave(200, 0, -0.0f),     wave(70, 1e-42f, 0.0f), wave(200, 3e36f, 0.0f), {-0.75f}};
  std::vector<float> halves;
  for (int i = -255; i <= 255; ++i) halves.push_back(float(i) / 2);  // the scale is 1
  inputs.push_back(halves);
  for (const int64_t count : {1, 5, 63, 64, 65, 70001}) {
    inputs.push_back(wave(count, 0.01f, 0.003f));
    inputs.back()[size_t(count / 2)] = 3;
    inputs.back().back() = -1.5f;
  }
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
    const IsaLimit limit(isa);
    for (const std::vector<float>& x : inputs) EXPECT_EQ(quantized(x), by_formula(x)) << x.size();
  }
}

TEST(DynamicQuantize, TheRangeExcludesNan) {
  std::vector<float> x = wave(200, 0.02f, 0.1f);
  for (size_t i = 0; i < x.size(); i += 3) x[i] = kNan;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
    const IsaLimit limit(isa);
    EXPECT_EQ(quantized(x), by_formula(x));
    EXPECT_EQ(quantized(std::vector<float>(9, kNan)).scale, 1);
  }
}

TEST(DynamicQuantize, InfiniteRangesHaveCodes) {
  std::vector<float> x = wave(200, 0.02f, 0.1f);
  x[1] = kInfinity;
  x.back() = -kInfinity;
  EXPECT_EQ(quantized(x).scale, kInfinity);
  EXPECT_EQ(quantized(x).codes, std::vector<int8_t>(200, -128));
}

}  // namespace
}  // namespace nnrt::cpu
