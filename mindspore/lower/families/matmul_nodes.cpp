// Matrix products.
#include "core/base/text.h"
#include "mindspore/lower/constants.h"
#include "mindspore/lower/node_lowering.h"

namespace nnrt::mindspore {
namespace {

// [n, c, 1, 1] beside a matrix counts as [n, c].
Value flattened(Lowering& op, const Value& x, const Value& y) {
  const bool is_column = x.rank() == 4 && y.rank() == 2 && x.dim(2) == 1 && x.dim(3) == 1 && x.dim(1) != 1;
  if (!is_column || x.dim(0) == kUnknown || x.dim(1) == kUnknown) return x;
  return reshape(op.graph, x, {x.dim(0), x.dim(1)});
}

// A constant matrix on the right is a fully connected layer, which has a bias and scales for each channel.
void lower_connected(Lowering& op, const Value& x, const Value& y, bool is_transposed) {
  constexpr int64_t kSwap[] = {1, 0};
  const Value weight = is_transposed ? y : repacked(op.graph, y, y.shape, kSwap, {y.dim(1), y.dim(0)});
  List<Value> operands{x, weight};
  if (op.has(2)) operands.push_back(op.in(2));
  op.emit_activated(Op::full_connection, std::move(operands), {{Attr::axis, -1}});
}

void lower_matmul(Lowering& op) {
  const Value y = op.in(1), x = flattened(op, op.in(0), y);
  const bool first = op.primitive.flag("transpose_a"), second = op.primitive.flag("transpose_b");
  const bool is_constant = op.graph.tensor(y.id).is_constant();
  const bool is_connected = is_constant && y.rank() == 2 && x.rank() >= 2 && !first;
  if (is_connected && (op.has(2) || y.quant.scales.size() > 1)) return lower_connected(op, x, y, second);
  if (!op.has(2)) return op.emit_activated(Op::matmul, {x, y}, op.settings());
  if (x.is_quantized()) op.refuse("A quantized product of two computed matrices has a bias.");
  op.emit_activated(Op::add, {op.emit(Op::matmul, {x, y}, op.settings()), op.in(2)});
}

// With use_axis the dimensions from the axis on are flattened, else rows are as long as the weight's.
void lower_full_connection(Lowering& op) {
  Settings settings;
  if (op.primitive.flag("use_axis")) settings.push_back({Attr::axis, op.primitive.integer("axis")});
  op.emit_activated(Op::full_connection, op.inputs(), std::move(settings));
}

}  // namespace

std::span<const LoweringRow> matmul_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::full_connection, 2, 3, lower_full_connection, Op::full_connection},
      {PrimitiveType::mat_mul_fusion, 2, 3, lower_matmul, Op::matmul},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
