#include "core/passes/fold_constants.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/check_rewrite.h"
#include "core/runtime/evaluate_node.h"
#include "tests/support/graph_maker.h"
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using test::floats_of;
using test::GraphMaker;
using test::text_of;

class FoldConstantsTest : public testing::Test {
 protected:
  Graph folded(const GraphPtr& graph) {
    return *fold_constants(graph, [&](const GraphPtr& node) {
      ++evaluated_;
      return evaluate(*cpu_, node);
    });
  }

  std::shared_ptr<Device> cpu_ = cpu::make_device();
  int evaluated_ = 0;
};

TEST_F(FoldConstantsTest, FoldsConstantSubgraphs) {
  GraphMaker make;
  const TensorId sum = make.op(Op::add, {make.floats({3}, {1, 2, 3}), make.floats({1}, {10})}, {3});
  const TensorId less = make.op(Op::neg, {sum}, {3});
  const TensorId x = make.input({2, 3});
  const GraphPtr graph = make.finish({make.op(Op::mul, {x, less}, {2, 3})});
  const Graph result = folded(graph);
  ASSERT_EQ(text_of(result), "MUL");
  EXPECT_EQ(floats_of(result, result.nodes[0].inputs[1]), (std::vector<float>{-11, -12, -13}));
  EXPECT_EQ(result.nodes[0].position, 2u);
  EXPECT_EQ(evaluated_, 2);
  EXPECT_TRUE(find_fault("fold_constants", *graph, result).ok());
}

TEST_F(FoldConstantsTest, KeepsGraphOutputs) {
  GraphMaker make;
  const TensorId y = make.op(Op::neg, {make.floats({2}, {1, 2})}, {2});
  const TensorId z = make.op(Op::abs, {y}, {2});
  EXPECT_EQ(text_of(folded(make.finish({y, make.op(Op::add, {z, make.input({2})}, {2})}))), "NEG ABS ADD");
}

// 128 KiB of ones from one number; the limit is 64 KiB.
TEST_F(FoldConstantsTest, KeepsNodesThatExpand) {
  for (const auto& [columns, text] : {std::pair<int64_t, std::string>{1000, "MUL"}, {32768, "FILL MUL"}}) {
    GraphMaker make;
    const TensorId shape = make.ints({int32_t(columns)});
    const TensorId ones = make.op(Op::fill, {make.floats({1}, {1}), shape}, {columns});
    const Graph result = folded(make.finish({make.op(Op::mul, {make.input({columns}), ones}, {columns})}));
    EXPECT_EQ(text_of(result), text);
  }
}

TEST_F(FoldConstantsTest, KeepsUnevaluableNodes) {
  GraphMaker make;
  const TensorId y = make.op(Op::neg, {make.floats({2}, {1, 2})}, {2});
  const GraphPtr graph = make.finish({make.op(Op::add, {make.input({2}), y}, {2})});
  const Graph result = *fold_constants(graph, [](const GraphPtr&) -> Result<std::vector<Bytes>> {
    return Error{Code::memory, "There is no memory."};
  });
  EXPECT_EQ(text_of(result), "NEG ADD");
}

}  // namespace
}  // namespace nnrt
