#include "tests/support/node_maker.h"

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

std::vector<float> rotated(bool interleaved, const Shape& angles, const std::vector<float>& cos,
                           const std::vector<float>& sin) {
  return NodeMaker(Op::rotary_embedding)
      .integer(Attr::interleaved, {double(interleaved)})
      .input<float>({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
      .input(angles, cos)
      .input(angles, sin)
      .output(DType::f32, {2, 5})
      .run_for<float>();
}

TEST(RotaryEmbedding, TurnsPairsAndKeepsTheRest) {
  test::expect_near(rotated(false, {1, 2}, {1, 2}, {0, 1}), {1, 0, 3, 10, 5, 6, 5, 8, 25, 10});
  test::expect_near(rotated(true, {1, 2}, {1, 2}, {0, 1}), {1, 2, 2, 11, 5, 6, 7, 7, 26, 10});
}

TEST(RotaryEmbedding, HasAnglesForEachRow) {
  test::expect_near(rotated(false, {2, 1}, {1, 0}, {0, 1}), {1, 2, 3, 4, 5, -7, 6, 8, 9, 10});
}

}  // namespace
}  // namespace nnrt::cpu
