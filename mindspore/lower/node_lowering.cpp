#include "mindspore/lower/node_lowering.h"

#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/schema/schema.h"
#include "mindspore/lower/weight_axis.h"

#include <algorithm>
#include <array>

namespace nnrt::mindspore {
namespace {

constexpr size_t kMaxFoldedValues = 4096;

DType first_of(DTypeSet dtypes) {
  for (const DType dtype : {DType::boolean, DType::i32, DType::f32, DType::i64})
    if (dtypes.contains(dtype)) return dtype;
  return DType::unknown;
}

DType result_dtype(const OutputRow& row, const List<Value>& inputs, DType declared) {
  switch (row.rule) {
    case DTypeRule::same_as: return inputs[size_t(row.same_as)].dtype;
    case DTypeRule::promoted: {
      const auto is_first = [&](const Value& value) { return value.dtype == inputs[0].dtype; };
      return std::ranges::all_of(inputs, is_first) || declared == DType::unknown ? inputs[0].dtype : declared;
    }
    case DTypeRule::fixed: return row.dtypes.contains(declared) ? declared : first_of(row.dtypes);
    case DTypeRule::from_attrs: break;
  }
  return declared;
}

bool any_quantized(const List<Value>& values) { return std::ranges::any_of(values, &Value::is_quantized); }

bool has_scales(const SourceTensor& tensor) {
  const DType dtype = dtype_of(tensor.type_id);
  constexpr DTypeSet kStored{DType::i8, DType::u8, DType::i16, DType::i32};
  return kStored.contains(dtype) && !tensor.quant.empty() &&
         std::ranges::all_of(tensor.quant, &QuantEntry::inited);
}

Value number(Lowering& op, const Value& like, double value) { return op.graph.number(like.dtype, value); }

// scale * (e^x - 1) below 0, `slope` * x above.
Value exponential(Lowering& op, const Value& x, double scale, double slope) {
  const Value zero = number(op, x, 0);
  const Value below = add(op.graph, op.emit(Op::exp, {op.emit(Op::minimum, {x, zero})}), -1);
  return add(op.graph, mul(op.graph, below, scale), mul(op.graph, op.emit(Op::relu, {x}), slope));
}

Value softplus(Lowering& op, const Value& x) {
  // max(x, 0) + log(1 + e^-|x|) does not overflow.
  const Value tail = op.emit(Op::exp, {op.emit(Op::neg, {op.emit(Op::abs, {x})})});
  return add(op.graph, op.emit(Op::relu, {x}), op.emit(Op::log, {add(op.graph, tail, 1)}));
}

// x where x > threshold, else 0.
Value threshold_relu(Lowering& op, const Value& x, double threshold) {
  const Value above = op.emit(Op::greater, {x, number(op, x, threshold)});
  return op.emit(Op::where, {above, x, number(op, x, 0)});
}

Value clamped(Lowering& op, const Value& x, double min, double max) {
  return op.emit(Op::clip, {x}, {{Attr::min, min}, {Attr::max, max}});
}

Value composed(Lowering& op, const Value& x, ActivationType type, float alpha, float min, float max) {
  switch (type) {
    case ActivationType::elu: return exponential(op, x, double(alpha), 1);
    case ActivationType::selu: {
      constexpr double kAlpha = 1.67326319217681884765625, kGamma = 1.05070102214813232421875;
      return exponential(op, x, kAlpha * kGamma, kGamma);
    }
    case ActivationType::relu1: return clamped(op, x, -1, 1);
    case ActivationType::hard_tanh: return clamped(op, x, double(min), double(max));
    case ActivationType::softsign: return op.emit(Op::div, {x, add(op.graph, op.emit(Op::abs, {x}), 1)});
    case ActivationType::softplus: return softplus(op, x);
    case ActivationType::threshold_relu: return threshold_relu(op, x, double(alpha));
    case ActivationType::fast_gelu:
      return op.emit(Op::mul, {x, op.emit(Op::sigmoid, {mul(op.graph, x, 1.702)})});
    case ActivationType::linear: return mul(op.graph, x, double(alpha));
    default: op.refuse("Activation (", int(type), ") is unknown.");
  }
}

}  // namespace

bool takes_codes(Op op) {
  return op == Op::quant_dtype_cast || op == Op::cast || op == Op::shape || op == Op::rank ||
         op == Op::arg_max || op == Op::top_k;
}

bool Lowering::computes_floats() const {
  const auto is_float_data = [&](uint32_t id) {
    return values_.is_set(id) && values_.at(id).dtype == DType::f32;
  };
  if (std::ranges::any_of(node_.inputs, is_float_data)) return true;
  return node_.quant_type == kQuantWeight && output_count() > 0 && declared().dtype == DType::f32;
}

Value Lowering::in(size_t i) {
  const uint32_t id = node_.inputs[i];
  if (values_.is_set(id)) return values_.at(id);
  const SourceTensor& tensor = source(i);
  if (!tensor.has_data())
    fail(invalid("Input ", i, " has no data, no node before this one writes it, and it is no graph input."));
  const DType dtype = dtype_of(tensor.type_id);
  const bool is_float_node = has_scales(tensor) || dtype == DType::f16 ? computes_floats() : false;
  if (is_float_node && dtype == DType::f16) return required(values_.widened(id));
  if (!is_float_node) return required(values_.constant(id));
  int64_t axis = 0;
  if (primitive.type() == PrimitiveType::gather && i == 0 && has(2))
    axis = integers(2).value_or(Integers{0}).at(0);
  return required(values_.dequantized(id, weight_axis(source_, node_, i, axis)));
}

Value Lowering::real_in(size_t i) {
  const uint32_t id = node_.inputs[i];
  if (!values_.is_set(id) && source(i).has_data() && has_scales(source(i)))
    return required(values_.dequantized(id, weight_axis(source_, node_, i, 0)));
  return dequantized(graph, in(i));
}

List<Value> Lowering::inputs(size_t first) {
  List<Value> all;
  for (size_t i = first; i < input_count(); ++i) all.push_back(in(i));
  return all;
}

std::optional<Integers> Lowering::integers(size_t i) {
  if (!has(i)) return {};
  const Value value = in(i);
  const Tensor& tensor = graph.tensor(value.id);
  if (!tensor.is_constant() || tensor.data->empty()) return {};
  if (tensor.data->size() / std::max<size_t>(size_of(tensor.dtype), 1) > kMaxFoldedValues) return {};
  constexpr DTypeSet kRead{DType::i32, DType::i64, DType::boolean, DType::i8};
  if (!kRead.contains(tensor.dtype)) return {};
  return numbers_of<int64_t>(tensor.dtype, *tensor.data);
}

Integers Lowering::constant_integers(size_t i, std::string_view what) {
  if (auto values = integers(i)) return *std::move(values);
  refuse("The ", what, " must be constant integers.");
}

Value Lowering::shape_in(size_t i) {
  const std::optional<Integers> values = integers(i);
  return values ? graph.integers(*values) : in(i);
}

std::optional<Reals> Lowering::reals(size_t i) {
  if (const auto values = integers(i)) return Reals(values->begin(), values->end());
  if (!has(i)) return {};
  const Tensor& tensor = graph.tensor(in(i).id);
  if (!tensor.is_constant() || tensor.dtype != DType::f32) return {};
  return numbers_of<float>(tensor.dtype, *tensor.data);
}

std::optional<float> Lowering::real(size_t i) {
  const auto values = reals(i);
  return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

Value activate(Lowering& op, const Value& x, ActivationType type, float alpha, float min, float max,
               bool approximate) {
  switch (type) {
    case ActivationType::none: return x;
    case ActivationType::relu: return op.emit(Op::relu, {x});
    case ActivationType::relu6: return op.emit(Op::relu6, {x});
    case ActivationType::sigmoid: return op.emit(Op::sigmoid, {x});
    case ActivationType::tanh: return op.emit(Op::tanh, {x});
    case ActivationType::hswish: return op.emit(Op::hswish, {x});
    case ActivationType::hsigmoid: return op.emit(Op::hard_sigmoid, {x});
    case ActivationType::swish: return op.emit(Op::swish, {x});
    case ActivationType::abs: return op.emit(Op::abs, {x});
    case ActivationType::sign: return op.emit(Op::sign, {x});
    case ActivationType::gelu: return op.emit(Op::gelu, {x}, {{Attr::approximate, approximate}});
    case ActivationType::leaky_relu: return op.emit(Op::leaky_relu, {x}, {{Attr::slope, alpha}});
    default: return composed(op, x, type, alpha, min, max);
  }
}

Settings Lowering::settings() const {
  Settings made;
  for (const FieldRow& field : primitive.row().fields) {
    if (!field.attr || field.attr == Attr::activation) continue;
    switch (field.type) {
      case FieldType::real: made.push_back({*field.attr, primitive.real(field.name)}); break;
      case FieldType::reals: made.push_back({*field.attr, primitive.reals(field.name)}); break;
      case FieldType::integers64:
        if (const Integers list = primitive.integers(field.name); !list.empty())
          made.push_back({*field.attr, list});
        break;
      case FieldType::lists: break;  // lowerings read pairs of numbers themselves
      default: made.push_back({*field.attr, primitive.integer(field.name)});
    }
  }
  return made;
}

ResultType Lowering::declared(size_t i) const {
  const SourceTensor& tensor = result_source(i);
  return {dtype_of(tensor.type_id), quant_of(tensor), Shape(tensor.dims.size(), kUnknown)};
}

List<Value> Lowering::emit_typed(Op op, List<Value> inputs, const Settings& settings,
                                 List<ResultType> types) {
  const OpSchema& row = schema(op);
  const bool keeps_codes = types[0].dtype == DType::i8 || types[0].dtype == DType::unknown || row.copy ||
                           types[0].dtype == DType::boolean;
  const bool is_float_op = !row.quantized && !row.copy;
  if (!takes_codes(op) && any_quantized(inputs) && (is_float_op || !keeps_codes))
    for (Value& value : inputs) value = dequantized(graph, value);
  for (size_t i = 0; i < types.size(); ++i) {
    const OutputRow& output = row.outputs[std::min(i, row.outputs.size() - 1)];
    types[i].dtype = result_dtype(output, inputs, types[i].dtype);
    if (types[i].dtype != DType::i8 && types[i].dtype != DType::u8) types[i].quant = {};
  }
  List<Value> made = graph.emit_all(op, inputs, settings, std::move(types));
  return made;
}

Value Lowering::result_of(Op op, List<Value> inputs, const Settings& settings, ResultType type) {
  return std::move(emit_typed(op, std::move(inputs), settings, {std::move(type)})[0]);
}

Value Lowering::emit(Op op, List<Value> inputs, const Settings& settings) {
  ResultType type{inputs[0].dtype, inputs[0].quant, {}};
  return result_of(op, std::move(inputs), settings, std::move(type));
}

void Lowering::emit_results(Op op, List<Value> inputs, const Settings& settings, size_t first, size_t count) {
  List<ResultType> types;
  for (size_t i = first; i < first + count; ++i) types.push_back(declared(i));
  List<Value> values = emit_typed(op, std::move(inputs), settings, std::move(types));
  for (size_t i = 0; i < count; ++i) set(first + i, std::move(values[i]));
}

void Lowering::emit_activated(Op op, List<Value> inputs, Settings settings) {
  const int64_t activation = primitive.integer("activation_type");
  const auto type = ActivationType(activation);
  const bool has_fused =
      std::ranges::find(schema(op).params, Attr::activation, &ParamRow::attr) != schema(op).params.end();
  const bool is_fusable = type == ActivationType::relu || type == ActivationType::relu6;
  if (type == ActivationType::none || (has_fused && is_fusable)) {
    if (has_fused)
      settings.push_back({Attr::activation, type == ActivationType::none   ? 0
                                            : type == ActivationType::relu ? 1
                                                                           : 2});
    return emit_results(op, std::move(inputs), settings);
  }
  if (any_quantized(inputs))
    return refuse("Activation (", activation, ") is not fused into a quantized node.");
  const Value value = emit(op, std::move(inputs), settings);
  set(0, activate(*this, value, type, 0, 0, 0, false));
}

void Lowering::set(size_t i, Value value) {
  const ResultType type = declared(i);
  if (type.dtype == DType::i8 && !type.quant.empty() && is_float(value.dtype))
    value = stored_as(graph, value, type);
  results_[i] = std::move(value);
}

const LoweringRow* find_lowering(PrimitiveType type) {
  static const auto table = [] {
    std::array<const LoweringRow*, kPrimitiveCount + 1> rows{};
    for (const std::span<const LoweringRow> family :
         {elementwise_lowerings(), activation_lowerings(), spatial_lowerings(), matmul_lowerings(),
          normalization_lowerings(), reduction_lowerings(), shape_lowerings(), data_movement_lowerings(),
          slicing_lowerings(), index_lowerings(), creation_lowerings(), recurrent_lowerings(),
          detection_lowerings()})
      for (const LoweringRow& row : family) rows[size_t(row.type)] = &row;
    return rows;
  }();
  return table[size_t(type)];
}

}  // namespace nnrt::mindspore
