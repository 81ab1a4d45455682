#include "core/passes/layout/nhwc_layout.h"

#include "core/base/transpose.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace nnrt {
namespace {

constexpr std::array<int64_t, 4> kAxisInNhwc{0, 3, 1, 2};  // NHWC index of each NCHW dimension

// Empty if it is not a dimension of a rank-4 tensor.
std::optional<int64_t> nhwc_axis(int64_t axis) {
  if (axis < -4 || axis >= 4) return {};
  return kAxisInNhwc[static_cast<size_t>(axis < 0 ? axis + 4 : axis)];
}

AttrValue integer(DType dtype, int64_t value) { return {dtype, {value}, {}}; }

NhwcNode first_input_only(const Node& node) {
  NhwcNode result{.data = std::vector<bool>(node.inputs.size(), false), .attrs = node.attrs, .operand = {}};
  result.data[0] = true;
  return result;
}

std::optional<NhwcNode> with_axis(NhwcNode result) {
  const std::optional<int64_t> axis = nhwc_axis(result.attrs.integer(Attr::axis));
  if (!axis) return {};
  result.attrs.set(Attr::axis, integer(result.attrs.at(Attr::axis).dtype, *axis));
  return result;
}

Tensor integers(const std::string& name, Shape shape, const std::vector<int32_t>& values) {
  Bytes bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  Tensor tensor{name, DType::i32, Format::none, std::move(shape), {}, 0, {}};
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return tensor;
}

// Returns whether the remaining dimensions have the same order in both layouts.
bool keeps_order(const std::vector<int64_t>& dropped) {
  const auto is_dropped = [&](int64_t axis) { return std::ranges::count(dropped, axis) > 0; };
  return is_dropped(1) || (is_dropped(2) && is_dropped(3));
}

std::optional<NhwcNode> reduction(const Graph& graph, const Node& node) {
  NhwcNode result = first_input_only(node);
  if (node.attrs.has(Attr::reduce_to_end) && node.attrs.flag(Attr::reduce_to_end)) return {};
  const auto axes = constant_integers(graph, node, 1);
  if (!axes) return {};
  std::vector<int32_t> nhwc_axes;
  std::vector<int64_t> dropped;
  for (const int64_t axis : *axes) {
    const std::optional<int64_t> position = nhwc_axis(axis);
    if (!position) return {};
    nhwc_axes.push_back(static_cast<int32_t>(*position));
    dropped.push_back(axis < 0 ? axis + 4 : axis);
  }
  result.outputs = node.attrs.flag(Attr::keep_dims);
  if (!result.outputs && !keeps_order(dropped)) return {};
  const Tensor& from = graph.tensors[node.inputs[1]];
  result.operand = integers(from.name + " as NHWC", from.shape, nhwc_axes);
  result.operand_index = 1;
  return result;
}

std::optional<NhwcNode> arg_max(const Node& node) {
  const int64_t axis = node.attrs.integer(Attr::axis);
  std::optional<NhwcNode> result = with_axis(first_input_only(node));
  if (!result) return {};
  result->outputs = node.attrs.flag(Attr::keep_dims) || node.attrs.integer(Attr::top_k) > 1;
  if (!result->outputs && !keeps_order({axis < 0 ? axis + 4 : axis})) return {};
  return result;
}

std::optional<NhwcNode> padding(const Graph& graph, const Node& node) {
  NhwcNode result = first_input_only(node);
  const auto pads = constant_integers(graph, node, 1);
  if (!pads || pads->size() != 8) return {};
  std::vector<int32_t> nhwc_pads;
  for (const int32_t from : kToNhwc) {
    for (const int32_t side : {0, 1}) {
      const int64_t pad = (*pads)[size_t{2} * from + side];
      if (pad < 0 || pad > std::numeric_limits<int32_t>::max()) return {};
      nhwc_pads.push_back(static_cast<int32_t>(pad));
    }
  }
  result.operand = integers("paddings as NHWC", {4, 2}, nhwc_pads);
  result.operand_index = 1;
  return result;
}

bool is_one_element(const Graph& graph, TensorId id) {
  return graph.shapes[id].size() <= 1 && element_count(graph.shapes[id]) == 1;
}

// Single elements need no conversion.
NhwcNode element_by_element(const Graph& graph, const Node& node) {
  NhwcNode result{.data = {}, .attrs = node.attrs, .operand = {}};
  for (const TensorId id : node.inputs) result.data.push_back(!is_one_element(graph, id));
  return result;
}

std::optional<NhwcNode> moved(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::concat: {
      NhwcNode all{.data = std::vector<bool>(node.inputs.size(), true), .attrs = node.attrs, .operand = {}};
      return with_axis(std::move(all));
    }
    case Op::split: return with_axis(first_input_only(node));
    case Op::pad:
    case Op::pad_edge:
    case Op::pad_wrap: return padding(graph, node);
    case Op::depth_to_space:
    case Op::space_to_depth: return first_input_only(node);
    default: return {};
  }
}

