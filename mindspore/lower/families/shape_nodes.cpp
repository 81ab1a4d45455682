// Reshapes and conversions: the elements keep their order.
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

// Old files have no second input: the declared shape counts.
void lower_reshape(Lowering& op) {
  const Value x = op.in(0);
  if (op.has(1)) return op.emit_results(Op::reshape, {x, op.shape_in(1)});
  Shape shape = op.result_source().dims;
  if (shape.empty()) shape = {1};
  op.emit_results(Op::reshape, {x, op.graph.integers(shape)});
}

void lower_unsqueeze(Lowering& op) { op.settings().empty() ? op.set(0, op.in(0)) : lower_plain(op); }

void lower_expand_dims(Lowering& op) { op.emit_result({op.in(0), op.shape_in(1)}); }

void lower_cast(Lowering& op) {
  DType dtype = op.declared().dtype;
  if (op.has(1)) {
    const Integers type = op.constant_integers(1, "type");
    dtype = type.empty() ? DType::unknown : dtype_of_number(type[0]);
  }
  if (dtype == DType::unknown) op.refuse("The type to cast to is not supported.");
  const Value x = op.in(0);
  const Value plain = is_float(dtype) ? dequantized(op.graph, x) : x;
  op.set(0, op.graph.emit(Op::cast, {plain, op.graph.number(DType::i32, double(dtype))}, {}, {dtype}));
}

void lower_quant_cast(Lowering& op) {
  const Value x = op.in(0);
  const DType target = dtype_of_number(op.primitive.integer("dst_t"));
  if (target == DType::unknown) op.refuse("The type to cast to is not supported.");
  if (is_float(target) && is_float(x.dtype)) return op.set(0, cast(op.graph, x, target));
  ResultType type = op.declared();
  type.dtype = target;
  if (is_float(target)) type.quant = {};
  Settings settings{{Attr::source_type, x.dtype}, {Attr::target_type, target}};
  if (op.primitive.has("axis")) settings.push_back({Attr::axis, op.primitive.integer("axis")});
  op.set(0, op.graph.emit(Op::quant_dtype_cast, {x}, settings, std::move(type)));
}

// The shape is an attribute, or an input in later files. -1 keeps a dimension.
void lower_broadcast_to(Lowering& op) {
  Integers shape = op.primitive.integers("shape");
  if (op.has(1)) shape = op.constant_integers(1, "dimensions");
  op.emit_result({op.in(0)}, {{Attr::shape, shape}});
}

void lower_tile(Lowering& op) {
  const Integers dims = op.primitive.integers("dims");
  Settings settings;
  const std::optional<Integers> multiples = op.integers(1);
  if (!dims.empty() && (!multiples || multiples->size() == dims.size()))
    settings.push_back({Attr::dims, dims});
  op.emit_result({op.in(0), op.shape_in(1)}, settings);
}

}  // namespace

std::span<const LoweringRow> shape_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::broadcast_to, 1, 2, lower_broadcast_to, Op::broadcast_to},
      {PrimitiveType::cast, 1, 2, lower_cast, Op::cast},
      {PrimitiveType::expand_dims, 2, 2, lower_expand_dims, Op::expand_dims},
      {PrimitiveType::flatten, 1, 1, lower_plain, Op::flatten},
      {PrimitiveType::quant_dtype_cast, 1, 1, lower_quant_cast, Op::quant_dtype_cast},
      {PrimitiveType::reshape, 1, 2, lower_reshape, Op::reshape},
      {PrimitiveType::squeeze, 1, 1, lower_plain, Op::squeeze},
      {PrimitiveType::tile_fusion, 2, 2, lower_tile, Op::tile},
      {PrimitiveType::unsqueeze, 1, 1, lower_unsqueeze, Op::unsqueeze},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
