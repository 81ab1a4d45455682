#include "core/passes/fuse.h"

#include "core/device/trace_node.h"
#include "core/schema/infer.h"
#include "tests/support/graph_maker.h"

#include <cstdlib>

namespace nnrt {
namespace {

using test::GraphMaker;

constexpr int kAddActivation = 1;  // OH_NN_ADD_ACTIVATIONTYPE

const FuseRules kAll{[](const Graph&, const Node&) { return true; }};

Graph fused(const GraphPtr& graph, const FuseRules& rules = kAll) { return fuse(*graph, rules); }

// "ABS+ADD+RELU EXP".
std::string text_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    if (!text.empty()) text += ' ';
    text += std::string(short_name(node.op)) + trace::post_op_names(node);
  }
  return text;
}

TEST(Fuse, MakesAChainOfUnaryNodesOne) {
  GraphMaker make;
  const TensorId x = make.input({3, 5});
  const TensorId a = make.op(Op::abs, {x}, {3, 5});
  const TensorId b = make.op(Op::exp, {a}, {3, 5});
  const TensorId c = make.op(Op::tanh, {b}, {3, 5});
  const Graph graph = fused(make.finish({c}));
  EXPECT_EQ(text_of(graph), "ABS+EXP+TANH");
  EXPECT_EQ(graph.nodes[0].inputs, std::vector<TensorId>{x});
  EXPECT_EQ(graph.nodes[0].outputs, std::vector<TensorId>{c});
  EXPECT_EQ(graph.nodes[0].position, 0u);
  EXPECT_EQ(graph.nodes[0].fused_positions, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(graph.nodes[0].post_ops[0].attrs.real(Attr::base), -1);
}

TEST(Fuse, MakesAnActivationAStepOfItsOwn) {
  GraphMaker make;
  const TensorId x = make.input({3, 5}), y = make.input({3, 5});
  const TensorId relu6 = make.parameter<int8_t>(kAddActivation, DType::i8, {2});
  const TensorId a = make.op(Op::abs, {x}, {3, 5});
  const Graph graph = fused(make.finish({make.op(Op::add, {a, y}, {3, 5}, {relu6})}));
  EXPECT_EQ(text_of(graph), "ABS+ADD+RELU6");
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.post_ops[0].attrs.integer(Attr::activation), 0);
  EXPECT_EQ(node.post_ops[0].other, 1u);
  EXPECT_FALSE(node.post_ops[0].swapped);
  EXPECT_FALSE(node.post_ops[1].other);
  EXPECT_EQ(node.inputs, (std::vector<TensorId>{x, y}));
  EXPECT_EQ(node.own_inputs(), 1u);
}

TEST(Fuse, RecordsSwappedOperand) {
  GraphMaker make;
  const TensorId x = make.input({3, 5}), y = make.input({3, 5});
  const TensorId a = make.op(Op::abs, {x}, {3, 5});
  const Graph graph = fused(make.finish({make.op(Op::sub, {y, a}, {3, 5})}));
  ASSERT_EQ(text_of(graph), "ABS+SUB");
  EXPECT_TRUE(graph.nodes[0].post_ops[0].swapped);
}

// Both operands of the sum are computed before it, the second one last.
TEST(Fuse, PlacesNodeAfterOperands) {
  GraphMaker make;
  const TensorId x = make.input({3, 5});
  const TensorId a = make.op(Op::abs, {x}, {3, 5});
  const TensorId b = make.op(Op::exp, {x}, {3, 5});
  const TensorId both = make.op(Op::add, {a, b}, {3, 5});
  const Graph graph = fused(make.finish({both}));
  ASSERT_EQ(text_of(graph), "EXP ABS+ADD");
  EXPECT_EQ(graph.nodes[1].inputs, (std::vector<TensorId>{x, b}));
  EXPECT_EQ(graph.nodes[1].position, 0u);
}

TEST(Fuse, TriesBothOperands) {
  GraphMaker make;
  const TensorId x = make.input({3, 5});
  const TensorId a = make.op(Op::abs, {x}, {3, 5});
  const TensorId b = make.op(Op::exp, {x}, {3, 5});
  const GraphPtr graph = make.finish({make.op(Op::sub, {a, b}, {3, 5})});
  const FuseRules behind_exp{[](const Graph&, const Node& node) { return node.op == Op::exp; }};
  const Graph result = fused(graph, behind_exp);
  EXPECT_EQ(text_of(result), "ABS EXP+SUB");
  EXPECT_TRUE(result.nodes[1].post_ops[0].swapped);
}

TEST(Fuse, RespectsDeviceRules) {
  GraphMaker make;
  const TensorId x = make.input({3, 5});
  const TensorId a = make.op(Op::abs, {x}, {3, 5});
  const TensorId b = make.op(Op::exp, {a}, {3, 5});
  const GraphPtr graph = make.finish({make.op(Op::tanh, {b}, {3, 5})});
  EXPECT_EQ(text_of(fused(graph, {[](const Graph&, const Node& node) { return node.post_ops.size() < 2; }})),
            "ABS+EXP TANH");
  EXPECT_EQ(text_of(fused(graph, {[](const Graph&, const Node&) { return false; }})), "ABS EXP TANH");
}

