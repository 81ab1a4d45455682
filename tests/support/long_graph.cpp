#include "tests/support/long_graph.h"

#include "tests/support/graph_maker.h"

namespace nnrt::test {
namespace {

const Shape kShape{2, 3};

GraphPtr chain(int nodes) {
  GraphMaker maker;
  TensorId x = maker.input(kShape);
  for (int i = 0; i < nodes; ++i) x = maker.op(i % 2 == 0 ? Op::relu : Op::abs, {x}, kShape);
  return maker.finish({x});
}

// Each multiplies by 1.
GraphPtr identities(int nodes) {
  GraphMaker maker;
  const TensorId one = maker.floats({1}, {1});
  TensorId x = maker.input(kShape);
  for (int i = 0; i < nodes; ++i) x = maker.op(Op::mul, {x, one}, kShape);
  return maker.finish({maker.op(Op::relu, {x}, kShape)});
}

// Two paths linked at every node.
GraphPtr ladder(int nodes) {
  GraphMaker maker;
  TensorId a = maker.input(kShape), b = maker.input(kShape);
  for (int i = 0; i < nodes / 2; ++i) {
    const TensorId c = maker.op(Op::maximum, {a, b}, kShape);
    b = maker.op(Op::minimum, {a, b}, kShape);
    a = c;
  }
  return maker.finish({a, b});
}

// One tensor with many readers, and a tree that joins their results.
GraphPtr fan(int nodes) {
  GraphMaker maker;
  const TensorId x = maker.input(kShape);
  std::vector<TensorId> row;
  for (int i = 0; i < nodes / 2; ++i) row.push_back(maker.op(Op::sin, {x}, kShape));
  while (row.size() > 1) {
    std::vector<TensorId> next;
    for (size_t i = 0; i + 1 < row.size(); i += 2)
      next.push_back(maker.op(Op::maximum, {row[i], row[i + 1]}, kShape));
    if (row.size() % 2 == 1) next.push_back(row.back());
    row = std::move(next);
  }
  return maker.finish({row[0]});
}

// Many tensors that live from start to end.
GraphPtr rainbow(int nodes) {
  GraphMaker maker;
  TensorId x = maker.input(kShape);
  std::vector<TensorId> retained;
  for (int i = 0; i < nodes / 2; ++i) retained.push_back(x = maker.op(Op::sin, {x}, kShape));
  for (; !retained.empty(); retained.pop_back()) x = maker.op(Op::maximum, {x, retained.back()}, kShape);
  return maker.finish({x});
}

GraphPtr transposes(int nodes) {
  GraphMaker maker;
  const TensorId order = maker.ints({1, 0});
  TensorId x = maker.input(kShape);
  for (int i = 0; i < nodes; ++i) x = maker.op(Op::transpose, {x, order}, i % 2 == 0 ? Shape{3, 2} : kShape);
  return maker.finish({maker.op(Op::relu, {x}, nodes % 2 == 0 ? kShape : Shape{3, 2})});
}

// Data movement that cannot be fused, though each could read the previous one's input.
GraphPtr moves(int nodes) {
  GraphMaker maker;
  const TensorId order = maker.ints({1, 0}), flat = maker.ints({6}), rows = maker.ints({2, 3});
  TensorId x = maker.input(kShape);
  for (int i = 0; i + 2 < nodes; i += 3) {
    x = maker.op(Op::transpose, {x, order}, {3, 2});
    x = maker.op(Op::reshape, {x, flat}, {6});
    x = maker.op(Op::reshape, {x, rows}, kShape);
  }
  return maker.finish({maker.op(Op::relu, {x}, kShape)});
}

// Chained in place: two rows are concatenated, and the first two of three are sliced.
GraphPtr joins(int nodes) {
  GraphMaker maker;
  const TensorId begin = maker.ints({0, 0}), size = maker.ints({2, 64});
  const TensorId y = maker.input({1, 64});
  TensorId x = maker.input({2, 64});
  for (int i = 0; i + 2 < nodes; i += 3) {
    x = maker.op(Op::sin, {x}, {2, 64});
    x = maker.op(Op::concat, {x, y}, {3, 64});
    x = maker.op(Op::slice, {x, begin, size}, {2, 64});
  }
  return maker.finish({maker.op(Op::relu, {x}, {2, 64})});
}

// GPUs do not support dynamic shapes.
GraphPtr alternations(int nodes) {
  GraphMaker maker;
  const TensorId shape = maker.input({2}, DType::i32);
  TensorId x = maker.input(kShape);
  for (int i = 0; i + 1 < nodes; i += 2) {
    x = maker.op(Op::relu, {x}, kShape);
    x = maker.op(Op::reshape, {x, shape}, kShape);
  }
  return maker.finish({x});
}

constexpr LongGraph kAll[] = {
    {"chain", chain}, {"identities", identities}, {"ladder", ladder},
    {"fan", fan},     {"rainbow", rainbow},       {"transposes", transposes},
    {"moves", moves}, {"joins", joins},           {"alternations", alternations, true}};

}  // namespace

std::span<const LongGraph> long_graphs() { return kAll; }

}  // namespace nnrt::test
