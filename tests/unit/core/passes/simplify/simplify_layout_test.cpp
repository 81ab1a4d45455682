// Layout-dependent nodes read their data as before, whatever was removed in between (Node::format).
#include "core/schema/infer.h"
#include "core/schema/node_view.h"
#include "tests/support/graph_maker.h"
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <array>

namespace nnrt {
namespace {

using test::GraphMaker;
using test::text_of;

const Shape kCube{2, 4, 4, 4};  // every dimension but the first could be the channels

// A no-op, from a tensor of one format to one of another.
using Identity = TensorId (*)(GraphMaker& make, TensorId x, Format format);

TensorId product(GraphMaker& make, TensorId x, Format format) {
  return make.op(Op::mul, {x, make.floats({1}, {1})}, kCube, {}, DType::f32, format);
}

TensorId quotient(GraphMaker& make, TensorId x, Format format) {
  return make.op(Op::div, {x, make.floats({1}, {1})}, kCube, {}, DType::f32, format);
}

TensorId cast(GraphMaker& make, TensorId x, Format format) {
  return make.op(Op::cast, {x, make.ints({int32_t(DType::f32)})}, kCube, {}, DType::f32, format);
}

TensorId transposes(GraphMaker& make, TensorId x, Format format) {
  const TensorId between = make.op(Op::transpose, {x, make.ints({0, 3, 1, 2})}, kCube);
  return make.op(Op::transpose, {between, make.ints({0, 2, 3, 1})}, kCube, {}, DType::f32, format);
}

constexpr Identity kIdentities[] = {product, quotient, cast, transposes};
constexpr Format kFormats[] = {Format::none, Format::nchw, Format::nhwc, Format::nd};

// PRELU with a slope per channel, after a no-op.
TensorId prelu(GraphMaker& make, TensorId x, Format format) {
  const TensorId slopes = make.floats({4}, {1, 2, 3, 4});
  return make.op(Op::prelu, {x, slopes}, kCube, {}, DType::f32, format);
}

TEST(SimplifyFormats, ReadersKeepFormatsAfterIdentity) {
  for (const Identity identity : kIdentities) {
    for (const Format before : kFormats) {
      for (const Format after : kFormats) {
        GraphMaker make;
        const TensorId x = make.input(kCube, DType::f32, before);
        const TensorId y = prelu(make, identity(make, x, after), after);
        const Graph graph = simplify(*make.finish({y}));
        ASSERT_EQ(text_of(graph), "PRELU");
        ASSERT_EQ(graph.nodes[0].inputs[0], x);
        EXPECT_EQ(graph.format_of(graph.nodes[0]), after);
        EXPECT_EQ(graph.tensors[x].format, before);
        Graph again = graph;
        infer(again);
        EXPECT_FALSE(again.nodes[0].diagnosis);
      }
    }
  }
}

TEST(SimplifyOutputs, AreWrittenWithoutACopy) {
  for (const Identity identity : kIdentities) {
    GraphMaker make;
    const TensorId x = make.op(Op::relu, {make.input(kCube)}, kCube);
    const TensorId y = identity(make, x, Format::none);
    const Graph graph = simplify(*make.finish({y}));
    ASSERT_EQ(text_of(graph), "RELU");
    EXPECT_EQ(graph.nodes[0].outputs[0], y);
  }
}

TEST(SimplifyOutputs, AreCopiesOfInputsAndOfOtherValuesInUse) {
  for (const bool of_input : {true, false}) {
    GraphMaker make;
    const TensorId input = make.input(kCube);
    const TensorId x = of_input ? input : make.op(Op::relu, {input}, kCube);
    const TensorId y = product(make, x, Format::none);
    const TensorId z = make.op(Op::abs, {x}, kCube);
    const Graph graph = simplify(*make.finish({y, z}));
    EXPECT_EQ(text_of(graph), of_input ? "MUL ABS" : "RELU MUL ABS");
  }
}

TEST(SimplifyFormats, TwoReadersOfOneTensorMayDiffer) {
  GraphMaker make;
  const TensorId x = make.input(kCube, DType::f32, Format::nchw);
  const TensorId y = prelu(make, x, Format::nchw);
  const TensorId z = prelu(make, product(make, x, Format::nhwc), Format::nhwc);
  const Graph graph = simplify(*make.finish({y, z}));
  ASSERT_EQ(text_of(graph), "PRELU PRELU");
  EXPECT_EQ(graph.nodes[0].inputs[0], x);
  EXPECT_EQ(graph.nodes[1].inputs[0], x);
  EXPECT_EQ(graph.format_of(graph.nodes[0]), Format::nchw);
  EXPECT_EQ(graph.format_of(graph.nodes[1]), Format::nhwc);
}

// The result of a fused activation has a different format from the operator's result.
TEST(SimplifyFormats, KeepsFormatOfChangedOutput) {
  GraphMaker make;
  const TensorId x = make.input({1, 2, 2, 4}, DType::f32, Format::nhwc);
  const TensorId weight = make.floats({4, 1, 1, 4}, std::vector<float>(16, 1));
  const TensorId y = make.op(Op::conv2d, {x, weight, make.floats({4}, {0, 0, 0, 0})}, {1, 2, 2, 4}, {},
                             DType::f32, Format::nhwc);
  const TensorId z = make.op(Op::relu, {y}, {1, 2, 2, 4}, {}, DType::f32, Format::nchw);
  Graph graph = simplify(*make.finish({z}));
  ASSERT_EQ(text_of(graph), "CONV2D");
  EXPECT_EQ(graph.format_of(graph.nodes[0]), Format::nhwc);
  infer(graph);
  EXPECT_FALSE(graph.nodes[0].diagnosis);
}

TEST(SimplifyFormats, ScalesOfChannelsGoByTheReadersOwn) {
  GraphMaker make;
  const TensorId x = make.input({1, 4, 4, 4}, DType::f32, Format::nhwc);
  const TensorId weight = make.floats({4, 1, 1, 4}, std::vector<float>(16, 1));
  const TensorId zero = make.floats({4}, {0, 0, 0, 0}), one = make.floats({4}, {1, 1, 1, 1});
  const Shape shape{1, 4, 4, 4};
  const TensorId y = make.op(Op::conv2d, {x, weight, zero}, shape, {}, DType::f32, Format::nhwc);
  const TensorId z = make.op(Op::mul, {y, make.floats({1}, {1})}, shape, {}, DType::f32, Format::nchw);
  const TensorId n = make.op(Op::batch_norm, {z, make.floats({4}, {1, 2, 3, 4}), zero, zero, one}, shape, {},
                             DType::f32, Format::nchw);
  EXPECT_EQ(text_of(simplify(*make.finish({n}))), "CONV2D BATCH_NORM");
}

TEST(SimplifyFormats, DoesNotForwardRequantizedValues) {
  GraphMaker make;
  const auto quantized = [&](TensorId id, double scale) {
    EXPECT_TRUE(make.builder().set_quant(id, {{scale}, {0}}).ok());
    return id;
  };
  const TensorId x = quantized(make.input({2, 3}, DType::i8), 0.5);
  const TensorId y = quantized(make.op(Op::transpose, {x, make.ints({0, 1})}, {2, 3}, {}, DType::i8), 0.25);
  const TensorId z = quantized(make.op(Op::relu, {y}, {2, 3}, {}, DType::i8), 0.25);
  EXPECT_EQ(text_of(simplify(*make.finish({z}))), "TRANSPOSE RELU");
}

struct PoolCase {
  Op op;
  Shape x, y;  // NCHW
  bool is_quantized = false;
};

// A pool of windows of 2 x 2, or of whole images, that other nodes see in NCHW.
std::string simplified_pool(const PoolCase& c) {
  const bool is_mean = c.op == Op::avg_pool, is_global = c.y[2] == 1;
  const DType dtype = c.is_quantized ? DType::i8 : DType::f32;
  GraphMaker make;
  const auto quantized = [&](TensorId id) {
    if (c.is_quantized) {
      EXPECT_TRUE(make.builder().set_quant(id, {{0.5}, {0}}).ok());
    }
    return id;
  };
  const auto nhwc = [](const Shape& shape) { return Shape{shape[0], shape[2], shape[3], shape[1]}; };
  const TensorId x = quantized(make.input(c.x, dtype, Format::nchw));
  const TensorId last =
      quantized(make.op(Op::transpose, {x, make.ints({0, 2, 3, 1})}, nhwc(c.x), {}, dtype, Format::nhwc));
  std::vector<TensorId> parameters{make.parameter<int8_t>(is_mean ? 110 : 115, DType::boolean, {1})};
  if (!is_global)
    parameters = {make.parameter<int64_t>(is_mean ? 2 : 36, DType::i64, {2, 2}),
                  make.parameter<int64_t>(is_mean ? 3 : 37, DType::i64, {2, 2})};
  const TensorId pool = quantized(make.op(c.op, {last}, nhwc(c.y), parameters, dtype, Format::nhwc));
  const TensorId y =
      quantized(make.op(Op::transpose, {pool, make.ints({0, 3, 1, 2})}, c.y, {}, dtype, Format::nchw));
  const Graph graph = test::simplified(make, y);
  if (graph.nodes.size() > 1 && graph.nodes[1].op == c.op) {
    const Shape& from = graph.shapes[graph.nodes[1].inputs[0]];
    EXPECT_EQ(from.back(), graph.nodes[0].op == Op::reshape ? 1 : c.x[1]);
  }
  return text_of(graph);
}

TEST(PoolPlanes, TakesThePlaceOfTransposes) {
  const std::string planes = "RESHAPE MAX_POOL RESHAPE", mean_planes = "RESHAPE AVG_POOL RESHAPE",
                    last = "TRANSPOSE MAX_POOL TRANSPOSE", mean_last = "TRANSPOSE AVG_POOL TRANSPOSE";
  EXPECT_EQ(simplified_pool({Op::max_pool, {2, 3, 64, 66}, {2, 3, 32, 33}}), planes);
  EXPECT_EQ(simplified_pool({Op::avg_pool, {2, 3, 64, 66}, {2, 3, 32, 33}}), mean_planes);
  EXPECT_EQ(simplified_pool({Op::max_pool, {2, 3, 64, 16}, {2, 3, 32, 8}}), last);
  EXPECT_EQ(simplified_pool({Op::max_pool, {2, 3, 64, 66}, {2, 3, 32, 33}, true}), last);
  EXPECT_EQ(simplified_pool({Op::max_pool, {2, 3, 7, 7}, {2, 3, 1, 1}}), planes);
  EXPECT_EQ(simplified_pool({Op::avg_pool, {2, 3, 64, 66}, {2, 3, 1, 1}, true}), mean_planes);
  EXPECT_EQ(simplified_pool({Op::avg_pool, {2, 3, 7, 7}, {2, 3, 1, 1}, true}), mean_last);
}

}  // namespace
}  // namespace nnrt