TEST(Fuse, KeepsSharedResults) {
  GraphMaker make;
  const TensorId x = make.input({3, 5});
  const TensorId a = make.op(Op::abs, {x}, {3, 5});
  const TensorId b = make.op(Op::exp, {a}, {3, 5});
  const TensorId c = make.op(Op::tanh, {a}, {3, 5});
  EXPECT_EQ(text_of(fused(make.finish({b, c}))), "ABS EXP TANH");
}

TEST(Fuse, KeepsDoublyReadResults) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input({3, 5})}, {3, 5});
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::mul, {a, a}, {3, 5})}))), "ABS MUL");
}

TEST(Fuse, KeepsAnOutputOfTheGraph) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input({3, 5})}, {3, 5});
  EXPECT_EQ(text_of(fused(make.finish({a, make.op(Op::exp, {a}, {3, 5})}))), "ABS EXP");
}

TEST(Fuse, KeepsBroadcastResults) {
  GraphMaker make;
  const TensorId x = make.input({3, 1}), y = make.input({3, 5});
  const TensorId a = make.op(Op::abs, {x}, {3, 1});
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::add, {a, y}, {3, 5})}))), "ABS ADD");
  GraphMaker ranks;
  const TensorId b = ranks.op(Op::abs, {ranks.input({5})}, {5});
  EXPECT_EQ(text_of(fused(ranks.finish({ranks.op(Op::add, {b, ranks.input({1, 5})}, {1, 5})}))), "ABS ADD");
}

TEST(Fuse, FusesBroadcastOperands) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input({3, 5})}, {3, 5});
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::add, {a, make.input({5})}, {3, 5})}))), "ABS+ADD");
}

// A run may bind one -1 to 1 and the other to more.
TEST(Fuse, KeepsPossiblyBroadcastResults) {
  GraphMaker make;
  const TensorId x = make.input({-1, 5}), y = make.input({-1, 5});
  const TensorId a = make.op(Op::abs, {x}, {-1, 5});
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::add, {a, y}, {-1, 5})}))), "ABS ADD");
}

// Both sides have the same batch, whatever it is.
TEST(Fuse, FusesSumWithUnknownDimension) {
  GraphMaker make;
  const TensorId x = make.input({-1, 5});
  const TensorId a = make.op(Op::matmul, {x, make.floats({5, 3}, std::vector<float>(15))}, {-1, 3});
  const TensorId b = make.op(Op::matmul, {a, make.floats({3, 5}, std::vector<float>(15))}, {-1, 5});
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::add, {b, x}, {-1, 5})}))), "MATMUL MATMUL+ADD");
}

// Half of 5 rows has another length than half of 6.
TEST(Fuse, KeepsSumsOfUnknownDimensions) {
  GraphMaker make;
  const TensorId x = make.input({1, -1, 4, 1}, DType::f32, Format::nhwc);
  const TensorId stride = make.parameter<int64_t>(37, DType::i64, {2, 2}),
                 one = make.parameter<int64_t>(36, DType::i64, {1, 1}),
                 same = make.parameter<int8_t>(39, DType::i8, {0}),
                 valid = make.parameter<int8_t>(39, DType::i8, {1});
  const TensorId a = make.op(Op::max_pool, {x}, {1, -1, 2, 1}, {stride, one, same}, DType::f32, Format::nhwc);
  const TensorId two = make.parameter<int64_t>(36, DType::i64, {2, 2});
  const TensorId b =
      make.op(Op::max_pool, {x}, {1, -1, 2, 1}, {stride, two, valid}, DType::f32, Format::nhwc);
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::add, {a, b}, {1, -1, 2, 1})}))), "MAX_POOL MAX_POOL ADD");
}

TEST(Fuse, TakesConstantsBesideUnknownDimensions) {
  GraphMaker make;
  const TensorId x = make.input({-1, 5}), y = make.input({-1, 5});
  const TensorId a = make.op(Op::abs, {x}, {-1, 5});
  const TensorId b = make.op(Op::mul, {a, make.floats({5}, {1, 2, 3, 4, 5})}, {-1, 5});
  const TensorId c = make.op(Op::exp, {b}, {-1, 5});
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::add, {c, y}, {-1, 5})}))), "ABS+MUL+EXP ADD");
  GraphMaker wide;
  const TensorId d = wide.op(Op::abs, {wide.input({-1})}, {-1});
  EXPECT_EQ(text_of(fused(wide.finish({wide.op(Op::add, {d, wide.floats({2}, {1, 2})}, {2})}))), "ABS ADD");
}

TEST(Fuse, KeepsIntegersAndMixedTypes) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input({5}, DType::i32)}, {5}, {}, DType::i32);
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::neg, {a}, {5}, {}, DType::i32)}))), "ABS NEG");
  GraphMaker mixed;
  const TensorId b = mixed.op(Op::abs, {mixed.input({5}, DType::f16)}, {5}, {}, DType::f16);
  EXPECT_EQ(text_of(fused(mixed.finish({mixed.op(Op::add, {b, mixed.input({5})}, {5})}))), "ABS ADD");
}