// Indices of a rank other than 1 would change the rank of the result.
std::optional<NhwcNode> gathered(const Graph& graph, const Node& node) {
  if (node.op != Op::gather || graph.shapes[node.inputs[1]].size() != 1) return {};
  const auto axis = constant_integers(graph, node, 2);
  const std::optional<int64_t> position = axis && axis->size() == 1 ? nhwc_axis(axis->front()) : std::nullopt;
  if (!position) return {};
  NhwcNode result = first_input_only(node);
  result.operand = integers("axis as NHWC", {1}, {static_cast<int32_t>(*position)});
  result.operand_index = 2;
  return result;
}

}  // namespace

std::optional<NhwcNode> to_nhwc_node(const Graph& graph, const Node& node) {
  switch (schema(node.op).family) {
    case Family::unary: return first_input_only(node);
    case Family::binary:
    case Family::affine:
      if (node.op == Op::batch_norm || node.op == Op::prelu || node.op == Op::bias_add) {
        if (graph.tensors[node.inputs[1]].shape.size() > 1) return {};
        return first_input_only(node);
      }
      if (schema(node.op).family == Family::affine) return {};
      return element_by_element(graph, node);
    case Family::reduce: return node.op == Op::arg_max ? arg_max(node) : reduction(graph, node);
    case Family::norm:
      if (node.op == Op::softmax || node.op == Op::log_softmax) return with_axis(first_input_only(node));
      if (node.op == Op::instance_norm || node.op == Op::group_norm) return first_input_only(node);
      return {};
    case Family::data_movement: return moved(graph, node);
    case Family::index: return gathered(graph, node);
    default: return {};
  }
}

std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, const Node& node, size_t input) {
  const Tensor& tensor = graph.tensors[node.inputs[input]];
  if (!tensor.is_constant() || !kIndex.contains(tensor.dtype)) return {};
  const size_t size = size_of(tensor.dtype);
  std::vector<int64_t> values;
  for (size_t at = 0; at < tensor.data->size(); at += size) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(tensor.dtype == DType::i64 ? static_cast<void*>(&wide) : &narrow, tensor.data->data() + at,
                size);
    values.push_back(tensor.dtype == DType::i64 ? wide : narrow);
  }
  return values;
}

Tensor nhwc_constant(const Tensor& constant) {
  Shape shape(4 - constant.shape.size(), 1);
  shape.insert(shape.end(), constant.shape.begin(), constant.shape.end());
  Tensor result = constant;
  result.name += " as NHWC";
  result.format = Format::nhwc;
  result.shape = {shape[0], shape[2], shape[3], shape[1]};
  result.data =
      std::make_shared<const Bytes>(transposed(*constant.data, shape, {0, 2, 3, 1}, size_of(constant.dtype)));
  return result;
}

}  // namespace nnrt
