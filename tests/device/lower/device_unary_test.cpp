// Unary operators are close to the exact results over the full range of floats.
#include "tests/device/device_fixture.h"

#include <bit>
#include <cmath>
#include <limits>

namespace nnrt::test {
namespace {

// Floats of every exponent and both signs, with infinities and NaN: 2048 per power of two.
std::vector<float> floats_of_all_sizes() {
  std::vector<float> values;
  for (uint32_t i = 0; i < (1u << 20); ++i) values.push_back(std::bit_cast<float>(i << 12));
  return values;
}

std::vector<float> results_of(Op op, const std::vector<float>& values) {
  GraphMaker maker;
  const Shape shape{int64_t(values.size())};
  const auto model =
      make_device()->prepare(maker.finish({maker.op(op, {maker.input(shape)}, shape)}), {}).value();
  return floats_of(*model, {view_of<float>(shape, values)});
}

// The largest error in units of `bound`.
template <typename Exact, typename Bound>
double largest_error(Op op, const Exact& exact, const Bound& bound) {
  const std::vector<float> values = floats_of_all_sizes(), got = results_of(op, values);
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double want = exact(double(values[i]));
    EXPECT_EQ(std::isnan(got[i]), std::isnan(want)) << values[i];
    if (std::isnan(want) || double(got[i]) == want) continue;
    largest = std::max(largest, std::abs(double(got[i]) - want) / bound(double(values[i]), want));
  }
  return largest;
}

constexpr double kMinNormal = std::numeric_limits<float>::min();  // drivers may flush smaller results to 0

TEST(Unary, SigmoidIsWithinThreeUlps) {
  const auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto bound = [](double, double want) {
    const auto nearest = float(want);
    return kMinNormal + 3 * double(std::nextafter(nearest, 2.0f) - nearest);
  };
  EXPECT_LE(largest_error(Op::sigmoid, exact, bound), 1);
}

// Close to 0 and for large numbers it is as accurate as the argument.
TEST(Unary, GeluIsWithinHalfAMillionth) {
  const auto exact = [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); };
  const auto bound = [](double x, double) {
    return kMinNormal + std::min(4e-7, 5e-6 * std::abs(x)) + 6e-8 * std::max(x, 0.0);
  };
  EXPECT_LE(largest_error(Op::gelu, exact, bound), 1);
}

}  // namespace
}  // namespace nnrt::test