TEST(Fuse, KeepsQuantizedTensors) {
  GraphMaker make;
  const auto quantized = [&] {
    Tensor tensor;
    tensor.dtype = DType::i8;
    tensor.shape = {5};
    tensor.quant = {{0.5}, {3}};
    EXPECT_TRUE(make.builder().add_tensor(tensor).ok());
    return TensorId(make.builder().tensor_count() - 1);
  };
  const TensorId x = quantized(), y = quantized(), z = quantized();
  for (const auto& [op, in, out] : {std::tuple{Op::sigmoid, x, y}, std::tuple{Op::relu, y, z}}) {
    EXPECT_TRUE(make.builder().add_operation(int(op), {}, std::vector{in}, std::vector{out}).ok());
  }
  EXPECT_TRUE(make.builder().specify(std::vector{x}, std::vector{z}).ok());
  ASSERT_TRUE(make.builder().finish().ok());
  EXPECT_EQ(text_of(fused(make.builder().graph())), "SIGMOID RELU");
}

TEST(Fuse, KeepsOtherOperators) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input({3, 5})}, {3, 5});
  const TensorId b = make.op(Op::transpose, {a, make.ints({1, 0})}, {5, 3});
  EXPECT_EQ(text_of(fused(make.finish({make.op(Op::exp, {b}, {5, 3})}))), "ABS TRANSPOSE+EXP");
}

TEST(Fuse, KeepsInvalidNodes) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input({3, 5})}, {3, 5});
  Graph graph = *make.finish({make.op(Op::exp, {a}, {3, 5})});
  for (const NodeId wrong : {0u, 1u}) {
    Graph changed = graph;
    changed.nodes[wrong].diagnosis = Error{Code::invalid_parameter, "It makes no sense."};
    EXPECT_EQ(text_of(fuse(changed, kAll)), "ABS EXP");
  }
}

TEST(Fuse, CanBeDisabled) {
  GraphMaker make;
  const TensorId a = make.op(Op::abs, {make.input({3, 5})}, {3, 5});
  const GraphPtr graph = make.finish({make.op(Op::exp, {a}, {3, 5})});
  ASSERT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
  EXPECT_EQ(text_of(fused(graph)), "ABS EXP");
  ASSERT_EQ(unsetenv("NNRT_TEST_FUSE"), 0);
  EXPECT_EQ(text_of(fused(graph)), "ABS+EXP");
}

TEST(Fuse, CutsALongChain) {
  GraphMaker make;
  TensorId x = make.input({3, 5});
  constexpr size_t kNodes = 3 * kMaxPostOps;
  for (size_t i = 0; i < kNodes; ++i) x = make.op(Op::abs, {x}, {3, 5});
  const Graph graph = fused(make.finish({x}));
  size_t nodes = 0;
  for (const Node& node : graph.nodes) {
    EXPECT_LE(node.post_ops.size(), kMaxPostOps);
    nodes += 1 + node.post_ops.size();
  }
  EXPECT_EQ(nodes, kNodes);
  EXPECT_EQ(graph.nodes.size(), 3u);
}

TEST(Fuse, KeepsDeclinedNodes) {
  GraphMaker make;
  const TensorId x = make.input({3, 5}), y = make.input({3, 5});
  const TensorId relu6 = make.parameter<int8_t>(kAddActivation, DType::i8, {2});
  const TensorId a = make.op(Op::exp, {make.op(Op::abs, {x}, {3, 5})}, {3, 5});
  const GraphPtr graph = make.finish({make.op(Op::add, {a, y}, {3, 5}, {relu6})});
  const FuseRules unary{[](const Graph&, const Node& node) { return node.post_ops.back().op == Op::exp; }};
  const Graph result = fused(graph, unary);
  ASSERT_EQ(text_of(result), "ABS+EXP ADD");
  EXPECT_EQ(result.nodes[0].inputs, std::vector<TensorId>{x});
  EXPECT_EQ(result.nodes[0].outputs, std::vector<TensorId>{a});
  EXPECT_EQ(result.nodes[1].inputs, (std::vector<TensorId>{a, y}));
}

TEST(Fuse, LeavesShapesToBeInferred) {
  GraphMaker make;
  const TensorId x = make.input({-1, 5});
  const TensorId a = make.op(Op::matmul, {x, make.floats({5, 2}, std::vector<float>(10))}, {-1, 2});
  const TensorId b = make.op(Op::add, {a, make.floats({2}, {1, 2})}, {-1, 2});
  const Graph graph = fused(make.finish({b}));
  ASSERT_EQ(text_of(graph), "MATMUL+ADD");
  const auto shapes = infer_run(graph, std::vector<Shape>{{7, 5}}).value();
  EXPECT_EQ(shapes[b], (Shape{7, 2}));
}

}  // namespace
}  // namespace nnrt
