// Operators that create tensors from shapes and numbers.
#include "core/base/bytes_of.h"
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

// A dimension counted from either end, clamped to [0, rank].
int64_t clamped(int64_t position, int64_t rank) {
  return std::clamp<int64_t>(position < 0 ? position + rank : position, 0, rank);
}

TensorId dimensions(Call& call, TensorId x) {
  return is_static(call.shape(x)) ? call.vector(call.shape(x)) : call.shape_as_tensor(x);
}

Ids shape(Call& call) {
  const TensorId x = call.plain_input(0);
  const int64_t rank = call.rank(x);
  const int64_t start = clamped(call.attributes.integer("start", 0), rank);
  const int64_t end = clamped(call.attributes.integer("end", rank), rank);
  const TensorId all = dimensions(call, x);
  if (start == 0 && end == rank) return {all};
  if (start >= end) return {call.vector({})};
  return {call.emit(Op::slice, {all, call.vector({start}), call.vector({end - start})})};
}

Ids size(Call& call) {
  const TensorId x = call.plain_input(0);
  if (const std::optional<int64_t> count = nnrt::element_count(call.shape(x)))
    return {call.reshape(call.vector({*count}), {})};
  const TensorId lengths = call.emit(Op::shape, {x});
  const TensorId count = call.emit(Op::reduce_prod, {lengths, call.vector({0})}, {{Attr::keep_dims, true}});
  return {call.reshape(call.cast(count, DType::i64), {})};
}

// The single element, if it is exact in FLOAT32 and CONSTANT_OF_SHAPE supports the dtype.
std::optional<double> number_of(Call& call, TensorId value) {
  constexpr double kMaxExact = 1 << 24;
  const DType dtype = call.dtype(value);
  const auto numbers = call.known_numbers(value);
  if (!(kNum | DType::boolean).contains(dtype) || !numbers || numbers->size() != 1) return {};
  const double number = numbers->front();
  const bool is_exact = double(float(number)) == number && (is_float(dtype) || std::abs(number) <= kMaxExact);
  return is_exact ? std::optional(number) : std::nullopt;
}

Ids constant_of_shape(Call& call) {
  const TensorId shape = call.plain_input(0);
  TensorId value = call.number(DType::f32, 0);
  if (const onnx_file::TensorProto* const given = call.attributes.tensor("value"))
    value = call.emitter().add(required(read_constant(*given, *call.data)));
  const auto known = call.known_integers(shape);
  if (known && known->empty()) return {call.reshape(value, {})};
  const DType dtype = call.dtype(value);
  if (const auto number = number_of(call, value)) return {call.filled_as(dtype, shape, *number)};
  return {call.emit(Op::fill, {value, shape}, {}, {.shape = call.shape_from(shape)})};
}

Ids range(Call& call) {
  const TensorId start = call.plain_input(0);
  return {call.emit(Op::range, {start, start, call.plain_input(1), call.plain_input(2)})};
}

TensorId constant_value(Call& call) {
  const Attributes& attributes = call.attributes;
  Emitter& emitter = call.emitter();
  const auto strings = [&](const onnx_file::TensorProto& proto) -> TensorId {
    const TensorId id = emitter.add(required(read_strings(proto, *call.strings)));
    call.strings->mark(id);
    return id;
  };
  if (const onnx_file::SparseTensor* const value = attributes.sparse_tensor("sparse_value"))
    return emitter.add(required(read_constant(*value, *call.data, emitter.budget())));
  if (const onnx_file::TensorProto* const value = attributes.tensor("value")) {
    if (value->data_type() == kString) return strings(*value);
    return emitter.add(required(read_constant(*value, *call.data)));
  }
  if (attributes.has("value_float")) return call.number(DType::f32, attributes.real("value_float", 0));
  if (attributes.has("value_int")) return call.reshape(call.vector({attributes.integer("value_int", 0)}), {});
  if (attributes.has("value_ints")) return call.vector(attributes.integers("value_ints"));
  if (attributes.has("value_string") || attributes.has("value_strings")) {
    onnx_file::TensorProto proto;
    for (const std::string& text : attributes.texts("value_strings")) proto.add_string_data(text);
    if (attributes.has("value_strings")) proto.add_dims(proto.string_data_size());
    if (attributes.has("value_string")) proto.add_string_data(attributes.text("value_string"));
    return strings(proto);
  }
  if (!attributes.has("value_floats")) fail(damaged("The constant has no value."));
  const List<float> floats = attributes.floats("value_floats");
  return call.constant(DType::f32, {static_cast<int64_t>(floats.size())}, bytes_of(floats));
}

Ids constant(Call& call) {
  const TensorId value = constant_value(call);
  const onnx_file::TensorProto* const tensor = call.attributes.tensor("value");
  if (tensor != nullptr && packed_bits(tensor->data_type()) != 0)
    call.result = Value{.plain = value, .bits = packed_bits(tensor->data_type())};
  return {value};
}

}  // namespace

std::vector<Row> creation_rows() {
  return {
      {.type = "Constant", .handler = constant, .required = 0},
      {"ConstantOfShape", constant_of_shape},
      {"Range", range},
      {"Shape", shape},
      {"Size", size},
  };
}

}  // namespace nnrt::import::onnx
