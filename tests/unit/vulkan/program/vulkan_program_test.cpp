#include "backends/vulkan/program/vulkan_program.h"

#include "backends/vulkan/program/build/program_builder.h"
#include "tests/support/graph_maker.h"
#include "tests/support/lowered_node.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

using test::GraphMaker;

DevicePlan small_plan() {
  DevicePlan plan;
  plan.storage_alignment = 16;
  plan.max_storage_range = 1 << 20;
  plan.max_allocation = 1 << 24;
  plan.max_group_invocations = 256;
  plan.max_group_size = {256, 256, 64};
  plan.max_group_count = {65535, 65535, 65535};
  plan.max_shared_bytes = 32768;
  return plan;
}

Result<Program> build(const GraphPtr& graph, const DevicePlan& plan = small_plan()) {
  Constants constants(plan);
  return build_program(*graph, graph->shapes, plan, constants);
}

BufferRegion edge(uint32_t index, uint64_t bytes) { return {BufferRegion::Kind::edge, index, 0, bytes}; }

Dispatch grid(Size3 threads, Size3 local = {64, 1, 1}) {
  Dispatch dispatch;
  dispatch.threads = threads;
  dispatch.local = local;
  return dispatch;
}

TEST(Groups, AreRoundedUp) {
  EXPECT_EQ(count_groups(grid({65, 3, 1}, {64, 2, 1}), small_plan()).value(), (Size3{2, 2, 1}));
}

TEST(Groups, TooManyInXGoOnInY) {
  DevicePlan plan = small_plan();
  plan.max_group_count = {10, 10, 10};
  EXPECT_EQ(count_groups(grid({64 * 11, 1, 1}), plan).value(), (Size3{6, 2, 1}));
}

TEST(Groups, TooManyAltogetherAreRefused) {
  DevicePlan plan = small_plan();
  plan.max_group_count = {10, 10, 10};
  EXPECT_EQ(count_groups(grid({64 * 101, 1, 1}), plan).error().code, Code::unsupported);
  EXPECT_EQ(count_groups(grid({64 * 11, 2, 1}), plan).error().code, Code::unsupported);
}

TEST(Program, BindsInputsAndOutputsAsEdges) {
  GraphMaker maker;
  const TensorId x = maker.input({5});
  const auto program = build(maker.finish({maker.op(Op::relu, {x}, {5})})).value();
  ASSERT_EQ(program.steps.size(), 1u);
  EXPECT_EQ(program.steps[0].regions, (std::vector<BufferRegion>{edge(0, 32), edge(1, 32)}));
  EXPECT_EQ(program.arena_bytes, 0u);
}

TEST(Program, RoundsTensorsUpToWholeVectors) {
  GraphMaker maker;
  const TensorId x = maker.input({5}, DType::boolean);
  const auto program = build(maker.finish({maker.op(Op::logical_not, {x}, {5}, {}, DType::boolean)})).value();
  EXPECT_EQ(program.steps[0].regions.back(), edge(1, 16));
  EXPECT_EQ(program.edges[1].bytes, 5u);
}

TEST(Program, ReusesArena) {
  GraphMaker maker;
  TensorId x = maker.input({100});
  for (int i = 0; i < 10; ++i) x = maker.op(Op::relu, {x}, {100});
  const auto program = build(maker.finish({x})).value();
  EXPECT_EQ(program.arena_bytes, 2 * 400u);
}

TEST(Program, PlacesAliasedIntermediatesInOutputs) {
  GraphMaker maker;
  const TensorId y = maker.op(Op::relu, {maker.input({2, 3})}, {2, 3});
  const auto program = build(maker.finish({maker.op(Op::reshape, {y, maker.ints({6})}, {6})})).value();
  ASSERT_EQ(program.steps.size(), 1u);
  EXPECT_EQ(program.steps[0].regions[1], edge(1, 32));
}

TEST(Program, CopiesInputToOutput) {
  GraphMaker maker;
  const TensorId x = maker.input({2, 3});
  const auto program = build(maker.finish({maker.op(Op::reshape, {x, maker.ints({6})}, {6})})).value();
  ASSERT_EQ(program.steps.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Copy>(program.steps[0].command));
}

