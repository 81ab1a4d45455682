// Consecutive data movement is copied from the original source, if that is not slower.
#include "backends/vulkan/program/build/program_builder.h"
#include "tests/support/graph_maker.h"
#include "tests/support/lowered_node.h"
#include "tests/unit/vulkan/program/program_maker.h"

namespace nnrt::vulkan {
namespace {

using test::GraphMaker;
using Strings = std::vector<std::string>;

// The shaders of a graph's dispatches, and other commands.
Strings steps_of(const GraphPtr& graph, const DevicePlan& plan = small_gpu()) {
  return shaders_of(program_of(graph, plan));
}

// Columns of a matrix [rows, 3 * heads * size], as [heads, rows, size].
struct Heads {
  int rows = 50, heads = 4, size = 16;
  DType dtype = DType::f16;
};
TensorId columns(GraphMaker& make, TensorId x, const Heads& of, int which) {
  const int width = of.heads * of.size;
  return make.op(Op::slice, {x, make.ints({0, which * width}), make.ints({of.rows, width})}, {of.rows, width},
                 {}, of.dtype);
}
TensorId heads(GraphMaker& make, TensorId matrix, const Heads& of) {
  const TensorId apart = make.op(Op::reshape, {matrix, make.ints({of.rows, of.heads, of.size})},
                                 {of.rows, of.heads, of.size}, {}, of.dtype);
  return make.op(Op::transpose, {apart, make.ints({1, 0, 2})}, {of.heads, of.rows, of.size}, {}, of.dtype);
}
TensorId negated(GraphMaker& make, TensorId x, const Shape& shape, DType dtype) {
  return make.op(Op::neg, {x}, shape, {}, dtype);
}
TensorId matrix(GraphMaker& make, const Heads& of) {
  return make.input({of.rows, 3 * of.heads * of.size}, of.dtype);
}

GraphPtr heads_of_columns(const Heads& of) {
  GraphMaker make;
  const TensorId x = matrix(make, of);
  std::vector<TensorId> results;
  for (int i = 0; i < 3; ++i)
    results.push_back(
        negated(make, heads(make, columns(make, x, of, i), of), {of.heads, of.rows, of.size}, of.dtype));
  return make.finish(results);
}

TEST(DeferredCopies, ReadHeadsFromTheFusedMatrix) {
  const Strings steps = steps_of(heads_of_columns({}));
  EXPECT_EQ(std::ranges::count(steps, "copy"), 3);
  DevicePlan plan = small_gpu();
  plan.kernels.forbid("deferred_copies");
  const Strings apart = steps_of(heads_of_columns({}), plan);
  EXPECT_EQ(std::ranges::count(apart, "copy"), 6);
}

TEST(DeferredCopies, CopyVectors) {
  GraphMaker make;
  const Heads of;
  const TensorId x = matrix(make, of);
  const GraphPtr graph = make.finish(
      {negated(make, heads(make, columns(make, x, of, 1), of), {of.heads, of.rows, of.size}, of.dtype)});
  Constants constants(small_gpu());
  const auto program = build_program(*graph, graph->shapes, small_gpu(), constants).value();
  const Dispatch& copy = std::get<Dispatch>(program.steps[0].command);
  EXPECT_EQ(copy.constants, (std::vector<uint32_t>{16, 3, 0}));
  EXPECT_EQ(test::push_word(copy, 1), 4u * 16 / 8);  // first column, in vectors
  EXPECT_EQ(program.steps[0].regions[0].kind, BufferRegion::Kind::edge);
}

// The columns have readers other than data movement.
TEST(DeferredCopies, KeepSharedTensors) {
  GraphMaker make;
  const Heads of;
  const TensorId x = matrix(make, of), own = columns(make, x, of, 0);
  const TensorId transposed = negated(make, heads(make, own, of), {of.heads, of.rows, of.size}, of.dtype);
  const Strings steps =
      steps_of(make.finish({transposed, negated(make, own, {of.rows, of.heads * of.size}, of.dtype)}));
  EXPECT_EQ(std::ranges::count(steps, "copy"), 2);
}

// A transpose reads vectors from the slice, but could not from the original.
TEST(DeferredCopies, DoNotComposeIntoSmallerPieces) {
  const auto steps = [](int width, int first) {
    GraphMaker make;
    const TensorId x = make.input({40, width}, DType::f16);
    const TensorId cut =
        make.op(Op::slice, {x, make.ints({0, first}), make.ints({40, 64})}, {40, 64}, {}, DType::f16);
    const TensorId transposed = make.op(Op::transpose, {cut, make.ints({1, 0})}, {64, 40}, {}, DType::f16);
    return steps_of(make.finish({negated(make, transposed, {64, 40}, DType::f16)}));
  };
  EXPECT_EQ(steps(104, 8).size(), 2u);
  EXPECT_EQ(steps(104, 3).size(), 3u);
  EXPECT_EQ(steps(99, 8).size(), 3u);
}

// One TRANSPOSE whose result is used in place by views needs fewer copies than one per part.
TEST(DeferredCopies, KeepFreeSlices) {
  GraphMaker make;
  const TensorId x = make.input({50, 3, 64}, DType::f16);
  const TensorId transposed = make.op(Op::transpose, {x, make.ints({1, 0, 2})}, {3, 50, 64}, {}, DType::f16);
  std::vector<TensorId> results;
  for (int i = 0; i < 3; ++i) {
    const TensorId part = make.op(Op::slice, {transposed, make.ints({i, 0, 0}), make.ints({1, 50, 64})},
                                  {1, 50, 64}, {}, DType::f16);
    results.push_back(negated(make, part, {1, 50, 64}, DType::f16));
  }
  const Strings steps = steps_of(make.finish(results));
  EXPECT_EQ(std::ranges::count(steps, "copy"), 1);
}

// A tensor assembled from two is materialized once, whatever follows.
TEST(DeferredCopies, MaterializeConcats) {
  GraphMaker make;
  const TensorId both =
      make.op(Op::concat, {make.input({50, 32}, DType::f16), make.input({50, 32}, DType::f16)}, {50, 64},
              {make.parameter<int64_t>(10, DType::i64, {1})}, DType::f16);
  const TensorId transposed = heads(make, both, {});
  const Strings steps = steps_of(make.finish({negated(make, transposed, {4, 50, 16}, DType::f16)}));
  EXPECT_EQ(std::ranges::count(steps, "copy"), 3);
}

// Results that are CAST are written as floats, and sources that were to be CAST are read as floats.
TEST(DeferredCopies, CastWhileCopying) {
  GraphMaker make;
  const Heads of;
  const auto cast = [&](TensorId x, Shape shape, DType dtype) {
    return make.op(Op::cast, {x, make.ints({int32_t(dtype)})}, std::move(shape), {}, dtype);
  };
  const TensorId x =
      cast(make.input({of.rows, 3 * of.heads * of.size}), {of.rows, 3 * of.heads * of.size}, DType::f16);
  const TensorId transposed = heads(make, columns(make, x, of, 2), of);
  const GraphPtr graph = make.finish({cast(transposed, {of.heads, of.rows, of.size}, DType::f32)});
  EXPECT_EQ(steps_of(graph), (Strings{"cast", "cast_copy"}));
}

}  // namespace
}  // namespace nnrt::vulkan
