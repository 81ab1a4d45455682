// Recognizes operators written out as arithmetic.
#include "tests/support/graph_maker.h"
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <cmath>
#include <limits>

namespace nnrt {
namespace {

using test::GraphMaker;
using test::text_of;

TEST(Simplify, FindsSwishAndHswish) {
  GraphMaker make;
  const TensorId x = make.input({5});
  const TensorId swish = make.op(Op::mul, {make.op(Op::sigmoid, {x}, {5}), x}, {5});
  const TensorId hswish = make.op(Op::mul, {x, make.op(Op::hard_sigmoid, {x}, {5})}, {5});
  const Graph graph = simplify(*make.finish({swish, hswish}));
  ASSERT_EQ(text_of(graph), "SWISH HSWISH");
  EXPECT_EQ(graph.nodes[0].inputs, std::vector<TensorId>{x});
}

TEST(Simplify, FindsHswishWrittenOut) {
  GraphMaker make;
  const TensorId x = make.input({5}), three = make.floats({1}, {3});
  const TensorId clamped = make.op(Op::relu6, {make.op(Op::add, {x, three}, {5})}, {5});
  const TensorId a = make.op(Op::div, {make.op(Op::mul, {x, clamped}, {5}), make.floats({1}, {6})}, {5});
  const TensorId gate = make.op(Op::relu6, {make.op(Op::add, {x, three}, {5})}, {5});
  const TensorId sixth = make.op(Op::mul, {gate, make.floats({1}, {1.0f / 6})}, {5});
  const Graph graph = simplify(*make.finish({a, make.op(Op::mul, {x, sixth}, {5})}));
  EXPECT_EQ(text_of(graph), "HSWISH HSWISH");
}

TEST(Simplify, KeepsGatesOfSomethingElse) {
  GraphMaker make;
  const TensorId x = make.input({5}), y = make.input({5});
  const TensorId other = make.op(Op::mul, {make.op(Op::sigmoid, {x}, {5}), y}, {5});
  const TensorId relu = make.parameter<int8_t>(41, DType::i8, {1});
  const TensorId active = make.op(Op::mul, {make.op(Op::sigmoid, {x}, {5}), x}, {5}, {relu});
  EXPECT_EQ(text_of(simplify(*make.finish({other, active}))), "SIGMOID MUL SIGMOID MUL");
}

TEST(Simplify, FindsGeluByErf) {
  GraphMaker make;
  const TensorId x = make.input({-1, 5}), one = make.floats({1}, {1});
  TensorId y = make.op(Op::div, {x, make.floats({1}, {std::sqrt(2.0f)})}, {-1, 5});
  y = make.op(Op::add, {make.op(Op::erf, {y}, {-1, 5}), one}, {-1, 5});
  y = make.op(Op::mul, {make.op(Op::mul, {x, y}, {-1, 5}), make.floats({1}, {0.5})}, {-1, 5});
  const Graph graph = simplify(*make.finish({y}));
  ASSERT_EQ(text_of(graph), "GELU");
  EXPECT_FALSE(graph.nodes[0].attrs.flag(Attr::approximate));
}

TensorId gelu_by_tanh(GraphMaker& make, TensorId x, float cubic) {
  TensorId y = make.op(Op::pow, {x, make.floats({1}, {3})}, {5});
  y = make.op(Op::add, {x, make.op(Op::mul, {y, make.floats({1}, {cubic})}, {5})}, {5});
  y = make.op(Op::tanh, {make.op(Op::mul, {y, make.floats({1}, {0.7978845608f})}, {5})}, {5});
  y = make.op(Op::add, {make.floats({1}, {1}), y}, {5});
  return make.op(Op::mul, {make.op(Op::mul, {x, make.floats({1}, {0.5})}, {5}), y}, {5});
}

TEST(Simplify, FindsGeluByTanh) {
  GraphMaker make;
  const Graph graph = simplify(*make.finish({gelu_by_tanh(make, make.input({5}), 0.044715f)}));
  ASSERT_EQ(text_of(graph), "GELU");
  EXPECT_TRUE(graph.nodes[0].attrs.flag(Attr::approximate));
  GraphMaker other;
  EXPECT_EQ(text_of(simplify(*other.finish({gelu_by_tanh(other, other.input({5}), 0.05f)}))),
            "POW MUL ADD MUL TANH ADD MUL MUL");
}

// where(softmax(x) != softmax(x), replacement, softmax(x)).
TensorId guarded_softmax(GraphMaker& make, float replacement, TensorId* softmax = nullptr) {
  const TensorId y = make.op(Op::softmax, {make.input({2, 5})}, {2, 5});
  const TensorId is_nan = make.op(Op::not_equal, {y, y}, {2, 5}, {}, DType::boolean);
  if (softmax != nullptr) *softmax = y;
  return make.op(Op::where, {is_nan, make.floats({1}, {replacement}), y}, {2, 5});
}

TEST(Simplify, FoldsTheGuardOfSoftmax) {
  GraphMaker make;
  const Graph graph = simplify(*make.finish({guarded_softmax(make, 0)}));
  ASSERT_EQ(text_of(graph), "SOFTMAX");
  EXPECT_TRUE(graph.nodes[0].attrs.flag(Attr::zero_nan));
  EXPECT_EQ(graph.nodes[0].attrs.integer(Attr::axis), -1);
}

TEST(Simplify, KeepsOtherGuardsOfSoftmax) {
  GraphMaker make;
  EXPECT_EQ(text_of(simplify(*make.finish({guarded_softmax(make, 1)}))), "SOFTMAX NOT_EQUAL WHERE");
  GraphMaker shared;
  TensorId softmax = 0;
  const TensorId guarded = guarded_softmax(shared, 0, &softmax);
  const TensorId other = shared.op(Op::relu, {softmax}, {2, 5});
  EXPECT_EQ(text_of(simplify(*shared.finish({guarded, other}))), "SOFTMAX NOT_EQUAL WHERE RELU");
}

}  // namespace
}  // namespace nnrt
