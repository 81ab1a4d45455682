#include "tools/import/mindspore/quantizer/ms_quantizable.h"

#include "mindspore/schema/enumerations.h"
#include "tools/import/quantizer/float_operands.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;
using enum NodeKind;
using Type = PrimitiveType;

constexpr Int8Coding kShares{1.0f / 256, -128}, kSigned{1.0f / 128, 0};

// Those that MindSpore Lite 1.5 and later compute on INT8, so that the file also runs on a phone.
constexpr Int8Primitive kPrimitives[] = {
    {Type::activation, computed},
    {Type::add_fusion, computed, 2},
    {Type::avg_pool_fusion, moved},
    {Type::batch_to_space_nd, moved},
    {Type::concat, computed, 0, true},
    {Type::conv2d_fusion, weighted},
    {Type::conv2d_transpose_fusion, weighted},
    {Type::depth_to_space, moved},
    {Type::flatten, moved},
    {Type::full_connection, weighted},
    {Type::gather, moved},
    {Type::mat_mul_fusion, weighted},
    {Type::max_pool_fusion, moved},
    {Type::mul_fusion, computed, 2},
    {Type::pad_fusion, moved},
    {Type::reduce_fusion, computed},
    {Type::reshape, moved},
    {Type::resize, moved},
    {Type::slice_fusion, moved},
    {Type::softmax, computed, 1, false, kShares},
    {Type::space_to_batch_nd, moved},
    {Type::squeeze, moved},
    {Type::strided_slice, moved},
    {Type::sub_fusion, computed, 2},
    {Type::transpose, moved},
    {Type::unsqueeze, moved},
};

std::optional<Int8Primitive> activation_form(Int8Primitive form, ActivationType type) {
  switch (type) {
    case ActivationType::relu:
    case ActivationType::relu6:
    case ActivationType::hswish: return form;
    case ActivationType::sigmoid: form.coding = kShares; return form;
    case ActivationType::tanh: form.coding = kSigned; return form;
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

class Finder {
 public:
  explicit Finder(const FloatModel& model) : model_(model) {
    outputs_.insert(model.graph().outputs.begin(), model.graph().outputs.end());
    for (const SourceNode& node : model.graph().nodes) {
      const Type type = node.primitive->type();
      if (type == Type::squared_difference || type == Type::layer_norm_fusion)
        normalized_.insert(node.inputs.begin(), node.inputs.end());
    }
  }

  std::optional<QuantizableNode> find(size_t position) const {
    const SourceNode& node = model_.graph().nodes[position];
    const std::optional<Int8Primitive> form = int8_form(node);
    if (!form || node.outputs.size() != 1 || !is_possible(*form, node)) return {};
    if (form->kind == weighted && !has_weights(node)) return {};
    QuantizableNode found;
    found.position = static_cast<int>(position);
    found.kind = form->kind;
    found.input_count = form->operands == 0 ? node.inputs.size() : form->operands;
    found.result = value_name(node.outputs[0]);
    return add_operands(node, found) ? std::optional(found) : std::nullopt;
  }

 private:
  bool is_possible(const Int8Primitive& form, const SourceNode& node) const {
    const uint32_t result = node.outputs[0];
    if (!model_.is_float(result)) return false;
    // Class scores stay float for accuracy.
    if (form.coding == kShares) return !outputs_.contains(result);
    // A few channels before a norm are large, so a per-tensor scale is a poor fit.
    if (form.type == Type::add_fusion || form.type == Type::concat) return !normalized_.contains(result);
    return true;
  }

  bool has_weights(const SourceNode& node) const {
    if (node.inputs.size() <= kWeights || !is_float_constant(model_, node.inputs[kWeights])) return false;
    const nnrt::Shape& dims = model_.tensor(node.inputs[kWeights]).dims;
    const Primitive& primitive = *node.primitive;
    const bool is_conv =
        primitive.type() == Type::conv2d_fusion || primitive.type() == Type::conv2d_transpose_fusion;
    if (dims.size() != (is_conv ? 4 : 2)) return false;
    if (node.inputs.size() <= kBias) return true;
    if (!is_float_constant(model_, node.inputs[kBias])) return false;
    int64_t channels = dims[0];
    if (primitive.type() == Type::conv2d_transpose_fusion)
      channels = dims[3] * std::max<int64_t>(primitive.integer("group"), 1);
    if (primitive.type() == Type::mat_mul_fusion && !primitive.flag("transpose_b")) channels = dims[1];
    return model_.tensor(node.inputs[kBias]).data->size() == size_t(channels) * sizeof(float);
  }

  bool add_operands(const SourceNode& node, QuantizableNode& found) const {
    return found.input_count <= node.inputs.size() &&
           add_float_operands(model_, std::span(node.inputs).first(found.input_count), found);
  }

  const FloatModel& model_;
  std::unordered_set<uint32_t> outputs_;
  std::unordered_set<uint32_t> normalized_;  // inputs of norms
};

}  // namespace

std::optional<Int8Primitive> int8_form(const SourceNode& node) {
  const Primitive& primitive = *node.primitive;
  const auto found = std::ranges::find(kPrimitives, primitive.type(), &Int8Primitive::type);
  if (found == std::end(kPrimitives) || !fits(primitive)) return {};
  if (found->type == Type::activation)
    return activation_form(*found, ActivationType(primitive.integer("activation_type")));
  return has_fusable_activation(primitive) ? std::optional(*found) : std::nullopt;
}

std::optional<size_t> channel_axis(const SourceNode& node) {
  const Primitive& primitive = *node.primitive;
  const bool is_transposed = primitive.type() == Type::mat_mul_fusion && !primitive.flag("transpose_b");
  if (is_transposed || primitive.type() == Type::conv2d_transpose_fusion) return {};
  return 0;
}

std::string value_name(uint32_t tensor) { return std::to_string(tensor); }

std::optional<uint32_t> tensor_of(const std::string& value, size_t count) {
  uint32_t number = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure != std::errc() || end != value.data() + value.size() || number >= count) return {};
  return number;
}

std::vector<QuantizableNode> quantizable_nodes(const FloatModel& model) {
  const Finder finder(model);
  std::vector<QuantizableNode> found;
  for (size_t i = 0; i < model.graph().nodes.size(); ++i)
    if (auto node = finder.find(i)) found.push_back(*std::move(node));
  return found;
}

}  // namespace nnrt::import::mindspore