TEST(Program, AReshapedIntermediateIsTheSameMemory) {
  GraphMaker maker;
  const TensorId x = maker.op(Op::relu, {maker.input({2, 3})}, {2, 3});
  const TensorId flat = maker.op(Op::reshape, {x, maker.ints({6})}, {6});
  const auto program = build(maker.finish({maker.op(Op::abs, {flat}, {6})})).value();
  ASSERT_EQ(program.steps.size(), 2u);
  EXPECT_EQ(program.steps[0].regions[1], program.steps[1].regions[0]);
}

// Rows [first, first + rows) of x.
TensorId rows_of(GraphMaker& maker, TensorId x, int first, int rows, int columns) {
  return maker.op(Op::slice, {x, maker.ints({first, 0}), maker.ints({rows, columns})}, {rows, columns});
}

TensorId concatenated(GraphMaker& maker, const std::vector<TensorId>& parts, Shape shape) {
  return maker.op(Op::concat, parts, std::move(shape),
                  {maker.parameter<int64_t>(10, DType::i64, {0})});  // OH_NN_CONCAT_AXIS
}

TEST(Program, BindsRowSlices) {
  GraphMaker maker;
  const TensorId x = maker.input({6, 4});
  const auto program =
      build(maker.finish({maker.op(Op::relu, {rows_of(maker, x, 2, 3, 4)}, {3, 4})})).value();
  ASSERT_EQ(program.steps.size(), 1u);
  EXPECT_EQ(program.steps[0].regions[0], (BufferRegion{BufferRegion::Kind::edge, 0, 32, 48}));
}

TEST(Program, CopiesUnalignedRowSlices) {
  DevicePlan plan = small_plan();
  plan.storage_alignment = 64;
  GraphMaker maker;
  const TensorId x = maker.input({6, 4});
  const auto program =
      build(maker.finish({maker.op(Op::relu, {rows_of(maker, x, 2, 3, 4)}, {3, 4})}), plan).value();
  EXPECT_EQ(program.steps.size(), 2u);
}

TEST(Program, ElidesConcat) {
  GraphMaker maker;
  const TensorId x = maker.input({2, 4});
  const TensorId a = maker.op(Op::relu, {x}, {2, 4});
  const TensorId b = maker.op(Op::abs, {x}, {2, 4});
  const auto program = build(maker.finish({concatenated(maker, {a, b}, {4, 4})})).value();
  ASSERT_EQ(program.steps.size(), 2u);
  EXPECT_EQ(program.steps[0].regions[1], (BufferRegion{BufferRegion::Kind::edge, 1, 0, 32}));
  EXPECT_EQ(program.steps[1].regions[1], (BufferRegion{BufferRegion::Kind::edge, 1, 32, 32}));
}

// The input is copied by a GPU kernel before the rest of the result is computed in place.
TEST(Program, ElidesConcatWithInput) {
  GraphMaker maker;
  const TensorId x = maker.input({2, 4}), a = maker.op(Op::relu, {maker.input({2, 4})}, {2, 4});
  const TensorId all = concatenated(maker, {x, a}, {4, 4});
  const auto program = build(maker.finish({maker.op(Op::square, {all}, {4, 4})})).value();
  ASSERT_EQ(program.steps.size(), 3u);
  for (const Step& step : program.steps) EXPECT_TRUE(std::holds_alternative<Dispatch>(step.command));
}

// The client may bind both to the same memory.
TEST(Program, RepeatedInputSliceIsCopiedByACommand) {
  GraphMaker maker;
  const TensorId x = maker.input({2, 4});
  const auto program = build(maker.finish({rows_of(maker, x, 0, 1, 4)})).value();
  ASSERT_EQ(program.steps.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Copy>(program.steps[0].command));
}

TEST(Program, CopiesLargeTensorsByCommand) {
  GraphMaker maker;
  const TensorId x = maker.input({1 << 16, 5});
  const TensorId part = rows_of(maker, x, 1, 3, 5);
  const auto program = build(maker.finish({maker.op(Op::relu, {part}, {3, 5})})).value();
  EXPECT_TRUE(std::holds_alternative<Copy>(program.steps[0].command));
}

