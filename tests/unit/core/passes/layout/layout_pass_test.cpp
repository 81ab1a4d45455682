#include "core/passes/layout/layout_pass.h"

#include "core/passes/check_rewrite.h"
#include "core/passes/layout/nhwc_layout.h"
#include "core/passes/layout/stored_order.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt {
namespace {

using test::GraphMaker;

TensorId pool(GraphMaker& make, TensorId x, Shape shape) {
  const TensorId kernel = make.parameter<int64_t>(36, DType::i64, {1, 1});  // OH_NN_MAX_POOL_KERNEL_SIZE
  return make.op(Op::max_pool, {x}, std::move(shape), {kernel}, DType::f32, Format::nchw);
}

std::vector<int32_t> narrow(const Shape& shape) { return {shape.begin(), shape.end()}; }

TensorId reshape(GraphMaker& make, TensorId x, const Shape& shape) {
  const Format format = shape.size() == 4 ? Format::nchw : Format::none;
  return make.op(Op::reshape, {x, make.ints(narrow(shape))}, shape, {}, DType::f32, format);
}

TensorId transpose(GraphMaker& make, TensorId x, const Shape& shape, const std::vector<int32_t>& order) {
  const Format format = shape.size() == 4 ? Format::nchw : Format::none;
  return make.op(Op::transpose, {x, make.ints(order)}, shape, {}, DType::f32, format);
}

TensorId shuffle(GraphMaker& make, TensorId x, int64_t batch = 1) {
  x = reshape(make, x, {batch, 2, 3, 4, 5});
  x = transpose(make, x, {batch, 3, 2, 4, 5}, {0, 2, 1, 3, 4});
  return reshape(make, x, {batch, 6, 4, 5});
}

// The permutations of all non-identity transposes.
std::vector<Order> transposes_of(const Graph& graph) {
  std::vector<Order> found;
  for (const Node& node : graph.nodes) {
    const auto order = node.op == Op::transpose ? constant_integers(graph, node, 1) : std::nullopt;
    if (order && !is_in_place(*order)) found.push_back(*order);
  }
  return found;
}

std::vector<Order> normalized_transposes(const GraphPtr& graph) {
  const GraphPtr after = normalize(graph);
  const Status fault = find_fault("normalize", *graph, *after, {.layout = true});
  EXPECT_TRUE(fault.ok()) << fault.error().message;
  return transposes_of(*after);
}

const Order kIn{0, 2, 3, 1}, kOut{0, 3, 1, 2};

TEST(LayoutPass, ShufflesChannelsInNhwc) {
  GraphMaker make;
  const TensorId x = make.input({1, 6, 4, 5}, DType::f32, Format::nchw);
  const TensorId y = pool(make, shuffle(make, pool(make, x, {1, 6, 4, 5})), {1, 6, 4, 5});
  EXPECT_EQ(normalized_transposes(make.finish({y})), (std::vector<Order>{kIn, {0, 1, 2, 4, 3}, kOut}));
}

TEST(LayoutPass, ShufflesUnknownBatch) {
  GraphMaker make;
  const TensorId x = make.input({-1, 6, 4, 5}, DType::f32, Format::nchw);
  const TensorId y = pool(make, shuffle(make, pool(make, x, {-1, 6, 4, 5}), -1), {-1, 6, 4, 5});
  EXPECT_EQ(normalized_transposes(make.finish({y})), (std::vector<Order>{kIn, {0, 1, 2, 4, 3}, kOut}));
}

// A ShuffleNetV2 unit: half of the channels bypass the kernels.
TEST(LayoutPass, ConvertsNodesAfterShuffles) {
  GraphMaker make;
  TensorId y = pool(make, make.input({1, 6, 4, 5}, DType::f32, Format::nchw), {1, 6, 4, 5});
  for (int unit = 0; unit < 3; ++unit) {
    const TensorId axis = make.parameter<int64_t>(49, DType::i64, {1});   // OH_NN_SPLIT_AXIS
    const TensorId count = make.parameter<int64_t>(50, DType::i64, {2});  // OH_NN_SPLIT_OUTPUT_NUM
    const TensorId a = make.tensor({1, 3, 4, 5}, DType::f32, Format::nchw);
    const TensorId b = make.tensor({1, 3, 4, 5}, DType::f32, Format::nchw);
    const Status split = make.builder().add_operation(int(Op::split), std::vector{axis, count},
                                                      std::vector{shuffle(make, y)}, std::vector{a, b});
    ASSERT_TRUE(split.ok()) << split.error().message;
    const TensorId joined = make.parameter<int64_t>(10, DType::i64, {1});  // OH_NN_CONCAT_AXIS
    y = make.op(Op::concat, {a, pool(make, b, {1, 3, 4, 5})}, {1, 6, 4, 5}, {joined}, DType::f32,
                Format::nchw);
  }
  const Order inner{0, 1, 2, 4, 3};
  EXPECT_EQ(normalized_transposes(make.finish({y})), (std::vector<Order>{kIn, inner, inner, inner, kOut}));
}

TEST(LayoutPass, TakesPixelsFromChannels) {
  GraphMaker make;
  const TensorId x = make.input({1, 12, 4, 5}, DType::f32, Format::nchw);
  TensorId y = reshape(make, pool(make, x, {1, 12, 4, 5}), {1, 3, 2, 2, 4, 5});
  y = transpose(make, y, {1, 3, 4, 2, 5, 2}, {0, 1, 4, 2, 5, 3});
  y = pool(make, reshape(make, y, {1, 3, 8, 10}), {1, 3, 8, 10});
  EXPECT_EQ(normalized_transposes(make.finish({y})), (std::vector<Order>{kIn, {0, 1, 4, 2, 5, 3}, kOut}));
}

// A result used only by the client is transposed once, to the model's order.
TEST(LayoutPass, TransposesClientOnlyResultOnce) {
  GraphMaker make;
  const TensorId x = make.input({1, 6, 4, 5}, DType::f32, Format::nchw);
  const TensorId y = shuffle(make, pool(make, x, {1, 6, 4, 5}));
  EXPECT_EQ(normalized_transposes(make.finish({y})), (std::vector<Order>{kIn, {0, 4, 3, 1, 2}}));
}

TEST(LayoutPass, GoesToSequencesAndBackWithoutATranspose) {
  GraphMaker make;
  const TensorId x = make.input({2, 6, 4, 5}, DType::f32, Format::nchw);
  TensorId y = reshape(make, pool(make, x, {2, 6, 4, 5}), {2, 6, 20});
  y = transpose(make, y, {2, 20, 6}, {0, 2, 1});
  const TensorId axis = make.parameter<int64_t>(46, DType::i64, {-1});  // OH_NN_SOFTMAX_AXIS
  y = make.op(Op::softmax, {y}, {2, 20, 6}, {axis});
  y = reshape(make, transpose(make, y, {2, 6, 20}, {0, 2, 1}), {2, 6, 4, 5});
  EXPECT_EQ(normalized_transposes(make.finish({pool(make, y, {2, 6, 4, 5})})),
            (std::vector<Order>{kIn, kOut}));
}

// ConvNeXt: a TRANSPOSE to pixels, then a sum with the bypass, in the model's order.
TEST(LayoutPass, AddsInNhwcBehindATranspose) {
  GraphMaker make;
  const TensorId x = pool(make, make.input({2, 6, 4, 5}, DType::f32, Format::nchw), {2, 6, 4, 5});
  TensorId y = transpose(make, pool(make, x, {2, 6, 4, 5}), {2, 4, 5, 6}, {0, 2, 3, 1});
  const TensorId axis = make.parameter<int64_t>(46, DType::i64, {-1});  // OH_NN_SOFTMAX_AXIS
  y = make.op(Op::softmax, {y}, {2, 4, 5, 6}, {axis});
  y = transpose(make, y, {2, 6, 4, 5}, {0, 3, 1, 2});
  y = make.op(Op::add, {x, y}, {2, 6, 4, 5}, {}, DType::f32, Format::nchw);
  EXPECT_EQ(normalized_transposes(make.finish({pool(make, y, {2, 6, 4, 5})})),
            (std::vector<Order>{kIn, kOut}));
}

// A RESHAPE that joins channels with rows needs the model's order.
TEST(LayoutPass, TransposesBeforeAReshapeOfChannelsAndRows) {
  GraphMaker make;
  const TensorId x = make.input({1, 6, 4, 5}, DType::f32, Format::nchw);
  TensorId y = reshape(make, pool(make, x, {1, 6, 4, 5}), {1, 24, 5});
  y = transpose(make, y, {1, 5, 24}, {0, 2, 1});
  EXPECT_EQ(normalized_transposes(make.finish({y})), (std::vector<Order>{kIn, kOut, {0, 2, 1}}));
}

TEST(LayoutPass, CanKeepReshapes) {
  GraphMaker make;
  const TensorId x = make.input({1, 6, 4, 5}, DType::f32, Format::nchw);
  const TensorId y = pool(make, shuffle(make, pool(make, x, {1, 6, 4, 5})), {1, 6, 4, 5});
  const ConvertedGraph converted = convert_to_nhwc(*make.finish({y}), {.follows_reshapes = false});
  EXPECT_TRUE(converted.convertible.empty());
  EXPECT_TRUE(std::ranges::count(transposes_of(converted.graph), Order{0, 2, 1, 3, 4}) == 1);
}

}  // namespace
}  // namespace nnrt
