// Broadcasting operators.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

constexpr int32_t kMaxRank = 8;

bool is_known(const Shape& shape) {
  return std::ranges::all_of(shape, [](int32_t dimension) { return dimension > 0; });
}

void broadcast_to(Operator& op) {
  const Shape declared = op.output_tensor().shape;
  List<int64_t> shape(declared.begin(), declared.end());
  const bool is_constant = op.build().is_constant(op.input(1));
  if (!is_constant && !(op.output_slot().has_rank && is_known(declared))) {
    const int32_t rank = op.length(op.input(1), 0);
    if (rank > kMaxRank) op.refuse("makes a tensor of more than 8 dimensions");
    const Dims open(static_cast<size_t>(rank), -1);
    const TensorId everywhere =
        op.emit(Op::fill, {op.build().scalar(true), op.input(1)}, {}, {.shape = open});
    return op.write_to(op.output(), Op::where, {everywhere, op.input(0), op.input(0)});
  }
  if (is_constant) {
    shape = op.integers(1);
  }
  op.write({op.input(0)}, {{Attr::shape, shape}});
}

// The broadcast shape of two shapes, with the dtype of the operator's result.
TensorId known_shape(Operator& op, List<int64_t> a, List<int64_t> b) {
  const size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  for (size_t d = 0; d < rank; ++d) {
    if (a[d] == 1) a[d] = b[d];
    if (a[d] != b[d] && b[d] != 1) op.damaged("has shapes that do not broadcast");
  }
  if (op.output_tensor().type == OH_NN_INT64) return op.build().vector(a);
  return op.build().vector(List<int32_t>(a.begin(), a.end()));
}

void broadcast_args(Operator& op) {
  const auto first = op.build().integers(op.input(0)), second = op.build().integers(op.input(1));
  if (first && second) {
    const TensorId shape = known_shape(op, *first, *second);
    TensorSlot made = op.output_slot();
    made.id = shape;
    op.deliver(made);
    return;
  }
  const int32_t lengths[] = {op.length(op.input(0), 0), op.length(op.input(1), 0)};
  const int32_t rank = std::max(lengths[0], lengths[1]);
  if (rank > kMaxRank) op.refuse("has shapes of more than 8 dimensions");
  const bool is_wide = op.input_tensor(0).type == OH_NN_INT64;
  const auto ones = [&](int32_t count) {
    const auto size = static_cast<size_t>(count);
    return is_wide ? op.build().vector(List<int64_t>(size, 1)) : op.build().vector(List<int32_t>(size, 1));
  };
  const auto filled = [&](size_t i) {
    return lengths[i] == rank ? op.input(i) : op.concat({ones(rank - lengths[i]), op.input(i)}, 0);
  };
  const TensorId a = filled(0), b = filled(1);
  op.write_to(op.output(), Op::where, {op.equal(a, ones(1)), b, a});
}

void write_broadcast_to(NodeWriter& node) {
  node.use(Attr::shape);  // that of the result
  const Dims shape = node.output_shape();
  if (std::ranges::count(shape, -1) > 0) node.refuse("unknown dimensions");
  node.write(
      BROADCAST_TO,
      {node.requantized(node.inputs[0], node.outputs[0]), node.integers32({shape.begin(), shape.end()})},
      node.outputs);
}

constexpr Row kBroadcastRows[] = {
    {BROADCAST_TO, 2, 2, Numbers::any, broadcast_to, Op::broadcast_to, write_broadcast_to},
    {BROADCAST_ARGS, 2, 2, Numbers::any, broadcast_args},
};

}  // namespace

std::span<const Row> broadcast_rows() { return kBroadcastRows; }

}  // namespace nnrt::import::tflite
