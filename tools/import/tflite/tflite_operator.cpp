#include "tools/import/tflite/tflite_operator.h"

#include "core/base/counted.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

constexpr size_t kMaxIntegers =
    4096;  // for shapes, permutations and axes, which are much shorter in practice

std::optional<int8_t> fused_code(Activation activation) {
  switch (activation) {
    case Activation::NONE: return OH_NN_FUSED_NONE;
    case Activation::RELU: return OH_NN_FUSED_RELU;
    case Activation::RELU6: return OH_NN_FUSED_RELU6;
    default: return {};
  }
}

}  // namespace

Operator::Operator(NetworkBuilder& builder, const format::Operator& table, const Row& row, Bodies& bodies,
                   List<TensorSlot*> inputs, List<TensorSlot*> outputs)
    : Formulas(builder),
      table_(table),
      row_(row),
      bodies_(bodies),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {}

// A float operator may still have quantized constants; it then computes in float.
bool Operator::is_float() const {
  return std::ranges::any_of(inputs_, [&](const TensorSlot* slot) {
    return slot != nullptr && builder_.tensor(slot->id).type == OH_NN_FLOAT32;
  });
}

bool Operator::is_wide() const {
  const auto is_one = [&](const TensorSlot* slot) {
    return slot != nullptr && is_quantized_wide(builder_.tensor(slot->id));
  };
  return std::ranges::any_of(inputs_, is_one) || std::ranges::any_of(outputs_, is_one);
}

void Operator::check_wide() const {
  const auto has_channels = [&](const TensorSlot* slot) {
    if (slot == nullptr) return false;
    const Tensor& tensor = builder_.tensor(slot->id);
    return is_quantized_wide(tensor) && !tensor.data && tensor.quantization.scales.size() > 1;
  };
  if (std::ranges::any_of(inputs_, has_channels) || std::ranges::any_of(outputs_, has_channels))
    refuse("has 16-bit values with several scales");
  const bool converts = row_.code == BuiltinOperator::QUANTIZE || row_.code == BuiltinOperator::DEQUANTIZE ||
                        row_.code == BuiltinOperator::CAST;
  if (row_.numbers != Numbers::any || converts) return;
  for (const TensorSlot* from : inputs_) {
    if (from == nullptr || !is_quantized_wide(builder_.tensor(from->id))) continue;
    for (const TensorSlot* to : outputs_) {
      const Tensor& target = builder_.tensor(to->id);
      if (is_quantized(target) && target.quantization != builder_.tensor(from->id).quantization)
        refuse("moves 16-bit values to a tensor with another quantization");
    }
  }
}

TensorSlot& Operator::input_slot(size_t i) const {
  if (!has(i)) damaged("lacks input ", i);
  return *inputs_[i];
}

TensorSlot& Operator::output_slot(size_t i) const {
  if (i >= outputs_.size()) damaged("lacks output ", i);
  return *outputs_[i];
}

TensorId Operator::bias(size_t i, size_t input, size_t weights) {
  const Tensor& bias = builder_.tensor(this->input(i));
  const Quantization& x = builder_.tensor(this->input(input)).quantization;
  const Quantization& weight = builder_.tensor(this->input(weights)).quantization;
  const bool is_integer = bias.type == OH_NN_INT32 || bias.type == OH_NN_INT64;
  if (!computes_floats() || !is_integer || x.scales.size() != 1 || weight.empty()) return operand(i);
  const auto steps = builder_.integers(this->input(i));
  if (!steps) refuse("needs its bias to be a constant");
  List<float> values;
  for (size_t channel = 0; channel < steps->size(); ++channel) {
    const double scale =
        x.scales[0] * weight.scales[weight.scales.size() == 1 ? 0 : channel % weight.scales.size()];
    values.push_back(static_cast<float>(scale * static_cast<double>((*steps)[channel])));
  }
  return builder_.constant(bias.shape, std::span<const float>(values));
}

TensorId Operator::operand(size_t i, uint32_t axis) {
  const Tensor& tensor = builder_.tensor(input(i));
  const bool narrow_floats = tensor.type == OH_NN_FLOAT16 && tensor.data;
  const bool reads_floats = computes_floats() || (row_.numbers == Numbers::quantized && is_float());
  if (narrow_floats || (reads_floats && is_quantized(tensor))) return builder_.dequantize(input(i), axis);
  return input(i);
}

