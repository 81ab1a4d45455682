// Data movement. core/schema/data_movement/ resolves the parameters, for the copies too.
#include "core/schema/data_movement/data_movement.h"
#include "core/schema/rules.h"

namespace nnrt {
namespace {

Result<Shapes> moved_shapes(const NodeView& node) {
  switch (node.op()) {
    case Op::transpose: {
      NNRT_ASSIGN(const std::vector<size_t> order, data_movement::permutation(node));
      const Shape input = data_movement::at_least_1d(node.shape(0));
      Shape output;
      for (const size_t d : order) output.push_back(input[d]);
      return Shapes{output};
    }
    case Op::slice:
    case Op::strided_slice:
    case Op::crop: {
      NNRT_ASSIGN(data_movement::Slice slice, data_movement::slice(node));
      return Shapes{std::move(slice.output)};
    }
    case Op::tile:
    case Op::broadcast_to: {
      NNRT_ASSIGN(data_movement::Repeat repeat, data_movement::repeat(node));
      return Shapes{std::move(repeat.output)};
    }
    case Op::pad:
    case Op::pad_edge:
    case Op::pad_wrap: {
      NNRT_ASSIGN(data_movement::Padding padding, data_movement::padding(node));
      return Shapes{std::move(padding.output)};
    }
    default: break;
  }
  NNRT_ASSIGN(Shape shape, data_movement::reshaped(node));
  return Shapes{std::move(shape)};
}

Result<Shapes> parts_shapes(const NodeView& node) {
  NNRT_ASSIGN(const data_movement::ConcatSplit concat_split, data_movement::concat_split(node));
  if (node.op() == Op::concat || node.op() == Op::stack) return Shapes{concat_split.whole};
  Shapes shapes;
  for (size_t i = 0; i < concat_split.sizes.size(); ++i) {
    shapes.push_back(concat_split.segment(i));
    if (node.op() == Op::unstack)
      shapes.back().erase(shapes.back().begin() + std::ptrdiff_t(concat_split.axis));
  }
  return shapes;
}

Result<Shapes> block_shapes(const NodeView& node) {
  NNRT_ASSIGN(const data_movement::Blocks blocks, data_movement::blocks(node));
  const bool packs = node.op() == Op::space_to_depth || node.op() == Op::space_to_batch_nd;
  return Shapes{packs ? blocks.packed : blocks.image};
}

// If a value is missing, the shape is determined at run time (R5).
template <InferFunction infer>
Result<Shapes> known(const NodeView& node) {
  const std::vector<InputRow>& rows = node.schema().inputs;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].value && !node.integers(i)) return unknown_shapes(node);
  }
  return infer(node);
}

constexpr InferFunction kMoved = known<moved_shapes>;
constexpr InferFunction kParts = known<parts_shapes>;
constexpr InferFunction kBlocks = known<block_shapes>;

OpSchema move(Op op, InferFunction infer, std::vector<ParamRow> params, std::vector<InputRow> values = {}) {
  OpSchema row{.op = op, .copy = true};
  row.layout_dependent = infer == kBlocks;
  row.inputs = {{.name = "input", .dtypes = kAny}};
  row.inputs.insert(row.inputs.end(), values.begin(), values.end());
  row.params = std::move(params);
  row.outputs = {{.name = "output"}};
  row.infer = infer;
  return row;
}

OpSchema join(Op op, ParamRow axis) {
  OpSchema row = move(op, kParts, {std::move(axis)});
  row.inputs[0].many = true;
  return row;
}

OpSchema part(OpSchema row) {
  row.outputs[0].many = true;
  return row;
}

ParamRow with_rank(int rank, ParamRow row) {
  row.rank = rank;
  return row;
}

constexpr Count kList{1, kManyElements};

std::vector<OpSchema> reshapes() {
  return {
      move(Op::reshape, kMoved, {}, {value_input("inputShape")}),
      move(Op::flatten, kMoved, {integer_param(Param::flatten_axis, Attr::axis, 1)}),
      move(Op::squeeze, kMoved, {integers_param(Param::squeeze_axis, Attr::axis, kList)}),
      move(Op::unsqueeze, kMoved, {required(integers_param(Param::unsqueeze_axis, Attr::axis, kList))}),
      move(Op::expand_dims, kMoved, {}, {value_input("axis")}),
  };
}

