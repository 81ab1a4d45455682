// Computes CONV3D as CONV2D, for which devices have faster kernels.
#include "core/base/transpose.h"
#include "core/graph/activation.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/simplify/product_operands.h"

#include <algorithm>
#include <cmath>

namespace nnrt::simplified {
namespace {

constexpr size_t kRank = 5;
const Shape kToChannelsLast{0, 2, 3, 4, 1}, kToChannelsFirst{0, 4, 1, 2, 3};

Shape permuted(const Shape& shape, const Shape& order) {
  Shape result;
  for (const int64_t dimension : order) result.push_back(shape[size_t(dimension)]);
  return result;
}

// The shape with two dimensions merged.
Shape merged(Shape shape, size_t first) {
  shape[first] = shape[first] == kUnknown ? kUnknown : shape[first] * shape[first + 1];
  shape.erase(shape.begin() + std::ptrdiff_t(first) + 1);
  return shape;
}

Node node_at(const Node& origin, Op op, std::vector<TensorId> inputs) {
  return {op, std::move(inputs), {}, {}, origin.position, {}, {}};
}

// A CONV3D whose shapes, [batch, depth, height, width, channels], are known but for the batch.
class Conv3d {
 public:
  static std::optional<Conv3d> of(Rewriter& graph, NodeId id) {
    const Node& node = *graph.node(id);
    if (node.op != Op::conv3d) return {};
    for (const TensorId tensor : {node.inputs[0], node.inputs[1], node.outputs[0]}) {
      const Shape& shape = graph.shape(tensor);
      if (shape.size() != kRank || !is_static({shape.begin() + 1, shape.end()})) return {};
    }
    return Conv3d(graph, id);
  }

  const Node& node() const { return node_; }
  bool has_channels_first() const { return has_channels_first_; }
  const Shape& from() const { return from_; }
  const Shape& to() const { return to_; }
  const Shape& weight() const { return weight_; }

  int64_t groups() const { return value(Attr::group, 0, 1); }
  // Value i of an attribute.
  int64_t value(Attr attr, size_t i, int64_t usual) const {
    return node_.attrs.has(attr) ? node_.attrs.integers(attr)[i] : usual;
  }
  // Returns whether an output depends on the input at its own position along the axis (0: depth) only.
  bool is_pointwise(size_t axis) const {
    return weight_[1 + axis] == 1 && value(Attr::stride, axis, 1) == 1 &&
           value(Attr::pad, 2 * axis, 0) == 0 && value(Attr::pad, 2 * axis + 1, 0) == 0;
  }

  // The input with channels last.
  TensorId data() {
    const TensorId given = node_.inputs[0];
    if (!has_channels_first_) return given;
    const Tensor model = graph_.tensor(given);
    return graph_.append(node_at(node_, Op::transpose, {given, add_shape(graph_, kToChannelsLast)}), model,
                         from_);
  }

  // The result of a CONV2D along two of the axes, of shape `flat`.
  TensorId convolve(TensorId data, TensorId weight, TensorId bias, const std::array<size_t, 2>& axes,
                    Activation activation, const Shape& flat) {
    Node conv = node_at(node_, Op::conv2d, {data, weight, bias});
    conv.format = Format::nhwc;
    keep(conv.attrs, Attr::stride, 1, 1, axes);
    keep(conv.attrs, Attr::dilation, 1, 1, axes);
    keep(conv.attrs, Attr::pad, 2, 0, axes);
    conv.attrs.set(Attr::group, {DType::i64, {groups()}, {}});
    set_activation(conv.attrs, activation);
    const Tensor model = graph_.tensor(node_.outputs[0]);
    return graph_.append(std::move(conv), model, flat);
  }

  // Replaces the node by a CONV2D along two of the axes.
  void replace(TensorId data, TensorId weight, const std::array<size_t, 2>& axes, const Shape& flat) {
    replace(convolve(data, weight, node_.inputs[2], axes, activation_of(node_.attrs), flat));
  }

