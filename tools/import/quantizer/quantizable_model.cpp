#include "tools/import/quantizer/quantizable_model.h"

#include "core/graph/op.h"
#include "core/passes/simplify.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/layers.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

using enum NodeKind;

struct Int8Row {
  Op op;
  Int8Form form;
};

constexpr Int8Form kScores{.kind = computed, .coding = kFractions, .gives_scores = true};

// Those that TensorFlow Lite computes on INT8, as its specification asks for. ONNX has a scale for each
// operand, and for the result of a pool.
constexpr Int8Row kRows[] = {
    {Op::add, {.kind = computed, .operands = 2, .joins_streams = true}},
    {Op::avg_pool, {moved}},
    {Op::batch_to_space_nd, {moved}},
    {Op::concat, {.kind = computed, .operands = 0, .has_one_scale = true, .joins_streams = true}},
    {Op::conv2d, {weighted}},
    {Op::conv2d_transpose, {weighted}},
    {Op::depth_to_space, {moved}},
    {Op::depthwise_conv2d_native, {weighted}},
    {Op::expand_dims, {moved}},
    {Op::flatten, {moved}},
    {Op::full_connection, {weighted}},
    {Op::gather, {moved}},
    {Op::hswish, {computed}},
    {Op::matmul, {weighted}},
    {Op::max_pool, {moved}},
    {Op::maximum, {computed, 2, true}},
    {Op::minimum, {computed, 2, true}},
    {Op::mul, {computed, 2}},
    {Op::pad, {moved}},
    {Op::reduce_mean, {computed}},
    {Op::relu, {computed}},
    {Op::relu6, {computed}},
    {Op::reshape, {moved}},
    {Op::resize, {moved}},
    {Op::resize_bilinear, {moved}},
    {Op::sigmoid, kScores},
    {Op::slice, {moved}},
    {Op::softmax, kScores},
    {Op::space_to_batch_nd, {moved}},
    {Op::space_to_depth, {moved}},
    {Op::squeeze, {moved}},
    {Op::stack, {computed, 0, true}},
    {Op::strided_slice, {moved}},
    {Op::sub, {computed, 2}},
    {Op::tanh, {.kind = computed, .coding = kSignedFractions}},
    {Op::tile, {moved}},
    {Op::transpose, {moved}},
    {Op::unsqueeze, {moved}},
};

// Those that MindSpore Lite 1.5 computes with floats alone, so that the file also runs on a phone.
constexpr Op kFloatInMindspore[] = {Op::maximum, Op::minimum, Op::space_to_depth, Op::stack, Op::tile};

bool is_zero(const Attrs& attributes, Attr attr) {
  return !attributes.has(attr) || attributes.real(attr) == 0;
}

// Operators that read a residual stream to normalize it, as one or as their parts.
constexpr Op kNorms[] = {Op::layer_norm, Op::pow, Op::rms_norm, Op::square, Op::squared_difference};

// Describes a network's operations to the quantizer.
class Describer {
 public:
  Describer(const Network& network, const std::filesystem::path& output)
      : network_(network),
        is_mindspore_(output.extension() == ".ms"),
        is_onnx_(output.extension() == ".onnx") {}

  FloatNode described(const Operation& operation) const {
    FloatNode made;
    const Layer layer = operation.layer ? network_.layers[*operation.layer]
                                        : Layer{std::string(short_name(operation.type)), {}, {}};
    made.label = label_of(layer);
    made.layer = operation.layer;
    made.names = {layer.name, layer.op};
    for (const TensorId id : operation.outputs) made.names.push_back(network_.tensors[id].name);
    // The interpreters of custom operators know no other form.
    if (!layer.op.starts_with("custom ")) made.form = form_of(operation, made);
    made.takes_gates = operation.type == Op::mul;
    return made;
  }

 private:
  std::optional<Int8Form> form_of(const Operation& operation, FloatNode& made) const {
    const Op op = operation.type;
    const auto found = std::ranges::find(kRows, op, &Int8Row::op);
    if (found == std::end(kRows) || (is_mindspore_ && std::ranges::count(kFloatInMindspore, op) > 0) ||
        !fits(operation))
      return {};
    if (found->form.kind == weighted && !describe_weights(operation, made)) return {};
    Int8Form form = found->form;
    if (is_onnx_ && op == Op::avg_pool) form.kind = computed;
    form.has_one_scale = form.has_one_scale && !is_onnx_;
    return form;
  }