OpSchema strided_slice() {
  return move(Op::strided_slice, kMoved,
              {integer_param(Param::strided_slice_begin_mask, Attr::begin_mask, 0),
               integer_param(Param::strided_slice_end_mask, Attr::end_mask, 0),
               integer_param(Param::strided_slice_ellipsis_mask, Attr::ellipsis_mask, 0),
               integer_param(Param::strided_slice_new_axis_mask, Attr::new_axis_mask, 0),
               integer_param(Param::strided_slice_shrink_axis_mask, Attr::shrink_axis_mask, 0)},
              {value_input("begin"), value_input("end"), value_input("strides")});
}

std::vector<OpSchema> rearrangements() {
  return {
      move(Op::transpose, kMoved, {}, {value_input("perm")}),
      move(Op::slice, kMoved, {integers_param(Param::slice_axes, Attr::axes, kList)},
           {value_input("begin"), value_input("size")}),
      strided_slice(),
      move(Op::crop, kMoved,
           {integer_param(Param::crop_axis, Attr::axis, 0),
            integers_param(Param::crop_offset, Attr::offset, kList)},
           {value_input("shape")}),
      move(Op::tile, kMoved, {integers_param(Param::tile_dims, Attr::dims, kList)},
           {value_input("multiples")}),
      move(Op::broadcast_to, kMoved,
           {required(integers_param(Param::broadcast_to_shape, Attr::shape, {1, 8}))}),
  };
}

std::vector<OpSchema> concat_split() {
  ParamRow unstack_axis = integer_param(Param::unstack_axis, Attr::axis, 0);
  unstack_axis.dtypes = kIndex;
  return {
      join(Op::concat, integer_param(Param::concat_axis, Attr::axis, 0)),
      join(Op::stack, integer_param(Param::stack_axis, Attr::axis, 0)),
      part(move(Op::split, kParts,
                {integer_param(Param::split_axis, Attr::axis, 0),
                 integer_param(Param::split_output_num, Attr::output_num),
                 integers_param(Param::split_size_splits, Attr::size_splits, kList)})),
      part(move(Op::unstack, kParts, {unstack_axis})),
  };
}

std::vector<OpSchema> block_movement() {
  return {
      move(Op::depth_to_space, kBlocks,
           {required(integer_param(Param::depth_to_space_block_size, Attr::block)),
            choice_param(Param::depth_to_space_mode, Attr::mode, DType::i32, 2)}),
      move(Op::space_to_depth, kBlocks,
           {required(integer_param(Param::space_to_depth_block_size, Attr::block))}),
      move(Op::batch_to_space_nd, kBlocks,
           {required(integers_param(Param::batch_to_space_nd_blocksize, Attr::block, {2, 2})),
            integers_param(Param::batch_to_space_nd_crops, Attr::crops, {4, 4}, {0, 0, 0, 0})}),
      move(Op::space_to_batch_nd, kBlocks,
           {with_rank(1, required(integers_param(Param::space_to_batch_nd_block_shape, Attr::block, {2, 2}))),
            with_rank(
                2, integers_param(Param::space_to_batch_nd_paddings, Attr::paddings, {4, 4}, {0, 0, 0, 0}))}),
  };
}

// The constant is FLOAT32 or has the dtype of the data (otherwise a structure error).
Status check_pad_constant(const NodeView& node) {
  if (!node.attrs().has(Attr::constant_value)) return {};
  const DType dtype = node.attrs().at(Attr::constant_value).dtype;
  if (dtype == DType::f32 || dtype == node.dtype(0)) return {};
  return invalid("The dtype of the constant (", name(dtype), ") is neither FLOAT32 nor the input's (",
                 name(node.dtype(0)), ").");
}

OpSchema pad() {
  OpSchema row = move(Op::pad, kMoved,
                      {real_param(Param::pad_constant_value, Attr::constant_value, 0),
                       choice_param(Param::pad_padding_mode, Attr::padding_mode, DType::i32, 3)},
                      {value_input("paddings")});
  row.inputs[0].name = "inputX";
  row.params[0].dtypes = kReal | DTypeSet{DType::u16, DType::u32, DType::u64};
  row.operation_check = check_pad_constant;
  return row;
}

}  // namespace

std::vector<OpSchema> data_movement_rows() {
  std::vector<OpSchema> rows;
  for (const auto& group : {reshapes(), rearrangements(), concat_split(), block_movement()}) {
    rows.insert(rows.end(), group.begin(), group.end());
  }
  rows.push_back(pad());
  for (const Op op : {Op::pad_edge, Op::pad_wrap}) {
    rows.push_back(move(op, kMoved, {}, {value_input("paddings")}));
  }
  return rows;
}

}  // namespace nnrt
