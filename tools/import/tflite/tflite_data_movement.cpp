// Operators that move all elements.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

bool is_static(const Shape& shape) {
  return std::ranges::all_of(shape, [](int32_t dimension) { return dimension > 0; });
}

// From the operand if it is constant, from the options, or from the result.
List<int64_t> target_shape(Operator& op) {
  const Shape declared = op.output_tensor().shape;
  List<int64_t> shape;
  if (op.has(1) && op.build().is_constant(op.input(1))) {
    shape = op.integers(1);
  } else if (const auto* given = op.options<format::ReshapeOptions>().new_shape();
             given && given->size() <= 8) {
    shape.assign(given->begin(), given->end());
  } else {
    shape.assign(declared.begin(), declared.end());
  }
  // 0 has another meaning in OH_NN. Old files write scalars this way.
  if (std::ranges::count(shape, 0) > 0) op.refuse("makes an empty tensor");
  return shape;
}

// An empty list is the shape of a scalar.
bool asks_for_scalar(const Operator& op) { return op.has(1) && op.input_tensor(1).shape == Shape{0}; }

void reshape(Operator& op) {
  const Shape declared = op.output_tensor().shape;
  const auto* const given = op.options<format::ReshapeOptions>().new_shape();
  const bool has_rank = op.output_slot().has_rank || !(op.has(1) || (given && given->size() > 0));
  if (asks_for_scalar(op) || (declared.empty() && has_rank)) return op.write(Op::squeeze, {op.input(0)});
  const bool is_computed = op.has(1) && !op.build().is_constant(op.input(1));
  if (is_computed && !(has_rank && is_static(declared))) return op.write({op.input(0), op.input(1)});
  List<int64_t> shape = target_shape(op);
  if (is_computed) shape.assign(declared.begin(), declared.end());
  op.write({op.input(0), op.build().vector(shape)});
}

void squeeze(Operator& op) {
  const auto* given = op.options<format::SqueezeOptions>().squeeze_dims();
  List<int64_t> axes;
  if (given && given->size() > 0 && given->size() <= 8) {
    axes.assign(given->begin(), given->end());
  } else {
    const Shape shape = op.input_tensor(0).shape;
    for (size_t d = 0; d < shape.size(); ++d)
      if (shape[d] == 1) axes.push_back(static_cast<int64_t>(d));
  }
  Settings settings;
  if (!axes.empty()) settings.push_back({Attr::axis, axes});
  op.write({op.input(0)}, settings);
}

// OH_NN has the same operands in the same order.
void same_operands(Operator& op) { op.write(op.operands()); }

// A single operand is copied with RESHAPE, where 0 copies a dimension.
void concatenation(Operator& op) {
  const auto& options = op.options<format::ConcatenationOptions>();
  List<TensorId> operands = op.operands();
  const TensorId result = op.result();
  const bool is_activated = options.activation() != Activation::NONE;
  const TensorId target = is_activated ? op.build().temporary_like(result) : result;
  if (operands.size() == 1) {
    operands.push_back(op.build().vector(List<int64_t>(op.input_tensor(0).shape.size(), 0)));
    op.build().operation(Op::reshape, std::move(operands), {target});
  } else {
    op.build().operation(Op::concat, std::move(operands), {target}, {{Attr::axis, options.axis()}});
  }
  if (is_activated) op.activate(options.activation(), target, result);
}

void pack(Operator& op) {
  const int64_t axis = op.options<format::PackOptions>().axis();
  List<TensorId> operands = op.operands();
  if (operands.size() == 1) {
    op.write(Op::unsqueeze, std::move(operands), {{Attr::axis, {axis}}});
  } else {
    op.write(std::move(operands), {{Attr::axis, axis}});
  }
}

template <typename Options>
void depth_and_space(Operator& op) {
  op.write({op.input(0)}, {{Attr::block, op.options<Options>().block_size()}});
}

// For rank 3, blocks of one dimension become blocks of an image with width 1.
void batch_and_space(Operator& op) {
  const bool to_batch = op.row().code == SPACE_TO_BATCH_ND;
  List<int64_t> blocks = op.integers(1);
  List<int64_t> edges = op.integers(2, 2 * blocks.size());
  const Tensor input = op.input_tensor(0);
  const bool is_line = input.shape.size() == 3 && blocks.size() == 1;
  if (!is_line && blocks.size() != 2) op.refuse("has blocks that do not have one or two dimensions");
  TensorId x = op.input(0), target = op.result();
  const TensorId result = target;
  const auto with_width = [](Shape shape) {
    shape.insert_at(2, 1);
    return shape;
  };
  if (is_line) {
    blocks.push_back(1);
    edges.insert(edges.end(), {0, 0});
    const Tensor output = op.output_tensor();
    if (output.shape.size() != 3) op.damaged("needs a result of rank 3");
    const TensorId image = op.build().temporary(input.type, with_width(input.shape), input.quantization);
    op.build().operation(Op::unsqueeze, {x}, {image}, {{Attr::axis, {2}}});
    x = image;
    target = op.build().temporary(output.type, with_width(output.shape), output.quantization);
  }
  op.build().operation(op.row().type, {x}, {target},
                       {{Attr::block, blocks}, {to_batch ? Attr::paddings : Attr::crops, edges}});
  if (is_line) op.build().operation(Op::squeeze, {target}, {result}, {{Attr::axis, {2}}});
}