TEST(Program, CopiesRepeatedConcatInputs) {
  GraphMaker maker;
  const TensorId a = maker.op(Op::relu, {maker.input({2, 4})}, {2, 4});
  const auto program = build(maker.finish({concatenated(maker, {a, a}, {4, 4})})).value();
  EXPECT_EQ(program.steps.size(), 3u);
}

// The concatenated inputs are parts of vectors, or belong to the caller.
TEST(Program, CopiesUnalignedConcatInputs) {
  GraphMaker maker;
  const TensorId x = maker.input({1, 3});
  const TensorId a = maker.op(Op::relu, {x}, {1, 3});
  const auto program = build(maker.finish({concatenated(maker, {a, x}, {2, 3})})).value();
  EXPECT_EQ(program.steps.size(), 3u);
}

TEST(Program, ConcatenatedPartsLiveFromTheFirstOfThem) {
  GraphMaker maker;
  const TensorId x = maker.input({4, 4});
  const TensorId a = maker.op(Op::relu, {x}, {4, 4});
  const TensorId b = maker.op(Op::abs, {maker.op(Op::neg, {x}, {4, 4})}, {4, 4});
  const auto program =
      build(maker.finish({maker.op(Op::square, {concatenated(maker, {a, b}, {8, 4})}, {8, 4})})).value();
  EXPECT_EQ(program.steps.size(), 4u);
  EXPECT_EQ(program.arena_bytes, 128u + 64u);  // in addition to the negated one
}

// Interleaves the channels of two tensors of 7 pixels, and returns both halves.
std::pair<TensorId, TensorId> shuffled_parts(GraphMaker& maker, TensorId a, TensorId b, int channels,
                                             DType dtype = DType::f32) {
  const Shape both{7, 2 * channels};
  const auto add = [&](Op op, const std::vector<TensorId>& inputs, const Shape& shape,
                       const std::vector<TensorId>& parameters = {}) {
    return maker.op(op, inputs, shape, parameters, dtype);
  };
  const TensorId side_by_side =
      add(Op::concat, {a, b}, both, {maker.parameter<int64_t>(10, DType::i64, {1})});
  const TensorId groups = add(Op::reshape, {side_by_side, maker.ints({7, 2, channels})}, {7, 2, channels});
  const TensorId transposed = add(Op::transpose, {groups, maker.ints({0, 2, 1})}, {7, channels, 2});
  const TensorId flat = add(Op::reshape, {transposed, maker.ints({7, 2 * channels})}, both);
  const auto half = [&](int first) {
    return add(Op::slice, {flat, maker.ints({0, first}), maker.ints({7, channels})}, {7, channels});
  };
  return {half(0), half(channels)};
}

TEST(Program, ShufflesAndSplitsChannelsInPlace) {
  GraphMaker maker;
  const TensorId a = maker.input({7, 6}), b = maker.input({7, 6});
  const auto [left, right] = shuffled_parts(maker, a, b, 6);
  const auto program =
      build(maker.finish({maker.op(Op::relu, {left}, {7, 6}), maker.op(Op::abs, {right}, {7, 6})})).value();
  ASSERT_EQ(program.steps.size(), 4u);
  for (const size_t step : {0, 1}) {
    EXPECT_EQ(std::get<Dispatch>(program.steps[step].command).shader, "interleave");
    EXPECT_EQ(program.steps[step].regions[0], edge(0, 176));
    EXPECT_EQ(program.steps[step].regions[1], edge(1, 176));
  }
}