  // Replaces the node by a tensor that has its elements in channels-last order.
  void replace(TensorId computed) {
    Node last = node_at(node_, Op::reshape, {computed, add_shape(graph_, to_)});
    if (has_channels_first_) {
      const Tensor model = graph_.tensor(computed);
      const TensorId split = graph_.append(std::move(last), model, to_);
      last = node_at(node_, Op::transpose, {split, add_shape(graph_, kToChannelsFirst)});
    }
    last.outputs = node_.outputs;
    graph_.replace(id_, std::move(last));
  }

 private:
  Conv3d(Rewriter& graph, NodeId id)
      : graph_(graph),
        id_(id),
        node_(*graph.node(id)),
        has_channels_first_(graph.format_of(node_) == Format::nchw),
        from_(graph.shape(node_.inputs[0])),
        to_(graph.shape(node_.outputs[0])),
        weight_(graph.shape(node_.inputs[1])) {
    if (!has_channels_first_) return;
    from_ = permuted(from_, kToChannelsLast);
    to_ = permuted(to_, kToChannelsLast);
  }

  // Keeps two axes' values of an attribute with `each` values per axis.
  void keep(Attrs& attrs, Attr attr, size_t each, int64_t usual, const std::array<size_t, 2>& axes) const {
    std::vector<int64_t> kept;
    for (const size_t axis : axes)
      for (size_t i = 0; i < each; ++i) kept.push_back(value(attr, axis * each + i, usual));
    attrs.set(attr, {DType::i64, std::move(kept), {}});
  }

