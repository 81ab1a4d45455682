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

OpSchema move(Op op, int level, InferFunction infer, std::vector<ParamRow> params,
              std::vector<InputRow> values = {}) {
  OpSchema row{.op = op, .since = level, .copy = true};
  row.layout_dependent = infer == kBlocks;
  row.inputs = {{.name = "input", .dtypes = kAny}};
  row.inputs.insert(row.inputs.end(), values.begin(), values.end());
  row.params = std::move(params);
  row.outputs = {{.name = "output"}};
  row.infer = infer;
  return row;
}

OpSchema join(Op op, ParamRow axis) {
  OpSchema row = move(op, 9, kParts, {std::move(axis)});
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
      move(Op::reshape, 9, kMoved, {}, {value_input("inputShape")}),
      move(Op::flatten, 12, kMoved, {integer_param(79, "OH_NN_FLATTEN_AXIS", Attr::axis, 1)}),
      move(Op::squeeze, 9, kMoved, {integers_param(52, "OH_NN_SQUEEZE_AXIS", Attr::axis, kList)}),
      move(Op::unsqueeze, 9, kMoved,
           {required(integers_param(77, "OH_NN_UNSQUEEZE_AXIS", Attr::axis, kList))}),
      move(Op::expand_dims, 9, kMoved, {}, {value_input("axis")}),
  };
}

OpSchema strided_slice() {
  return move(Op::strided_slice, 9, kMoved,
              {integer_param(54, "OH_NN_STRIDED_SLICE_BEGIN_MASK", Attr::begin_mask, 0),
               integer_param(55, "OH_NN_STRIDED_SLICE_END_MASK", Attr::end_mask, 0),
               integer_param(56, "OH_NN_STRIDED_SLICE_ELLIPSIS_MASK", Attr::ellipsis_mask, 0),
               integer_param(57, "OH_NN_STRIDED_SLICE_NEW_AXIS_MASK", Attr::new_axis_mask, 0),
               integer_param(58, "OH_NN_STRIDED_SLICE_SHRINK_AXIS_MASK", Attr::shrink_axis_mask, 0)},
              {value_input("begin"), value_input("end"), value_input("strides")});
}

std::vector<OpSchema> rearrangements() {
  return {
      move(Op::transpose, 9, kMoved, {}, {value_input("perm")}),
      move(Op::slice, 9, kMoved, {since(12, integers_param(127, "OH_NN_SLICE_AXES", Attr::axes, kList))},
           {value_input("begin"), value_input("size")}),
      strided_slice(),
      move(Op::crop, 12, kMoved,
           {integer_param(129, "OH_NN_CROP_AXIS", Attr::axis, 0),
            integers_param(130, "OH_NN_CROP_OFFSET", Attr::offset, kList)},
           {value_input("shape")}),
      move(Op::tile, 9, kMoved, {since(12, integers_param(128, "OH_NN_TILE_DIMS", Attr::dims, kList))},
           {value_input("multiples")}),
      move(Op::broadcast_to, 12, kMoved,
           {required(integers_param(87, "OH_NN_BROADCAST_TO_SHAPE", Attr::shape, {1, 8}))}),
  };
}

std::vector<OpSchema> concat_split() {
  ParamRow unstack_axis = integer_param(78, "OH_NN_UNSTACK_AXIS", Attr::axis, 0);
  unstack_axis.dtypes = kIndex;
  return {
      join(Op::concat, integer_param(10, "OH_NN_CONCAT_AXIS", Attr::axis, 0)),
      join(Op::stack, integer_param(53, "OH_NN_STACK_AXIS", Attr::axis, 0)),
      part(move(Op::split, 9, kParts,
                {integer_param(49, "OH_NN_SPLIT_AXIS", Attr::axis, 0),
                 integer_param(50, "OH_NN_SPLIT_OUTPUT_NUM", Attr::output_num),
                 integers_param(51, "OH_NN_SPLIT_SIZE_SPLITS", Attr::size_splits, kList)})),
      part(move(Op::unstack, 12, kParts, {unstack_axis})),
  };
}

std::vector<OpSchema> block_movement() {
  return {
      move(Op::depth_to_space, 12, kBlocks,
           {required(integer_param(80, "OH_NN_DEPTH_TO_SPACE_BLOCK_SIZE", Attr::block)),
            choice_param(81, "OH_NN_DEPTH_TO_SPACE_MODE", Attr::mode, DType::i32, 2)}),
      move(Op::space_to_depth, 12, kBlocks,
           {required(integer_param(150, "OH_NN_SPACE_TO_DEPTH_BLOCK_SIZE", Attr::block))}),
      move(Op::batch_to_space_nd, 9, kBlocks,
           {required(integers_param(8, "OH_NN_BATCH_TO_SPACE_ND_BLOCKSIZE", Attr::block, {2, 2})),
            integers_param(9, "OH_NN_BATCH_TO_SPACE_ND_CROPS", Attr::crops, {4, 4}, {0, 0, 0, 0})}),
      move(Op::space_to_batch_nd, 9, kBlocks,
           {with_rank(
                1, required(integers_param(47, "OH_NN_SPACE_TO_BATCH_ND_BLOCK_SHAPE", Attr::block, {2, 2}))),
            with_rank(2, integers_param(48, "OH_NN_SPACE_TO_BATCH_ND_PADDINGS", Attr::paddings, {4, 4},
                                        {0, 0, 0, 0}))}),
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
  OpSchema row =
      move(Op::pad, 9, kMoved,
           {real_param(43, "OH_NN_PAD_CONSTANT_VALUE", Attr::constant_value, 0),
            since(12, choice_param(116, "OH_NN_PAD_PADDING_MODE", Attr::padding_mode, DType::i32, 3))},
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
    rows.push_back(move(op, 12, kMoved, {}, {value_input("paddings")}));
  }
  return rows;
}

}  // namespace nnrt
