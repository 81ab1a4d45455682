// Post-ops of GEMMs and convolutions against separate operators.
#include "tests/support/node_maker.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

std::vector<float> values(size_t count, size_t seed) {
  std::vector<float> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = float(int((i * 29 + seed * 17) % 61) - 30) / 16;
  return result;
}

// A node with `count` results, without post-ops.
struct Lead {
  const char* name;
  NodeMaker (*make)();
  Shape result;
};
NodeMaker convolution() {
  NodeMaker maker(Op::conv2d);
  maker.integer(Attr::pad, {1, 1, 1, 1}).input<float>({1, 7, 11, 5}, values(385, 1));
  maker.input<float>({37, 3, 3, 5}, values(1665, 2)).input<float>({37}, values(37, 3));
  return maker;
}
NodeMaker pixel() {
  NodeMaker maker(Op::conv2d);
  maker.input<float>({1, 1, 1, 9}, values(9, 1)).input<float>({421, 1, 1, 9}, values(3789, 2));
  maker.input<float>({421}, values(421, 3));
  return maker;
}

NodeMaker depthwise_convolution() {
  NodeMaker maker(Op::depthwise_conv2d_native);
  maker.integer(Attr::pad, {1, 1, 1, 1}).input<float>({1, 7, 11, 19}, values(1463, 1));
  maker.input<float>({19, 3, 3, 1}, values(171, 2)).input<float>({19}, values(19, 3));
  return maker;
}
NodeMaker grouped_convolution() {
  NodeMaker maker(Op::conv2d);
  maker.integer(Attr::pad, {1, 1, 1, 1})
      .integer(Attr::group, {6})
      .input<float>({1, 7, 11, 18}, values(1386, 1));
  maker.input<float>({24, 3, 3, 3}, values(648, 2)).input<float>({24}, values(24, 3));
  return maker;
}
NodeMaker row() {
  NodeMaker maker(Op::full_connection);
  maker.input<float>({1, 53}, values(53, 1)).input<float>({41, 53}, values(2173, 2));
  maker.input<float>({41}, values(41, 3));
  return maker;
}
NodeMaker matrices() {
  NodeMaker maker(Op::matmul);
  maker.input<float>({3, 13, 17}, values(663, 1)).input<float>({3, 17, 35}, values(1785, 2));
  return maker;
}
const Lead kLeads[] = {{"Convolution", convolution, {1, 7, 11, 37}},
                       {"Pixel", pixel, {1, 1, 1, 421}},
                       {"Depthwise", depthwise_convolution, {1, 7, 11, 19}},
                       {"Groups", grouped_convolution, {1, 7, 11, 24}},
                       {"Row", row, {1, 41}},
                       {"Matrices", matrices, {3, 13, 35}}};

class Steps : public testing::TestWithParam<Lead> {
 protected:
  size_t count() const { return size_t(*element_count(GetParam().result)); }
  std::vector<float> alone() const {
    return GetParam().make().output(DType::f32, GetParam().result).run_for<float>();
  }
  std::vector<float> other() const { return values(count(), 5); }
};

TEST_P(Steps, AddsAResidualAndClampsIt) {
  std::vector<float> want = alone();
  for (size_t i = 0; i < want.size(); ++i) want[i] = std::max(0.0f, want[i] + other()[i]);
  auto maker =
      GetParam().make().input<float>(GetParam().result, other()).post_ops(Op::add, true).post_ops(Op::relu);
  test::expect_near(maker.output(DType::f32, GetParam().result).run_for<float>(), want, 1e-5f);
}

TEST_P(Steps, ComputesActivations) {
  for (const Op op :
       {Op::relu, Op::relu6, Op::hswish, Op::sigmoid, Op::hard_sigmoid, Op::swish, Op::tanh, Op::gelu}) {
    const auto want = NodeMaker(op)
                          .input<float>(GetParam().result, alone())
                          .output(DType::f32, GetParam().result)
                          .run_for<float>();
    auto maker = GetParam().make().post_ops(op);
    test::expect_near(maker.output(DType::f32, GetParam().result).run_for<float>(), want, 1e-5f);
  }
}

TEST_P(Steps, FollowEachOther) {
  std::vector<float> want = alone();
  for (size_t i = 0; i < want.size(); ++i) {
    const float gate = 1 / (1 + std::exp(-want[i]));
    want[i] = gate * other()[i] + other()[i];
  }
  auto maker = GetParam().make().post_ops(Op::sigmoid).input<float>(GetParam().result, other());
  maker.post_ops(Op::mul, true).input<float>(GetParam().result, other()).post_ops(Op::add, true);
  test::expect_near(maker.output(DType::f32, GetParam().result).run_for<float>(), want, 1e-5f);
}

INSTANTIATE_TEST_SUITE_P(Leads, Steps, testing::ValuesIn(kLeads),
                         [](const auto& lead) { return std::string(lead.param.name); });

}  // namespace
}  // namespace nnrt::cpu