TEST(Program, ReadsShuffledFp16ByWidth) {
  enum : uint32_t { elements, vectors, words };  // must match interleave.comp
  for (const auto& [channels, unit, work] :
       {std::tuple{16, vectors, 7}, std::tuple{8, words, 7}, std::tuple{6, elements, 6}}) {
    GraphMaker maker;
    const TensorId a = maker.input({7, channels}, DType::f16), b = maker.input({7, channels}, DType::f16);
    const auto [left, right] = shuffled_parts(maker, a, b, channels, DType::f16);
    const auto activated = [&, columns = channels](Op op, TensorId x) {
      return maker.op(op, {x}, {7, columns}, {}, DType::f16);
    };
    const auto program = build(maker.finish({activated(Op::relu, left), activated(Op::abs, right)})).value();
    ASSERT_EQ(program.steps.size(), 4u);
    const Dispatch& first = std::get<Dispatch>(program.steps[0].command);
    EXPECT_EQ(first.constants, (std::vector<uint32_t>{2, unit})) << channels;
    EXPECT_EQ(test::push_word(first, 0), uint32_t(work)) << channels;
  }
}

// Each operator separately, as far as needed.
TEST(Program, CopiesConcatForOtherLayouts) {
  GraphMaker maker;
  const TensorId a = maker.input({7, 6}), b = maker.input({7, 6});
  const TensorId both =
      maker.op(Op::concat, {a, b}, {7, 12}, {maker.parameter<int64_t>(10, DType::i64, {1})});
  const TensorId transposed = maker.op(Op::transpose, {both, maker.ints({1, 0})}, {12, 7});
  const auto program = build(maker.finish({maker.op(Op::relu, {transposed}, {12, 7})})).value();
  EXPECT_EQ(program.steps.size(), 4u);
}

// A convolution to 8 channels that keeps the image size.
TensorId convolved(GraphMaker& maker, TensorId x, int64_t kernel, int64_t channels) {
  const TensorId weights =
      maker.floats({channels, kernel, kernel, 8}, std::vector<float>(size_t(channels * kernel * kernel * 8)));
  const TensorId bias = maker.floats({channels}, std::vector<float>(size_t(channels)));
  const TensorId same = maker.parameter<int8_t>(14, DType::i8, {0});
  return maker.op(Op::conv2d, {x, weights, bias}, {1, 3, 3, channels}, {same}, DType::f32, Format::nhwc);
}

TEST(Program, ConvolutionsStoreIntoTheirConcat) {
  DevicePlan optimized = small_plan(), fast_compile = optimized, winograd = optimized;
  fast_compile.shaders = Shaders::fast_compile;
  winograd.kernels.force("winograd4");
  for (const DevicePlan& plan : {optimized, fast_compile, winograd}) {
    GraphMaker maker;
    const TensorId x = maker.input({1, 3, 3, 8}, DType::f32, Format::nhwc);
    const TensorId axis = maker.parameter<int64_t>(10, DType::i64, {3});
    const TensorId y = maker.op(Op::concat, {convolved(maker, x, 1, 8), convolved(maker, x, 3, 12)},
                                {1, 3, 3, 20}, {axis}, DType::f32, Format::nhwc);
    const auto program = build(maker.finish({y}), plan).value();
    for (const Step& step : program.steps) EXPECT_TRUE(std::holds_alternative<Dispatch>(step.command));
    EXPECT_EQ(program.steps.size(), plan.kernels.forces_any() ? 4u : 2u);
  }
}

TEST(Program, IgnoresUnreadInput) {
  GraphMaker maker;
  const TensorId x = maker.input({3});
  maker.input({4});
  const auto program = build(maker.finish({maker.op(Op::relu, {x}, {3})})).value();
  EXPECT_TRUE(program.edges[0].used);
  EXPECT_FALSE(program.edges[1].used);
}

TEST(Program, NamesTooLargeTensors) {
  DevicePlan plan = small_plan();
  plan.max_storage_range = 16;
  GraphMaker maker;
  const TensorId x = maker.input({5});
  auto graph = std::make_shared<Graph>(*maker.finish({maker.op(Op::relu, {x}, {5})}));
  graph->tensors[x].name = "wide";
  const auto program = build(graph, plan);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().code, Code::unsupported);
  EXPECT_EQ(program.error().message,
            "Tensor 'wide' (32 bytes) exceeds the device's limit for bindings (16). While lowering "
            "OH_NN_OPS_RELU.");
}

}  // namespace
}  // namespace nnrt::vulkan