  Rewriter& graph_;
  const NodeId id_;
  const Node node_;
  const bool has_channels_first_;
  Shape from_, to_, weight_;
};

// The part of the padded input that a tap along depth reads.
TensorId tap_of(Rewriter& graph, const Conv3d& conv, TensorId padded, int64_t tap) {
  constexpr int64_t kAllButDepth = 0b11101;
  const int64_t stride = conv.value(Attr::stride, 0, 1), first = tap * conv.value(Attr::dilation, 0, 1);
  Shape shape = conv.from();
  shape[1] = conv.to()[1];
  const int64_t end = first + (shape[1] - 1) * stride + 1;
  const Tensor model = graph.tensor(padded);
  Node slice = node_at(conv.node(), Op::strided_slice,
                       {padded, add_shape(graph, {0, first, 0, 0, 0}), add_shape(graph, {0, end, 0, 0, 0}),
                        add_shape(graph, {1, stride, 1, 1, 1})});
  for (const Attr mask : {Attr::begin_mask, Attr::end_mask})
    slice.attrs.set(mask, {DType::i64, {kAllButDepth}, {}});
  for (const Attr mask : {Attr::ellipsis_mask, Attr::new_axis_mask, Attr::shrink_axis_mask})
    slice.attrs.set(mask, {DType::i64, {0}, {}});
  return graph.append(std::move(slice), model, shape);
}

TensorId padded_depth(Rewriter& graph, const Conv3d& conv, TensorId data) {
  const int64_t before = conv.value(Attr::pad, 0, 0), after = conv.value(Attr::pad, 1, 0);
  if (before == 0 && after == 0) return data;
  const Tensor model = graph.tensor(data), index = graph.tensor(add_shape(graph, {0}));
  Shape shape = conv.from();
  shape[1] += before + after;
  const TensorId amounts = graph.add_integers(index, {5, 2}, {0, 0, before, after, 0, 0, 0, 0, 0, 0});
  Node pad = node_at(conv.node(), Op::pad, {data, amounts});
  pad.attrs.set(Attr::constant_value, {DType::f32, {}, {0}});
  pad.attrs.set(Attr::padding_mode, {DType::i32, {0}, {}});
  return graph.append(std::move(pad), model, shape);
}

// Weights [out, depth, height, width, in] as [out, height, width, depth * in].
TensorId with_depth_in_channels(Rewriter& graph, TensorId id, const Shape& shape) {
  Tensor weight = graph.tensor(id);
  require_read(weight.data);
  weight.data = SharedBytes(
      std::make_shared<Bytes>(transposed(*weight.data, shape, {0, 2, 3, 1, 4}, size_of(weight.dtype))));
  weight.shape = {shape[0], shape[2], shape[3], shape[1] * shape[4]};
  return graph.add(std::move(weight));
}

// Weights [channels, depth, height, width, 1] as one [channels, height, width, 1] per tap along depth.
std::vector<TensorId> weights_by_depth(Rewriter& graph, TensorId id, const Shape& shape) {
  Tensor weight = graph.tensor(id);
  require_read(weight.data);
  const Bytes all = transposed(*weight.data, shape, {1, 0, 2, 3, 4}, size_of(weight.dtype));
  const size_t bytes = all.size() / size_t(shape[1]);
  weight.shape = {shape[0], shape[2], shape[3], shape[4]};
  std::vector<TensorId> weights;
  for (auto from = all.begin(); from != all.end(); from += std::ptrdiff_t(bytes)) {
    weight.data = SharedBytes(std::make_shared<Bytes>(from, from + std::ptrdiff_t(bytes)));
    weights.push_back(graph.add(weight));
  }
  return weights;
}

// Bounds the memory of the padded input and of its copies, one per tap.
bool is_small(const Conv3d& conv) {
  constexpr int64_t kMaxTaps = 16;
  const int64_t taps = conv.weight()[1], depth = conv.from()[1];
  return taps <= kMaxTaps &&
         conv.value(Attr::pad, 0, 0) + conv.value(Attr::pad, 1, 0) <= 2 * std::max(depth, taps);
}

// Padding zeros times infinite weights would be NaN.
bool tolerates_zeros(const Rewriter& graph, const Conv3d& conv) {
  if (conv.value(Attr::pad, 0, 0) == 0 && conv.value(Attr::pad, 1, 0) == 0) return true;
  const auto weights = graph.floats(conv.node().inputs[1]);
  return !weights || std::ranges::all_of(*weights, [](double weight) { return std::isfinite(weight); });
}

// Returns whether a kernel can work on planes (channels first, no strides within one) of few output channels
// per group.
bool is_narrow(const Conv3d& conv) {
  constexpr int64_t kFewOutputs = 8;
  return conv.has_channels_first() && conv.to()[4] / conv.groups() <= kFewOutputs &&
         conv.value(Attr::stride, 1, 1) == 1 && conv.value(Attr::stride, 2, 1) == 1;
}

// Returns whether taps along depth can be inputs of their own.
bool has_separable_taps(const Rewriter& graph, const Conv3d& conv) {
  return graph.tensor(conv.node().inputs[1]).is_constant() && is_small(conv) && tolerates_zeros(graph, conv);
}

std::vector<TensorId> taps_of(Rewriter& graph, Conv3d& conv) {
  const TensorId padded = padded_depth(graph, conv, conv.data());
  std::vector<TensorId> taps;
  for (int64_t tap = 0; tap < conv.weight()[1]; ++tap) taps.push_back(tap_of(graph, conv, padded, tap));
  return taps;
}

bool unroll(Rewriter& graph, NodeId id, bool narrow) {
  auto conv = Conv3d::of(graph, id);
  if (!conv || is_narrow(*conv) != narrow || !has_separable_taps(graph, *conv)) return false;
  const Node& node = conv->node();
  std::vector<TensorId> taps = taps_of(graph, *conv);
  Shape shape = conv->from();
  shape[1] = conv->to()[1];
  Shape flat = merged(shape, 0);
  flat[3] *= int64_t(taps.size());
  if (const int64_t groups = conv->groups(); groups > 1) {  // the taps of a group are neighbours
    shape = {merged(merged(merged(shape, 0), 0), 0)[0], groups, shape[4] / groups};
    for (TensorId& tap : taps) tap = append_reshape(graph, tap, shape, node);
  }
  TensorId data = taps[0];
  if (taps.size() > 1) {
    Node concat = node_at(node, Op::concat, taps);
    concat.attrs.set(Attr::axis, {DType::i64, {int64_t(shape.size()) - 1}, {}});
    shape.back() *= int64_t(taps.size());
    const Tensor model = graph.tensor(taps[0]);
    data = graph.append(std::move(concat), model, shape);
  }
  data = append_reshape(graph, data, flat, node);
  conv->replace(data, with_depth_in_channels(graph, node.inputs[1], conv->weight()), {1, 2},
                merged(conv->to(), 0));
  return true;
}

}  // namespace

// With a kernel of length 1 along depth, merges the depth into the batch; along height and width, the height
// into the width. (2 + 1)-D convolutions of video networks are of these kinds.
bool flatten_conv3d(Rewriter& graph, NodeId id) {
  auto conv = Conv3d::of(graph, id);
  if (!conv) return false;
  const bool in_depth = conv->is_pointwise(0), in_plane = conv->is_pointwise(1) && conv->is_pointwise(2);
  if (!in_depth && !in_plane) return false;
  const size_t first = in_depth ? 0 : 2;  // of the merged dimensions
  const Node& node = conv->node();
  const TensorId data = append_reshape(graph, conv->data(), merged(conv->from(), first), node);
  const TensorId weight =
      append_reshape(graph, node.inputs[1], merged(conv->weight(), in_depth ? 1 : 2), node);
  conv->replace(data, weight, in_depth ? std::array<size_t, 2>{1, 2} : std::array<size_t, 2>{0, 2},
                merged(conv->to(), first));
  return true;
}

// Adds up the results of a CONV2D per tap along depth, for which devices have depthwise kernels.
bool split_depthwise_conv3d(Rewriter& graph, NodeId id) {
  auto conv = Conv3d::of(graph, id);
  if (!conv || conv->groups() != conv->from()[4] || conv->groups() == 1) return false;
  const Node& node = conv->node();
  const Tensor model = graph.tensor(node.outputs[0]);
  if (model.dtype != DType::f32 || !has_separable_taps(graph, *conv)) return false;
  const std::vector<TensorId> weights = weights_by_depth(graph, node.inputs[1], conv->weight());
  const std::vector<TensorId> taps = taps_of(graph, *conv);
  const Tensor weight = graph.tensor(weights[0]);
  const std::vector<double> zeros(size_t(conv->to()[4]), 0.0);
  const TensorId no_bias = *graph.add_floats(weight, weight.name, {conv->to()[4]}, zeros);
  const Shape from = merged(graph.shape(taps[0]), 0), flat = merged(conv->to(), 0);
  std::optional<TensorId> sum;
  for (size_t tap = 0; tap < taps.size(); ++tap) {
    const Activation activation = tap + 1 < taps.size() ? Activation::none : activation_of(node.attrs);
    const TensorId data = append_reshape(graph, taps[tap], from, node);
    if (!sum) {
      sum = conv->convolve(data, weights[tap], node.inputs[2], {1, 2}, activation, flat);
      continue;
    }
    const TensorId product = conv->convolve(data, weights[tap], no_bias, {1, 2}, Activation::none, flat);
    Node add = node_at(node, Op::add, {*sum, product});
    set_activation(add.attrs, activation);
    sum = graph.append(std::move(add), model, flat);
  }
  conv->replace(*sum);
  return true;
}

// Makes the taps along depth channels.
bool unroll_conv3d(Rewriter& graph, NodeId id) { return unroll(graph, id, false); }
bool unroll_narrow_conv3d(Rewriter& graph, NodeId id) { return unroll(graph, id, true); }

}  // namespace nnrt::simplified
