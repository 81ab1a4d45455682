#include "tools/import/onnx/onnx_call.h"

#include "core/base/bytes_of.h"
#include "tools/import/onnx/onnx_blocks.h"
#include "tools/import/onnx/onnx_quantization.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nnrt::import::onnx {
namespace {

TensorId dequantized(Emitter& emitter, const Value& value) {
  const TensorId quantized = *value.quantized;
  if (!value.blocks && emitter.dtype(quantized) == DType::i8)
    return emitter.emit(Op::quant_dtype_cast, {quantized},
                        cast_parameters(DType::i8, value.real_type, value.axis),
                        {.dtypes = {value.real_type}});
  return Formulas(emitter).cast(
      value.blocks ? dequantized_blocks(emitter, value) : emitter.dequantize(quantized, value.axis),
      value.real_type);
}

}  // namespace

TensorId plain_of(Emitter& emitter, Value& value) {
  if (value.plain) return *value.plain;
  if (value.elements) fail(unsupported("A sequence where a tensor is expected is not supported."));
  if (value.dequantized) {
    value.plain = dequantized(emitter, value);
  } else if (value.code_type == DType::u8 ||
             emitter.tensor(*value.quantized).quantization.scales.size() > 1) {
    // Other operators do not know the axis of several scales.
    value.plain = emitter.emit(Op::quant_dtype_cast, {*value.quantized},
                               cast_parameters(DType::i8, value.code_type, value.axis),
                               {.dtypes = {value.code_type}, .quant = Quantization{}});
  } else {
    value.plain = value.quantized;
  }
  return *value.plain;
}

List<int64_t> axes_between(int64_t begin, int64_t end) {
  List<int64_t> axes(static_cast<size_t>(end - begin));
  std::iota(axes.begin(), axes.end(), begin);
  return axes;
}

Value& Call::value(size_t i) const {
  if (!has(i)) fail(damaged("Input ", i, " is absent."));
  return *inputs[i];
}

Result<Ids> run_handler(Call& call) {
  return converting([&] {
    for (size_t i = 0; i < call.row().required; ++i) call.value(i);
    return call.row().handler(call);
  });
}

std::string_view Call::type() const { return row_.type; }

TensorId Call::plain_input(size_t i) { return plain_of(emitter_, value(i)); }

TensorId Call::input(size_t i) {
  const bool is_one_of_them =
      row_.quantized == kAllInputsQuantized || i < static_cast<size_t>(row_.quantized);
  if (is_quantized_call() && is_one_of_them && has(i)) return *value(i).quantized;
  return plain_input(i);
}

Ids Call::all_inputs() {
  Ids ids;
  for (size_t i = 0; i < inputs.size(); ++i) ids.push_back(input(i));
  return ids;
}

List<int64_t> Call::integers(size_t i) {
  const TensorId id = plain_input(i);
  if (auto known = known_integers(id)) return *std::move(known);
  fail(unsupported("Input ", i, " (", tensor(id).name, ") is not a constant of integers."));
}

List<double> Call::numbers(size_t i) {
  const TensorId id = plain_input(i);
  if (auto known = known_numbers(id)) return *std::move(known);
  fail(unsupported("Input ", i, " (", tensor(id).name, ") is not a constant of numbers."));
}

List<int64_t> Call::integers(std::string_view attribute, size_t i) {
  if (attributes.has(attribute)) return attributes.integers(attribute);
  return has(i) ? integers(i) : List<int64_t>();
}

std::optional<double> Call::known_number(TensorId id) const {
  const auto numbers = known_numbers(id);
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

const onnx_file::GraphProto& Call::body(std::string_view name) const {
  const onnx_file::GraphProto* const body = attributes.graph(name);
  if (body == nullptr) fail(damaged("The node has no subgraph (", name, ")."));
  return *body;
}

TensorId Call::second_operand() {
  constexpr int64_t kAlignedAtTheEnd = 7;
  const TensorId second = input(1);
  if (opset_ >= kAlignedAtTheEnd || !attributes.flag("broadcast") || !attributes.has("axis")) return second;
  const TensorId first = input(0);
  const int64_t begin = axis(attributes.integer("axis", 0), std::max<int64_t>(rank(first), 1));
  const int64_t end = begin + rank(second);
  if (end > rank(first))
    fail(damaged("The dimensions ", to_string(shape(second)), " do not fit after axis (", begin, ") of ",
                 to_string(shape(first)), "."));
  List<int64_t> behind;
  for (int64_t d = end; d < rank(first); ++d) behind.push_back(d - begin);
  return rank(second) == 0 ? second : unsqueeze(second, behind);
}

int64_t Call::length(TensorId id, int64_t axis) const {
  const int64_t length = shape(id)[static_cast<size_t>(this->axis(axis, rank(id)))];
  if (length == kUnknown)
    fail(unsupported("Dimension ", axis, " of ", to_string(shape(id)), " is not known."));
  return length;
}

int64_t Call::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank) fail(damaged("Axis (", axis, ") is outside [", -rank, ", ", rank, ")."));
  return axis < 0 ? axis + rank : axis;
}

List<int64_t> Call::axes(List<int64_t> axes, int64_t rank) const {
  for (int64_t& one : axes) one = axis(one, rank);
  std::ranges::sort(axes);
  return axes;
}

Dims Call::shape_from(TensorId value) const {
  constexpr int64_t kMaxRank = 8;
  if (!kIndex.contains(dtype(value)))
    fail(damaged("The shape (", tensor(value).name, ") is ", nnrt::name(dtype(value)), ", not INT64."));
  const Dims length = shape(value);
  if (length.size() != 1 || length[0] < 1 || length[0] > kMaxRank)
    fail(unsupported("The rank of the result is not known: the shape (", tensor(value).name,
                     ") is itself of shape ", to_string(length), "."));
  Dims made(static_cast<size_t>(length[0]), kUnknown);
  if (const auto known = emitter_.partly_known_integers(value)) {
    for (size_t d = 0; d < std::min(made.size(), known->size()); ++d)
      if ((*known)[d] >= 0) made[d] = (*known)[d];
  }
  return made;
}

Ids outputs_of(Call& call, const Values& made) {
  Ids tensors;
  for (size_t i = 0; i < made.size(); ++i) {
    tensors.push_back(made[i].plain.value_or(0));
    if (made[i].elements) call.sequences.emplace(i, *made[i].elements);
  }
  return tensors;
}

TensorId Call::constant(DType dtype, const Dims& shape, const List<double>& values) {
  return cast(constant(DType::f64, shape, bytes_of(values)), dtype);
}

TensorId Call::filled_as(DType dtype, TensorId shape, double value) {
  const Dims part = shape_from(shape);
  return emit(Op::constant_of_shape, {shape}, {{Attr::data_type, dtype}, {Attr::value, value}},
              {.dtypes = {dtype}, .shape = part});
}

}  // namespace nnrt::import::onnx
