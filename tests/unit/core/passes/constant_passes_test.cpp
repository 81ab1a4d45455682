#include "core/passes/constant_passes.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

GraphPtr sum_of_constants() {
  test::GraphMaker make;
  const TensorId sum = make.op(Op::add, {make.floats({3}, {1, 2, 3}), make.floats({1}, {10})}, {3});
  return make.finish({make.op(Op::mul, {make.input({3}), sum}, {3})});
}

// Computes only the sum above.
Result<std::vector<Bytes>> three_floats(const GraphPtr&) { return std::vector<Bytes>{Bytes(12)}; }

struct Folded {
  size_t nodes = 0;
  std::vector<PassChoice> passes;
};

Folded folded(const ConstantContext& context) {
  Folded folded;
  folded.nodes = run_constant_passes(sum_of_constants(), context, folded.passes).value()->nodes.size();
  return folded;
}

TEST(ConstantPasses, RunWithEvaluator) {
  const Evaluate evaluate = three_floats;
  const Folded done = folded({.evaluate = &evaluate});
  EXPECT_EQ(done.nodes, 1u);
  ASSERT_EQ(done.passes.size(), 2u);
  EXPECT_EQ(done.passes[1].name, "fold_constants");
  EXPECT_EQ(done.passes[1].why_not, "");
}

TEST(ConstantPasses, SayWhyTheyDoNotRun) {
  const Evaluate evaluate = three_floats;
  EXPECT_EQ(folded({}).nodes, 2u);
  EXPECT_EQ(folded({}).passes[1].why_not, "There is no CPU device to compute constants.");
  EXPECT_EQ(folded({.is_for_plugin = true}).passes[0].why_not,
            "Plugins get the client's original operations.");
  KernelSwitch kernels;
  kernels.forbid("fold_constants");
  const Folded forbidden = folded({.evaluate = &evaluate, .of_cpu = kernels});
  EXPECT_EQ(forbidden.nodes, 2u);
  EXPECT_EQ(forbidden.passes[0].why_not, "");
  EXPECT_EQ(forbidden.passes[1].why_not, "It is forbidden by name.");
  EXPECT_EQ(constant_pass_names(), (std::vector<std::string_view>{"gather_quantized", "fold_constants"}));
}

}  // namespace
}  // namespace nnrt
