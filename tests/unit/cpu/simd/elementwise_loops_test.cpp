#include "backends/cpu/simd/elementwise_loops.h"

#include "backends/cpu/simd/isa.h"
#include "core/graph/graph.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace nnrt::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Function {
  const char* name;
  Op op;
  double (*exact)(double);
  float last = 87;            // compared on [-last, last]
  float at_infinity[2] = {};  // at -infinity, infinity
};
std::ostream& operator<<(std::ostream& out, const Function& f) { return out << f.name; }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class FloatLoop : public testing::TestWithParam<Function> {
 protected:
  std::vector<float> values_of(const std::vector<float>& x) const {
    std::vector<float> y(x.size());
    float_loop(GetParam().op, Attrs(), x.data(), y.data(), int64_t(x.size()));
    return y;
  }
};

TEST_P(FloatLoop, IsWithinAFewUlpAtEveryWidth) {
  std::vector<float> x;
  const float last = GetParam().last;
  for (int i = -20011; i <= 20011; ++i) x.push_back(float(i) / 20011 * last);
  for (int i = -2003; i <= 2003; ++i) x.push_back(float(i) / 2003);
  for (float small = 1e-3f; small > 1e-38f; small *= 0.37f)
    for (const float sign : {-1.0f, 1.0f}) x.push_back(sign * small);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    const IsaLimit limit(isa);
    const std::vector<float> y = values_of(x);
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = GetParam().exact(double(x[i]));
      ASSERT_NEAR(double(y[i]), want, 3e-7 * std::abs(want) + 1e-38) << x[i];
    }
  }
}

TEST_P(FloatLoop, HandlesInfinitiesAndNan) {
  const float with_payload = std::bit_cast<float>(0x7fc00001);
  const std::vector<float> x{-kInfinity, kInfinity, with_payload, -with_payload, -1e30f, 1e30f};
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    const IsaLimit limit(isa);
    std::vector<float> many;
    for (int i = 0; i < 5; ++i) many.insert(many.end(), x.begin(), x.end());
    const std::vector<float> y = values_of(many);
    for (size_t i = 0; i < y.size(); i += x.size()) {
      for (size_t sign = 0; sign < 2; ++sign) {
        const float want = GetParam().at_infinity[sign];
        if (std::isnan(want)) {
          EXPECT_TRUE(std::isnan(y[i + sign]));
        } else {
          EXPECT_EQ(y[i + sign], want);
        }
        EXPECT_TRUE(std::isnan(y[i + 2 + sign]));
        EXPECT_EQ(y[i + 4 + sign], float(GetParam().exact(double(x[4 + sign])))) << x[4 + sign];
      }
    }
  }
}

const Function kFunctions[] = {
    {"Exp", Op::exp, [](double x) { return std::exp(x); }, 87, {0, kInfinity}},
    {"Sigmoid", Op::sigmoid, sigmoid, 87, {0, 1}},
    // -infinity * 0 is NaN.
    {"Swish", Op::swish, [](double x) { return x * sigmoid(x); }, 80, {std::nanf(""), kInfinity}},
    {"Tanh", Op::tanh, [](double x) { return std::tanh(x); }, 87, {-1, 1}},
};

INSTANTIATE_TEST_SUITE_P(Functions, FloatLoop, testing::ValuesIn(kFunctions),
                         [](const auto& f) { return f.param.name; });

}  // namespace
}  // namespace nnrt::cpu
