// Concatenation, splitting, transposition, padding, and blocks.
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>
#include <numeric>

namespace nnrt::mindspore {
namespace {

void lower_concat(Lowering& op) {
  if (op.input_count() == 1) return op.set(0, op.in(0));
  op.emit_result(op.inputs(), op.settings());
}

void lower_stack(Lowering& op) {
  if (op.input_count() > 1) return op.emit_result(op.inputs(), op.settings());
  op.emit_results(Op::unsqueeze, {op.in(0)}, {{Attr::axis, Integers{op.primitive.integer("axis")}}});
}

// Sizes are an attribute, or an input in later files; without any the parts are equal.
void lower_split(Lowering& op) {
  Integers sizes = op.primitive.integers("size_splits");
  if (op.has(1)) sizes = op.constant_integers(1, "sizes");
  const int64_t axis = op.primitive.integer("axis"), count = op.primitive.integer("output_num");
  const int64_t outputs = int64_t(op.output_count());
  if (count != 0 && count != outputs)
    op.fail(invalid("The number of parts (", count, ") is not that of the outputs (", outputs, ")."));
  Settings settings{{Attr::axis, axis}};
  if (!sizes.empty()) settings.push_back({Attr::size_splits, std::move(sizes)});
  op.emit_results(Op::split, {op.in(0)}, settings, 0, op.output_count());
}

void lower_unstack(Lowering& op) {
  op.emit_results(Op::unstack, {op.in(0)}, op.settings(), 0, op.output_count());
}

// An empty permutation reverses; one of 4 numbers for 3 dimensions is a change of layout without the height.
void lower_transpose(Lowering& op) {
  const Value x = op.in(0);
  const std::optional<Integers> given = op.integers(1);
  if (op.has(1) && !given && op.source(1).dims != Shape{0}) return op.emit_result({x, op.in(1)});
  Integers perm = given.value_or(Integers());
  if (perm.empty()) {
    perm.resize(x.rank());
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  const bool is_layout = perm == Integers{0, 2, 3, 1} || perm == Integers{0, 3, 1, 2};
  if (x.rank() == 3 && is_layout) perm = {0, 2, 1};
  op.emit_result({x, op.graph.integers(perm)});
}

void lower_format_transpose(Lowering& op) {
  const int64_t from = op.primitive.integer("src_format"), to = op.primitive.integer("dst_format");
  if (from == to) return op.set(0, op.in(0));
  if (from == kNhwc && to == kNchw) return op.emit_result({op.in(0), op.graph.integers({0, 3, 1, 2})});
  if (from == kNchw && to == kNhwc) return op.emit_result({op.in(0), op.graph.integers({0, 2, 3, 1})});
  op.refuse("Formats (", from, " and ", to, ") are not supported.");
}

Integers flat(const List<Integers>& lists) {
  Integers all;
  for (const Integers& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// [begin, end] for each dimension, with any dims.
void lower_pad(Lowering& op) {
  const Value x = op.in(0);
  const Settings settings = op.settings();
  const int64_t rank = int64_t(std::max<size_t>(x.rank(), 1));
  if (op.has(1) && !op.integers(1))
    return op.emit_result({x, reshape(op.graph, op.in(1), {rank, 2})}, settings);
  const Integers paddings = op.has(1) ? *op.integers(1) : flat(op.primitive.lists("paddings"));
  if (int64_t(paddings.size()) != 2 * rank)
    op.fail(invalid("There are ", paddings.size(), " paddings for ", rank, " dimensions."));
  op.emit_result({x, op.graph.integers(paddings, {rank, 2})}, settings);
}

// Block and crops or paddings: attributes, or constant inputs.
void lower_blocks(Lowering& op) {
  const bool is_batch = op.op() == Op::batch_to_space_nd;
  const bool is_nd = op.primitive.type() == PrimitiveType::batch_to_space_nd ||
                     op.primitive.type() == PrimitiveType::space_to_batch_nd;
  Integers block = op.primitive.integers(is_nd ? "block_shape" : "block_size");
  Integers edges = flat(op.primitive.lists(is_batch ? "crops" : "paddings"));
  if (op.input_count() == 3) {
    block = op.constant_integers(1, "block");
    edges = op.constant_integers(2, is_batch ? "crops" : "paddings");
  }
  if (edges.empty()) edges.assign(4, 0);
  if (block.size() != 2 || edges.size() != 4)
    op.refuse("A block of ", block.size(), " dimensions and ", edges.size(), " edges is not supported.");
  op.emit_result({op.in(0)}, {{Attr::block, std::move(block)},
                              {is_batch ? Attr::crops : Attr::paddings, std::move(edges)}});
}

void lower_depth_to_space(Lowering& op) {
  const std::string mode = op.primitive.text("mode");
  if (!mode.empty() && mode != "DCR" && mode != "CRD") op.refuse("Mode ", mode, " is not supported.");
  op.emit_result({op.in(0)},
                 {{Attr::block, op.primitive.integer("block_size")}, {Attr::mode, mode == "CRD"}});
}

// A slice with a stride of -1 along the axes.
void lower_reverse(Lowering& op) {
  const Value x = op.in(0);
  const size_t rank = x.rank();
  Integers begin(rank, 0), end(rank, 0), strides(rank, 1);
  int64_t mask = (int64_t{1} << rank) - 1;
  for (int64_t axis : op.primitive.integers("axis")) {
    if (axis < 0) axis += int64_t(rank);
    if (axis < 0 || axis >= int64_t(rank)) op.fail(invalid("Axis (", axis, ") is out of range."));
    strides[size_t(axis)] = -1;
  }
  op.emit_results(Op::strided_slice,
                  {x, op.graph.integers(begin), op.graph.integers(end), op.graph.integers(strides)},
                  {{Attr::begin_mask, mask}, {Attr::end_mask, mask}});
}

// 0, 1, ... along one dimension; the others have length 1.
Value positions(GraphWriter& graph, size_t rank, size_t axis, int64_t length) {
  Integers counted(static_cast<size_t>(length));
  std::iota(counted.begin(), counted.end(), 0);
  Shape shape(rank, 1);
  shape[axis] = length;
  return graph.integers(counted, shape);
}

// Reverses the leading elements of each sequence, up to its length.
void lower_reverse_sequence(Lowering& op) {
  const Value x = op.in(0), lengths = op.in(1);
  const int64_t rank = int64_t(x.rank());
  const auto axis_of = [&](std::string_view field) -> int64_t {
    const int64_t axis = op.primitive.integer(field);
    return axis < 0 ? axis + rank : axis;
  };
  const int64_t along = axis_of("seq_dim"), batch = axis_of("batch_dim");
  if (along < 0 || along >= rank || batch < 0 || batch >= rank || along == batch)
    op.fail(invalid("The dimensions of the sequence (", op.primitive.integer("seq_dim"),
                    ") and of the batch (", op.primitive.integer("batch_dim"), ") do not exist in ",
                    to_string(x.shape), ", or are the same."));
  constexpr int64_t kMaxSteps = 1 << 24;
  if (!is_static(x.shape) || x.shape[size_t(along)] > kMaxSteps)
    op.refuse("The shape ", to_string(x.shape), " is not known, or has more than ", kMaxSteps, " steps.");
  Shape per_batch(x.rank(), 1);
  per_batch[size_t(batch)] = x.shape[size_t(batch)];
  GraphWriter& graph = op.graph;
  const Value step = positions(graph, x.rank(), size_t(along), x.shape[size_t(along)]);
  const Value ends = reshape(graph, cast(graph, lengths, DType::i64), per_batch);
  const Value mirrored = graph.emit(Op::sub, {add(graph, ends, -1), step});
  const Value is_inside = graph.emit(Op::less, {step, ends}, {}, {DType::boolean});
  const Value from = graph.emit(Op::where, {is_inside, mirrored, step}, {}, {DType::i64});
  const Value all = graph.emit(Op::broadcast_to, {from}, {{Attr::shape, Integers(x.shape)}});
  op.emit_results(Op::gather_elements, {x, all}, {{Attr::axis, along}});
}

// Halves along the axis: the first times the sigmoid of the second.
void lower_glu(Lowering& op) {
  const Value x = op.real_in(0);
  List<Value> halves = op.graph.emit_all(Op::split, {x}, {{Attr::axis, op.primitive.integer("axis")}},
                                         {type_of(x), type_of(x)});
  op.set(0, op.emit(Op::mul, {halves[0], op.emit(Op::sigmoid, {halves[1]})}));
}

}  // namespace

std::span<const LoweringRow> data_movement_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::batch_to_space, 1, 3, lower_blocks, Op::batch_to_space_nd},
      {PrimitiveType::batch_to_space_nd, 1, 3, lower_blocks, Op::batch_to_space_nd},
      {PrimitiveType::concat, 1, kMany, lower_concat, Op::concat},
      {PrimitiveType::depth_to_space, 1, 1, lower_depth_to_space, Op::depth_to_space},
      {PrimitiveType::format_transpose, 1, 1, lower_format_transpose, Op::transpose},
      {PrimitiveType::glu, 1, 1, lower_glu},
      {PrimitiveType::pad_fusion, 1, 2, lower_pad, Op::pad},
      {PrimitiveType::reverse_sequence, 2, 2, lower_reverse_sequence},
      {PrimitiveType::reverse_v2, 1, 1, lower_reverse},
      {PrimitiveType::space_to_batch, 1, 3, lower_blocks, Op::space_to_batch_nd},
      {PrimitiveType::space_to_batch_nd, 1, 3, lower_blocks, Op::space_to_batch_nd},
      {PrimitiveType::space_to_depth, 1, 1, lower_plain, Op::space_to_depth},
      {PrimitiveType::split, 1, 2, lower_split, Op::split},
      {PrimitiveType::stack, 1, kMany, lower_stack, Op::stack},
      {PrimitiveType::transpose, 1, 2, lower_transpose, Op::transpose},
      {PrimitiveType::unstack, 1, 1, lower_unstack, Op::unstack},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