  // Parameters with which an operator has no INT8 form.
  bool fits(const Operation& operation) const {
    switch (operation.type) {
      case Op::reduce_mean: return !operation.attributes.is_set(Attr::reduce_to_end);
      case Op::pad: return is_zero(operation.attributes, Attr::constant_value);
      case Op::resize: return is_zero(operation.attributes, Attr::mode);  // nearest
      case Op::matmul:
        return !operation.attributes.is_set(Attr::transpose_a) &&
               network_.tensors[operation.inputs[0]].shape.size() > 1;
      default: return true;
    }
  }

  // Returns false if the weights are not those of a matrix product or a 2-D convolution.
  bool describe_weights(const Operation& operation, FloatNode& made) const {
    if (operation.inputs.size() <= kWeights) return false;
    const Op op = operation.type;
    const Shape& shape = network_.tensors[operation.inputs[kWeights]].shape;
    const bool is_product = op == Op::full_connection || op == Op::matmul;
    if (shape.size() != (is_product ? 2 : 4)) return false;
    const bool has_rows = op == Op::matmul && !operation.attributes.is_set(Attr::transpose_b);
    made.channels = shape[has_rows ? 1 : 0];
    if (op != Op::conv2d_transpose || has_scales_of_channels(operation)) made.channel_axis = has_rows ? 1 : 0;
    return true;
  }

  // Those of MindSpore Lite have one scale. ONNX has the channels of a group beside each other.
  bool has_scales_of_channels(const Operation& transposed) const {
    const Attrs& attributes = transposed.attributes;
    const bool is_grouped = attributes.has(Attr::group) && attributes.integer(Attr::group) != 1;
    return !is_mindspore_ && !(is_onnx_ && is_grouped);
  }

  const Network& network_;
  bool is_mindspore_, is_onnx_;
};

// With per-channel operators and activations folded into the convolutions before them, and norms that are
// written out as one operator.
Result<Network> folded(const Network& network) {
  NNRT_ASSIGN(const GraphPtr graph, to_graph(network));
  constexpr std::string_view kWanted[] = {"find_layer_norm", "fold_channels", "fuse_activation"};
  KernelSwitch rewrites;
  for (const std::string_view name : rewrite_names())
    if (std::ranges::count(kWanted, name) == 0) rewrites.forbid(name);
  const nnrt::Graph simplified = simplify(*graph, rewrites);
  NNRT_ASSIGN(Network made, to_network(simplified));
  for (size_t id = 0; id < network.tensors.size(); ++id) made.tensors[id].shape = network.tensors[id].shape;
  for (size_t i = 0; i < made.operations.size(); ++i) {
    const Operation& from = network.operations[simplified.nodes[i].position];
    made.operations[i].origin = from.origin;
    made.operations[i].layer = from.layer;
  }
  made.layers = network.layers;
  return made;
}

}  // namespace

Result<QuantizableModel> QuantizableModel::create(const Network& network,
                                                  const std::filesystem::path& output) {
  NNRT_ASSIGN(Network made, folded(network));
  QuantizableModel model{.network = std::move(made), .nodes = {}};
  const Describer describer(model.network, output);
  for (const Operation& operation : model.network.operations) {
    model.nodes.push_back(describer.described(operation));
    const Op op = operation.type;
    if (std::ranges::count(kNorms, op) > 0) model.normalized.insert(operation.inputs[0]);
    if (op == Op::squared_difference) model.normalized.insert(operation.inputs[1]);
    if (op == Op::hard_sigmoid) model.gates.insert(operation.outputs[0]);
  }
  return model;
}

std::optional<FloatConstant> QuantizableModel::floats(TensorId value) const {
  if (!is_float(value) || !is_constant(value)) return {};
  const Tensor& found = network.tensors[value];
  FloatConstant constant{{found.shape.begin(), found.shape.end()}, {}};
  constant.values.resize(found.data->size() / sizeof(float));
  std::memcpy(constant.values.data(), found.data->data(), constant.values.size() * sizeof(float));
  return constant;
}

std::vector<size_t> QuantizableModel::reads() const {
  std::vector<size_t> reads(network.tensors.size());
  for (const Operation& each : network.operations)
    for (const TensorId input : each.inputs) ++reads[input];
  for (const TensorId output : network.outputs) ++reads[output];
  return reads;
}

}  // namespace nnrt::import
