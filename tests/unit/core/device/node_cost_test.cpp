#include "core/device/node_cost.h"

#include "core/device/device_costs.h"
#include "tests/support/graph_maker.h"

namespace nnrt {
namespace {

using test::GraphMaker;

std::optional<Cost> cost_of_last(const GraphPtr& graph) {
  return cost_of(*graph, graph->nodes.back(), graph->shapes);
}

uint64_t flops_of_last(const GraphPtr& graph) { return cost_of_last(graph).value().flops; }

TEST(Cost, OfAnElementwiseOperatorIsItsElements) {
  GraphMaker make;
  const TensorId x = make.input({3, 5}), y = make.input({5});
  const Cost cost = cost_of_last(make.finish({make.op(Op::add, {x, y}, {3, 5})})).value();
  EXPECT_EQ(cost.flops, 15u);
  EXPECT_EQ(cost.bytes, 4u * (15 + 5 + 15));
}

TEST(Cost, OfAMovementIsItsBytes) {
  GraphMaker make;
  const TensorId x = make.input({3, 5});
  const Cost cost =
      cost_of_last(make.finish({make.op(Op::transpose, {x, make.ints({1, 0})}, {5, 3})})).value();
  EXPECT_EQ(cost.flops, 0u);
  EXPECT_EQ(cost.bytes, 4u * (15 + 2 + 15));
}

// The unknown result is no reason to call the movement free.
TEST(Cost, OfAMovementToAnOpenShapeIsItsInput) {
  GraphMaker make;
  const TensorId x = make.input({30}), shape = make.input({2}, DType::i32);
  const GraphPtr graph = make.finish({make.op(Op::reshape, {x, shape}, {-1, -1})});
  const std::vector<Shape> shapes = min_shapes(*graph);
  EXPECT_EQ(cost_of(*graph, graph->nodes.back(), shapes).value().bytes, 4u * (30 + 2 + 1));
}

TEST(Cost, OfAFewRowsOfATableIsTheirs) {
  GraphMaker make;
  const TensorId table = make.input({1000, 5}), rows = make.input({3}, DType::i32);
  const TensorId y = make.op(Op::gather, {table, rows, make.ints({0})}, {3, 5});
  EXPECT_EQ(cost_of_last(make.finish({y})).value().bytes, 4u * (15 + 3 + 1 + 15));
}

TEST(Cost, MatmulCountsTwoPerMultiplyAdd) {
  GraphMaker make;
  const TensorId a = make.input({2, 3, 5}), b = make.input({2, 5, 7});
  EXPECT_EQ(flops_of_last(make.finish({make.op(Op::matmul, {a, b}, {2, 3, 7})})), 2u * 2 * 3 * 5 * 7);
}

TEST(Cost, OfATransposedMatrixProductIsTheSame) {
  GraphMaker make;
  const TensorId a = make.input({5, 3}), b = make.input({5, 7});
  const TensorId transposed = make.parameter<uint8_t>(33, DType::boolean, {1});
  EXPECT_EQ(flops_of_last(make.finish({make.op(Op::matmul, {a, b}, {3, 7}, {transposed})})), 2u * 3 * 5 * 7);
}

TEST(Cost, ConvolutionCountsWeightsPerPixel) {
  GraphMaker make;
  const TensorId x = make.input({1, 7, 7, 6}, DType::f32, Format::nhwc);
  const TensorId w = make.floats({4, 3, 3, 6}, std::vector<float>(216)),
                 b = make.floats({4}, std::vector<float>(4));
  const TensorId y = make.op(Op::conv2d, {x, w, b}, {1, 5, 5, 4});
  EXPECT_EQ(flops_of_last(make.finish({y})), 2u * 5 * 5 * 4 * 3 * 3 * 6);
}

TEST(Cost, Conv3dCountsWeightsPerCell) {
  GraphMaker make;
  const TensorId x = make.input({1, 6, 3, 7, 7}, DType::f32, Format::nchw);
  const TensorId w = make.floats({4, 2, 3, 3, 6}, std::vector<float>(432)),
                 b = make.floats({4}, std::vector<float>(4));
  const TensorId y = make.op(Op::conv3d, {x, w, b}, {1, 4, 2, 5, 5});
  EXPECT_EQ(flops_of_last(make.finish({y})), 2u * 2 * 5 * 5 * 4 * 2 * 3 * 3 * 6);
}

TEST(Cost, AttentionCountsProductsWithKeysAndValues) {
  GraphMaker make;
  const TensorId query = make.input({2, 6, 5, 8}), key = make.input({2, 3, 7, 8}),
                 value = make.input({2, 3, 7, 4});
  EXPECT_EQ(flops_of_last(make.finish({make.op(Op::attention, {query, key, value}, {2, 6, 5, 4})})),
            2u * 2 * 6 * 5 * 7 * (8 + 4));
}

TEST(Cost, PackedWeightsCountAsMany) {
  for (const int64_t bits : {4, 8}) {
    GraphMaker make;
    const TensorId x = make.input({3, 16}), weights = make.input({5, 16 * bits / 8}, DType::u8),
                   scales = make.input({5, 1}), zeros = make.input({5, 1}, DType::u8);
    const TensorId parameter = make.parameter<int64_t>(int(Param::matmul_nbits_bits), DType::i64, {bits});
    const TensorId y = make.op(Op::matmul_nbits, {x, weights, scales, zeros}, {3, 5}, {parameter});
    EXPECT_EQ(flops_of_last(make.finish({y})), 2u * 3 * 16 * 5);
  }
}

// No operator of this family costs nothing.
TEST(Cost, OfAllProductsIsKnown) {
  for (const OpSchema& row : all_schemas()) {
    if (row.family != Family::gemm_conv) continue;
    Graph graph;
    graph.tensors.resize(10);
    graph.shapes.assign(10, {2, 3, 4, 5, 6});
    graph.nodes = {{row.op, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {9}, {}, 0, {}}};
    EXPECT_GT(cost_of_last(std::make_shared<const Graph>(graph)).value().flops, 0u) << name(row.op);
  }
}

TEST(Cost, OfAnUnknownShapeIsUnknown) {
  GraphMaker make;
  EXPECT_FALSE(cost_of_last(make.finish({make.op(Op::relu, {make.input({-1, 5})}, {-1, 5})})));
}

// A GEMM of a million flops, float or quantized.
double product_us(const DeviceCosts& costs, bool of_quantized) {
  Graph graph;
  graph.tensors.resize(3);
  graph.shapes = {{100, 50}, {50, 100}, {100, 100}};
  for (Tensor& tensor : graph.tensors) {
    tensor.dtype = of_quantized ? DType::i8 : DType::f32;
    if (of_quantized) tensor.quant = {{0.5}, {3}};
  }
  graph.nodes = {{Op::matmul, {0, 1}, {2}, {}, 0, {}}};
  return node_microseconds(costs, graph, graph.nodes[0], graph.shapes);
}

TEST(DeviceCosts, TellCodesFromFloats) {
  const DeviceCosts costs{.node_us = 2, .gflops = {10, 1, 1}, .int8_speedup = {4, 1, 1}, .gbytes = 1000};
  EXPECT_DOUBLE_EQ(product_us(costs, false), 2 + 100);
  EXPECT_DOUBLE_EQ(product_us(costs, true), 2 + 25);
}

// One device is faster with floats, the other with quantized values.
TEST(DeviceCosts, MayPreferAnotherDeviceForCodes) {
  const DeviceCosts floats{.gflops = {60, 1, 1}, .int8_speedup = {0.5, 1, 1}, .gbytes = 1000};
  const DeviceCosts int8_speedup{.gflops = {40, 1, 1}, .int8_speedup = {4, 1, 1}, .gbytes = 1000};
  EXPECT_LT(product_us(floats, false), product_us(int8_speedup, false));
  EXPECT_GT(product_us(floats, true), product_us(int8_speedup, true));
}

}  // namespace
}  // namespace nnrt