List<TensorId> Operator::operands() {
  List<TensorId> ids;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!has(i)) damaged("lacks an input");
    ids.push_back(operand(i));
  }
  return ids;
}

TensorId Operator::result(size_t i) {
  const TensorId target = output(i);
  if (!computes_floats() || !is_quantized(builder_.tensor(target))) return target;
  pending_.push_back({builder_.float_target(target), target});
  return pending_.back().from;
}

void Operator::deliver(const TensorSlot& made, size_t i) {
  TensorSlot& slot = output_slot(i);
  const std::string name = builder_.tensor(slot.id).name;
  const bool is_output = slot.is_output;
  slot = made;
  slot.is_output = is_output;
  if (!is_output) return;
  slot.id = builder_.copy(made.id);
  builder_.tensor(slot.id).name = name;
}

List<int64_t> Operator::integers(size_t i, std::optional<size_t> count) const {
  if (!has(i)) damaged("lacks an input");
  const Tensor& tensor = builder_.tensor(input(i));
  if (tensor.data && tensor.data->size() > kMaxIntegers * sizeof(int64_t))
    damaged("has a list that is too long");
  auto values = builder_.integers(input(i));
  if (!values) refuse("needs input ", i, " to be a constant of integers");
  if (count && values->size() != *count) damaged("needs ", counted(*count, "value"), " in input ", i);
  return *std::move(values);
}

float Operator::real(size_t i) const {
  if (!has(i)) damaged("lacks an input");
  const Tensor& tensor = builder_.tensor(input(i));
  if (tensor.data && tensor.data->size() <= sizeof(int64_t)) {
    if (const auto floats = builder_.floats(input(i)); floats && floats->size() == 1) return (*floats)[0];
    if (const auto values = builder_.integers(input(i)); values && values->size() == 1)
      return static_cast<float>((*values)[0]);
  }
  refuse("needs input ", i, " to be a constant of one number");
}

void Operator::write_activated(List<TensorId> inputs, Settings settings, Activation activation,
                               TensorId target) {
  if (const auto code = fused_code(activation)) {
    settings.push_back({Attr::activation, *code});
    return write_to(target, row_.type, std::move(inputs), settings);
  }
  const TensorId between = builder_.temporary_like(target);
  write_to(between, row_.type, std::move(inputs), settings);
  activate(activation, between, target);
}

void Operator::activate(Activation activation, TensorId from, TensorId to) {
  switch (activation) {
    case Activation::RELU: return write_to(to, Op::relu, {from});
    case Activation::RELU6: return write_to(to, Op::relu6, {from});
    case Activation::RELU_N1_TO_1: return clip(from, to, -1, 1);
    case Activation::TANH:
      if (!is_quantized(builder_.tensor(to))) return write_to(to, Op::tanh, {from});
      break;
    default: break;
  }
  refuse("has a fused activation (", int(activation), ") that OH_NN cannot express");
}

void Operator::clip(TensorId from, TensorId to, float low, float high) {
  if (!is_quantized(builder_.tensor(to))) {
    builder_.operation(Op::clip, {from}, {to}, {{Attr::min, low}, {Attr::max, high}});
    return;
  }
  const auto bound = [&](float value) {
    const Quantization ones{.scales = {1}, .zero_points = {0}};
    return builder_.constant(OH_NN_INT8, {}, Bytes{static_cast<std::byte>(static_cast<int8_t>(value))}, ones);
  };
  const TensorId raised = builder_.temporary_like(to);
  builder_.operation(Op::maximum, {from, bound(low)}, {raised});
  builder_.operation(Op::minimum, {raised, bound(high)}, {to});
}

int32_t Operator::length(TensorId id, size_t dimension) const {
  const Shape dimensions = shape(id);
  if (dimension < dimensions.size() && dimensions[dimension] > 0) return dimensions[dimension];
  refuse("needs a known dimension ", dimension, " of a tensor");
}

void Operator::finish() {
  for (const Pending& pending : pending_) builder_.store(pending.from, pending.target);
}

}  // namespace nnrt::import::tflite
