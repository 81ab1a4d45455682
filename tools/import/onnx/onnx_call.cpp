#include "tools/import/onnx/onnx_call.h"

#include "tools/import/onnx/onnx_blocks.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

Result<TensorId> dequantized(Emitter& emitter, const Value& value) {
  if (value.blocks) return dequantized_blocks(emitter, value);
  const TensorId quantized = *value.quantized;
  if (emitter.dtype(quantized) != DType::i8) {
    const auto known = emitter.known_numbers(quantized);
    if (!known)
      return unsupported("A quantized constant of this size (", emitter.tensor(quantized).data->size(),
                         " bytes) cannot be dequantized.");
    const List<double>& numbers = *known;
    const Quant& quant = emitter.tensor(quantized).quant;
    const Dims shape = emitter.shape(quantized);
    const auto inner =
        static_cast<size_t>(shape.empty() ? 1 : product(shape, value.axis + size_t{1}, shape.size()));
    Bytes bytes(numbers.size() * sizeof(float));
    for (size_t i = 0; i < numbers.size(); ++i) {
      const size_t channel = i / inner % quant.scales.size();
      const auto real = static_cast<float>(quant.scales[channel] * (numbers[i] - quant.zero_points[channel]));
      std::memcpy(bytes.data() + i * sizeof(float), &real, sizeof(float));
    }
    const TensorId floats = emitter.constant(DType::f32, shape, std::move(bytes));
    if (value.real_type == DType::f32) return floats;
    return emitter.emit(OH_NN_OPS_CAST, {floats, emitter.type_code(value.real_type)}, {},
                        {.dtypes = {value.real_type}});
  }
  return emitter.emit(OH_NN_OPS_QUANT_DTYPE_CAST, {quantized},
                      {int64_parameter(OH_NN_QUANT_DTYPE_CAST_SRC_T, OH_NN_INT8),
                       int64_parameter(OH_NN_QUANT_DTYPE_CAST_DST_T, static_cast<int64_t>(value.real_type)),
                       int64_parameter(OH_NN_QUANT_DTYPE_CAST_AXIS, value.axis)},
                      {.dtypes = {value.real_type}});
}

}  // namespace

Result<TensorId> plain_of(Emitter& emitter, Value& value) {
  if (value.plain) return *value.plain;
  if (value.elements) return unsupported("A sequence where a tensor is expected is not supported.");
  if (value.dequantized) {
    NNRT_ASSIGN(value.plain, dequantized(emitter, value));
  } else if (value.code_type == DType::u8 || emitter.tensor(*value.quantized).quant.scales.size() > 1) {
    // Other operators do not know the axis of several scales.
    NNRT_ASSIGN(value.plain,
                emitter.emit(OH_NN_OPS_QUANT_DTYPE_CAST, {*value.quantized},
                             {int64_parameter(OH_NN_QUANT_DTYPE_CAST_SRC_T, OH_NN_INT8),
                              int64_parameter(OH_NN_QUANT_DTYPE_CAST_DST_T, int64_t(value.code_type)),
                              int64_parameter(OH_NN_QUANT_DTYPE_CAST_AXIS, value.axis)},
                             {.dtypes = {value.code_type}, .quant = Quant{}}));
  } else {
    value.plain = value.quantized;
  }
  return *value.plain;
}

Value& Call::value(size_t i) const {
  if (!has(i)) throw ConversionError(damaged("Input ", i, " is absent."));
  return *inputs[i];
}

Result<Ids> run_handler(Call& call) {
  return converting([&]() -> Result<Ids> {
    for (size_t i = 0; i < call.row().required; ++i) call.value(i);
    return call.row().handler(call);
  });
}

Result<TensorId> Call::plain_input(size_t i) {
  if (!has(i)) return damaged("Input ", i, " is absent.");
  return plain_of(emitter_, *inputs[i]);
}

Result<TensorId> Call::input(size_t i) {
  const bool is_one_of_them =
      row_.quantized == kAllInputsQuantized || i < static_cast<size_t>(row_.quantized);
  if (is_quantized_call() && is_one_of_them && has(i)) return *value(i).quantized;
  return plain_input(i);
}

Result<Ids> Call::all_inputs() {
  Ids ids;
  for (size_t i = 0; i < inputs.size(); ++i) {
    NNRT_ASSIGN(ids.emplace_back(), input(i));
  }
  return ids;
}

Result<List<int64_t>> Call::integers(size_t i) {
  NNRT_ASSIGN(const TensorId id, plain_input(i));
  if (auto known = emitter_.known_integers(id)) return *std::move(known);
  return unsupported("Input ", i, " (", emitter_.tensor(id).name, ") is not a constant of integers.");
}

Result<List<double>> Call::numbers(size_t i) {
  NNRT_ASSIGN(const TensorId id, plain_input(i));
  if (auto known = emitter_.known_numbers(id)) return *std::move(known);
  return unsupported("Input ", i, " (", emitter_.tensor(id).name, ") is not a constant of numbers.");
}

Result<List<int64_t>> Call::integers(std::string_view attribute, size_t i) {
  if (attributes.has(attribute)) return attributes.integers(attribute);
  if (has(i)) return integers(i);
  return List<int64_t>{};
}

