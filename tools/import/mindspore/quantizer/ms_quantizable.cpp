#include "tools/import/mindspore/quantizer/ms_quantizable.h"

#include "mindspore/schema/enumerations.h"
#include "tools/import/network/layers.h"
#include "tools/import/quantizer/int8_rewriter.h"

#include <algorithm>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;
using enum NodeKind;
using Type = PrimitiveType;

struct Int8Primitive {
  Type type{};
  Int8Form form;
};

constexpr Int8Form kScores{.kind = computed, .coding = kFractions, .gives_scores = true};

// Those that MindSpore Lite 1.5 and later compute on INT8, so that the file also runs on a phone.
constexpr Int8Primitive kPrimitives[] = {
    {Type::activation, {computed}},
    {Type::add_fusion, {.kind = computed, .operands = 2, .joins_streams = true}},
    {Type::avg_pool_fusion, {moved}},
    {Type::batch_to_space_nd, {moved}},
    {Type::concat, {.kind = computed, .operands = 0, .has_one_scale = true, .joins_streams = true}},
    {Type::conv2d_fusion, {weighted}},
    {Type::conv2d_transpose_fusion, {weighted}},
    {Type::depth_to_space, {moved}},
    {Type::flatten, {moved}},
    {Type::full_connection, {weighted}},
    {Type::gather, {moved}},
    {Type::mat_mul_fusion, {weighted}},
    {Type::max_pool_fusion, {moved}},
    {Type::mul_fusion, {computed, 2}},
    {Type::pad_fusion, {moved}},
    {Type::reduce_fusion, {computed}},
    {Type::reshape, {moved}},
    {Type::resize, {moved}},
    {Type::slice_fusion, {moved}},
    {Type::softmax, kScores},
    {Type::space_to_batch_nd, {moved}},
    {Type::squeeze, {moved}},
    {Type::strided_slice, {moved}},
    {Type::sub_fusion, {computed, 2}},
    {Type::transpose, {moved}},
    {Type::unsqueeze, {moved}},
};

std::optional<Int8Form> activation_form(ActivationType type) {
  switch (type) {
    case ActivationType::relu:
    case ActivationType::relu6:
    case ActivationType::hswish: return Int8Form{computed};
    case ActivationType::sigmoid: return kScores;
    case ActivationType::tanh: return Int8Form{.kind = computed, .coding = kSignedFractions};
    default: return {};
  }
}

bool has_fusable_activation(const Primitive& primitive) {
  if (std::ranges::find(primitive.row().fields, "activation_type", &FieldRow::name) ==
      primitive.row().fields.end())
    return true;
  const auto type = ActivationType(primitive.integer("activation_type"));
  return type == ActivationType::none || type == ActivationType::relu || type == ActivationType::relu6;
}

// Fields with which a primitive has no INT8 kernel.
bool fits(const Primitive& primitive) {
  switch (primitive.type()) {
    case Type::reduce_fusion:
      return ReduceMode(primitive.integer("mode")) == ReduceMode::mean && !primitive.flag("reduce_to_end");
    case Type::resize: return ResizeMethod(primitive.integer("method")) != ResizeMethod::cubic;
    case Type::pad_fusion: return primitive.real("constant_value") == 0;
    case Type::mat_mul_fusion: return !primitive.flag("transpose_a");
    default: return true;
  }
}

// Returns false if the weights are not those of a matrix product or a 2-D convolution.
bool describe_weights(const FloatModel& model, const SourceNode& node, FloatNode& made) {
  if (node.inputs.size() <= made.weights) return false;
  const nnrt::Shape& dims = model.tensor(node.inputs[made.weights]).dims;
  const Primitive& primitive = *node.primitive;
  const bool is_transposed = primitive.type() == Type::conv2d_transpose_fusion;
  if (dims.size() != (is_transposed || primitive.type() == Type::conv2d_fusion ? 4 : 2)) return false;
  const bool has_rows = primitive.type() == Type::mat_mul_fusion && !primitive.flag("transpose_b");
  made.channels = dims[has_rows ? 1 : 0];
  if (is_transposed) made.channels = dims[3] * std::max<int64_t>(primitive.integer("group"), 1);
  if (!is_transposed && !has_rows) made.channel_axis = 0;
  return true;
}

std::optional<Int8Form> form_of(const FloatModel& model, const SourceNode& node, FloatNode& made) {
  const Primitive& primitive = *node.primitive;
  const auto found = std::ranges::find(kPrimitives, primitive.type(), &Int8Primitive::type);
  if (found == std::end(kPrimitives) || !fits(primitive)) return {};
  if (found->type == Type::activation)
    return activation_form(ActivationType(primitive.integer("activation_type")));
  if (!has_fusable_activation(primitive)) return {};
  if (found->form.kind == weighted && !describe_weights(model, node, made)) return {};
  return found->form;
}

FloatNode described(const FloatModel& model, const SourceNode& node) {
  FloatNode made;
  made.op = node.primitive->row().name;
  made.label = label_of(Layer{made.op, node.name, {}});
  made.names = {node.name, made.op};
  for (const uint32_t id : node.outputs) made.names.push_back(model.tensor(id).name);
  made.inputs = value_names(node.inputs);
  made.outputs = value_names(node.outputs);
  made.form = form_of(model, node, made);
  return made;
}

}  // namespace

FloatGraph float_graph(const FloatModel& model) {
  FloatGraph made;
  made.inputs = value_names(model.graph().inputs);
  made.outputs = value_names(model.graph().outputs);
  for (const SourceNode& node : model.graph().nodes) {
    made.nodes.push_back(described(model, node));
    const Type type = node.primitive->type();
    if (type == Type::squared_difference || type == Type::layer_norm_fusion)
      made.normalized.insert(made.nodes.back().inputs.begin(), made.nodes.back().inputs.end());
  }
  return made;
}

}  // namespace nnrt::import::mindspore
