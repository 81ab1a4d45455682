#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <cmath>
#include <limits>
#include <vector>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

// Every combination of enlarged, reduced and kept dimensions, at every vector length.
TEST(Resize, CopiesTheNearestElement) {
  const Shape in{2, 5, 6, 7};
  std::vector<float> x;
  for (int64_t i = 0; i < product(in, 0, 4); ++i) x.push_back(float(i));
  for (int mask = 0; mask < 81; ++mask) {
    constexpr int64_t kOther[][4] = {{2, 5, 6, 7}, {3, 11, 12, 17}, {1, 3, 4, 3}};
    Shape out(4);
    for (int d = 0, rest = mask; d < 4; ++d, rest /= 3) out[size_t(d)] = kOther[rest % 3][d];
    std::vector<float> want;
    const auto from = [&](size_t d, int64_t i) { return i * in[d] / out[d]; };
    for (int64_t a = 0; a < out[0]; ++a)
      for (int64_t b = 0; b < out[1]; ++b)
        for (int64_t c = 0; c < out[2]; ++c)
          for (int64_t d = 0; d < out[3]; ++d)
            want.push_back(
                x[size_t(((from(0, a) * in[1] + from(1, b)) * in[2] + from(2, c)) * in[3] + from(3, d))]);
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
      const IsaLimit limit(isa);
      const auto got =
          NodeMaker(Op::resize)
              .integer(Attr::mode, {0})
              .integer(Attr::coordinate_mode, {4})
              .integer(Attr::nearest_mode, {2})
              .input(in, x)
              .input<int32_t>({4}, {int32_t(out[0]), int32_t(out[1]), int32_t(out[2]), int32_t(out[3])})
              .output(DType::f32, out)
              .run_for<float>();
      EXPECT_EQ(got, want) << mask;
    }
  }
}

TEST(GridSample, NonFinitePointsStayInBounds) {
  for (const int mode : {0, 1, 2}) {
    for (const int padding : {0, 1, 2}) {
      const bool ran = NodeMaker(Op::grid_sample)
                           .integer(Attr::mode, {double(mode)})
                           .integer(Attr::padding_mode, {double(padding)})
                           .input<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6})
                           .input<float>({1, 1, 4, 2}, {kNan, 0, kInf, -kInf, 3e38f, -3e38f, 0, kNan})
                           .output(DType::f32, {1, 1, 4, 1})
                           .run();
      EXPECT_TRUE(ran);
    }
  }
}

}  // namespace
}  // namespace nnrt::cpu