void write_reshape(NodeWriter& node) {
  for (const Attr attr : {Attr::axis, Attr::mode}) node.use(attr);  // the result has the shape that they give
  const Dims shape = node.output_shape();
  if (std::ranges::count(shape, -1) <= 1)
    return node.write_reshape(node.requantized(node.inputs[0], node.outputs[0]), node.outputs[0]);
  if (node.op() != Op::reshape || node.is_constant(1)) node.refuse("several unknown dimensions");
  node.write(RESHAPE, format::ReshapeOptionsT(), {node.inputs[0], node.narrowed(1)}, node.outputs);
}

void write_squeeze(NodeWriter& node) {
  format::SqueezeOptionsT options;
  if (node.has(Attr::axis))
    for (const int64_t axis : node.integers(Attr::axis))
      options.squeeze_dims.push_back(static_cast<int32_t>(axis));
  node.write(SQUEEZE, std::move(options), {node.requantized(node.inputs[0], node.outputs[0])}, node.outputs);
}

// The second operand is a list of integers.
void write_moved(NodeWriter& node) {
  const int32_t list = node.narrowed(1);
  node.write(node.code(), {node.requantized(node.inputs[0], node.outputs[0]), list}, node.outputs);
}

template <typename Options>
void write_joined(NodeWriter& node) {
  Options options;
  options.axis = node.option(Attr::axis);
  if constexpr (std::is_same_v<Options, format::PackOptionsT>)
    options.values_count = static_cast<int32_t>(node.input_count());
  Numbers32 operands;
  for (const int32_t operand : node.inputs) operands.push_back(node.requantized(operand, node.outputs[0]));
  node.write(node.code(), std::move(options), operands, node.outputs);
}

template <typename Options>
void write_depth_and_space(NodeWriter& node) {
  Options options;
  options.block_size = node.option(Attr::block);
  node.write(node.code(), std::move(options), {node.requantized(node.inputs[0], node.outputs[0])},
             node.outputs);
}

void write_batch_and_space(NodeWriter& node) {
  const Attr attr = node.op() == Op::space_to_batch_nd ? Attr::paddings : Attr::crops;
  const int32_t edges = node.integers32(node.has(attr) ? node.integers(attr) : List<int64_t>(4, 0));
  node.tensor(edges).shape = {2, 2};
  node.write(
      node.code(),
      {node.requantized(node.inputs[0], node.outputs[0]), node.integers32(node.integers(Attr::block)), edges},
      node.outputs);
}

constexpr int32_t kMaxRank = 8;

void broadcast_to(Operator& op) {
  const Shape declared = op.output_tensor().shape;
  List<int64_t> shape(declared.begin(), declared.end());
  const bool is_constant = op.build().is_constant(op.input(1));
  if (!is_constant && !(op.output_slot().has_rank && is_static(declared))) {
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
  return op.numbers(op.output_tensor().type, {static_cast<int32_t>(rank)}, a);
}

void broadcast_args(Operator& op) {
  const auto first = op.build().integers(op.input(0)), second = op.build().integers(op.input(1));
  if (first && second) {
    TensorSlot made = op.output_slot();
    made.id = known_shape(op, *first, *second);
    return op.deliver(made);
  }
  const int32_t lengths[] = {op.length(op.input(0), 0), op.length(op.input(1), 0)};
  const int32_t rank = std::max(lengths[0], lengths[1]);
  if (rank > kMaxRank) op.refuse("has shapes of more than 8 dimensions");
  const auto ones = [&](int32_t count) {
    return op.numbers(op.input_tensor(0).type, {count}, List<int64_t>(static_cast<size_t>(count), 1));
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

constexpr Row kDataMovementRows[] = {
    {RESHAPE, 1, 2, Numbers::any, reshape, Op::reshape, write_reshape},
    written(RESHAPE, Op::flatten, Numbers::any, write_reshape),
    written(RESHAPE, Op::unsqueeze, Numbers::any, write_reshape),
    {SQUEEZE, 1, 1, Numbers::any, squeeze, Op::squeeze, write_squeeze},
    {EXPAND_DIMS, 2, 2, Numbers::any, same_operands, Op::expand_dims, write_moved},
    {TRANSPOSE, 2, 2, Numbers::any, same_operands, Op::transpose, write_moved},
    {TILE, 2, 2, Numbers::any, same_operands, Op::tile, write_moved},
    {CONCATENATION, 1, kMany, Numbers::any, concatenation, Op::concat,
     write_joined<format::ConcatenationOptionsT>},
    {PACK, 1, kMany, Numbers::any, pack, Op::stack, write_joined<format::PackOptionsT>},
    {DEPTH_TO_SPACE, 1, 1, Numbers::any, depth_and_space<format::DepthToSpaceOptions>, Op::depth_to_space,
     write_depth_and_space<format::DepthToSpaceOptionsT>},
    {SPACE_TO_DEPTH, 1, 1, Numbers::any, depth_and_space<format::SpaceToDepthOptions>, Op::space_to_depth,
     write_depth_and_space<format::SpaceToDepthOptionsT>},
    {BATCH_TO_SPACE_ND, 3, 3, Numbers::any, batch_and_space, Op::batch_to_space_nd, write_batch_and_space},
    {SPACE_TO_BATCH_ND, 3, 3, Numbers::any, batch_and_space, Op::space_to_batch_nd, write_batch_and_space},
    {BROADCAST_TO, 2, 2, Numbers::any, broadcast_to, Op::broadcast_to, write_broadcast_to},
    {BROADCAST_ARGS, 2, 2, Numbers::any, broadcast_args},
};

}  // namespace

std::span<const Row> data_movement_rows() { return kDataMovementRows; }

}  // namespace nnrt::import::tflite