std::optional<double> Call::known_number(TensorId id) const {
  const auto numbers = emitter_.known_numbers(id);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

namespace {

// 0: the file leaves it open. Empty: the value is not listed.
std::optional<int64_t> listed_length(const onnx_file::Messages<onnx_file::ValueInfo>* values,
                                     const std::string& name, int axis) {
  if (values == nullptr) return {};
  for (const onnx_file::ValueInfo& value : *values) {
    if (value.name() != name) continue;
    const auto& shape = value.type().tensor_type().shape();
    return shape.dim_size() <= axis ? 0 : std::max<int64_t>(shape.dim(axis).dim_value(), 0);
  }
  return {};
}

}  // namespace

std::optional<int64_t> Call::declared_length(size_t i, int axis) const {
  if (!wants(i)) return {};
  const auto length = listed_length(graph_outputs, node_.output(static_cast<int>(i)), axis);
  return length == 0 ? std::nullopt : length;
}

bool Call::is_open_in_file(size_t i, int axis) const {
  return has(i) && listed_length(graph_inputs, node_.input(static_cast<int>(i)), axis) == 0;
}

Result<const onnx_file::GraphProto*> Call::body(std::string_view name) const {
  const onnx_file::GraphProto* const body = attributes.graph(name);
  if (body == nullptr) return damaged("The node has no subgraph (", name, ").");
  return body;
}

Result<TensorId> Call::second_operand() {
  constexpr int64_t kAlignedAtTheEnd = 7;
  NNRT_ASSIGN(const TensorId second, input(1));
  if (opset_ >= kAlignedAtTheEnd || attributes.integer("broadcast", 0) == 0 || !attributes.has("axis"))
    return second;
  NNRT_ASSIGN(const TensorId first, input(0));
  NNRT_ASSIGN(const int64_t begin, axis(attributes.integer("axis", 0), std::max<int64_t>(rank(first), 1)));
  const int64_t end = begin + rank(second);
  if (end > rank(first))
    return damaged("The dimensions ", to_string(shape(second)), " do not fit after axis (", begin, ") of ",
                   to_string(shape(first)), ".");
  List<int64_t> behind;
  for (int64_t d = end; d < rank(first); ++d) behind.push_back(d - begin);
  if (behind.empty() || rank(second) == 0) return second;
  return emit(OH_NN_OPS_UNSQUEEZE, {second}, {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, behind)});
}

Parameter Call::take_activation(OH_NN_TensorType role) {
  const int8_t taken = activation;
  activation = 0;
  return int8_parameter(role, taken);
}

Result<Dims> Call::shape_from(TensorId value) const {
  constexpr int64_t kMaxRank = 8;
  const DType dtype = emitter_.tensor(value).dtype;
  if (!kIndex.contains(dtype))
    return damaged("The shape (", emitter_.tensor(value).name, ") is ", nnrt::name(dtype), ", not INT64.");
  const Dims& length = shape(value);
  if (length.size() != 1 || length[0] < 1 || length[0] > kMaxRank) {
    return unsupported("The rank of the result is not known: the shape (", emitter_.tensor(value).name,
                       ") is itself of shape ", to_string(length), ".");
  }
  Dims made(static_cast<size_t>(length[0]), kUnknown);
  if (const auto known = emitter_.partly_known_integers(value)) {
    for (size_t d = 0; d < std::min(made.size(), known->size()); ++d) {
      if ((*known)[d] >= 0) made[d] = (*known)[d];
    }
  }
  return made;
}

Result<TensorId> Call::cast(TensorId id, DType dtype) {
  if (emitter_.dtype(id) == dtype) return id;
  return emit(OH_NN_OPS_CAST, {id, emitter_.type_code(dtype)}, {}, {.dtypes = {dtype}});
}

Result<TensorId> Call::filled_as(DType dtype, TensorId shape, double value) {
  NNRT_ASSIGN(const Dims part, shape_from(shape));
  return emit(OH_NN_OPS_CONSTANT_OF_SHAPE, {shape},
              {int64_parameter(OH_NN_CONSTANT_OF_SHAPE_DATA_TYPE, static_cast<int64_t>(dtype)),
               float_parameter(OH_NN_CONSTANT_OF_SHAPE_VALUE, static_cast<float>(value))},
              {.dtypes = {dtype}, .shape = part});
}

Result<TensorId> Call::reshape(TensorId id, const List<int64_t>& target) {
  if (shape(id) == target) return id;
  if (!target.empty()) return emit(OH_NN_OPS_RESHAPE, {id, emitter_.integers(target)});
  NNRT_ASSIGN(const TensorId vector, emit(OH_NN_OPS_RESHAPE, {id, emitter_.integers({1})}));
  return emit(OH_NN_OPS_SQUEEZE, {vector}, {int64s_parameter(OH_NN_SQUEEZE_AXIS, {0})});
}

Result<TensorId> Call::transpose(TensorId id, const List<int64_t>& order) {
  if (std::ranges::is_sorted(order)) return id;
  return emit(OH_NN_OPS_TRANSPOSE, {id, emitter_.integers(order)});
}

Result<int64_t> Call::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank) return damaged("Axis (", axis, ") is outside [", -rank, ", ", rank, ").");
  return axis < 0 ? axis + rank : axis;
}

Result<List<int64_t>> Call::axes(List<int64_t> axes, int64_t rank) const {
  for (int64_t& one : axes) {
    NNRT_ASSIGN(one, axis(one, rank));
  }
  std::ranges::sort(axes);
  return axes;
}

}  // namespace nnrt::import::onnx
