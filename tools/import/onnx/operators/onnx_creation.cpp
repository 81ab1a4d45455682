// Operators that create tensors from shapes and numbers.
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

Result<TensorId> dimensions(Call& call, TensorId x) {
  if (is_static(call.shape(x))) return call.emitter().integers(call.shape(x));
  NNRT_ASSIGN(const TensorId shape, call.emit(OH_NN_OPS_SHAPE, {x}));
  return call.cast(shape, DType::i64);
}

Result<Ids> shape(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.plain_input(0));
  const int64_t rank = call.rank(x);
  const int64_t start = clamped(call.attributes.integer("start", 0), rank);
  const int64_t end = clamped(call.attributes.integer("end", rank), rank);
  NNRT_ASSIGN(const TensorId all, dimensions(call, x));
  if (start == 0 && end == rank) return Ids{all};
  if (start >= end) return Ids{call.emitter().integers({})};
  Emitter& emitter = call.emitter();
  return single(
      call.emit(OH_NN_OPS_SLICE, {all, emitter.integers({start}), emitter.integers({end - start})}));
}

Result<Ids> size(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.plain_input(0));
  if (const std::optional<int64_t> count = nnrt::element_count(call.shape(x)))
    return single(call.reshape(call.emitter().integers({*count}), {}));
  NNRT_ASSIGN(const TensorId lengths, call.emit(OH_NN_OPS_SHAPE, {x}));
  NNRT_ASSIGN(const TensorId count, call.emit(OH_NN_OPS_REDUCE_PROD, {lengths, call.emitter().integers({0})},
                                              {bool_parameter(OH_NN_REDUCE_PROD_KEEP_DIMS, true)}));
  NNRT_ASSIGN(const TensorId wide, call.cast(count, DType::i64));
  return single(call.reshape(wide, {}));
}

// The single element, if it is exact in FLOAT32 and CONSTANT_OF_SHAPE supports the dtype.
std::optional<double> number_of(Call& call, TensorId value) {
  constexpr double kMaxExact = 1 << 24;
  const DType dtype = call.emitter().dtype(value);
  const auto numbers = call.emitter().known_numbers(value);
  if (!(kNum | DType::boolean).contains(dtype) || !numbers || numbers->size() != 1) return {};
  const double number = numbers->front();
  const bool is_exact = double(float(number)) == number && (is_float(dtype) || std::abs(number) <= kMaxExact);
  return is_exact ? std::optional(number) : std::nullopt;
}

Result<Ids> constant_of_shape(Call& call) {
  NNRT_ASSIGN(const TensorId shape, call.plain_input(0));
  TensorId value = call.emitter().number(DType::f32, 0);
  if (const onnx_file::TensorProto* const given = call.attributes.tensor("value")) {
    NNRT_ASSIGN(nnrt::Tensor tensor, read_constant(*given, *call.data));
    value = call.emitter().add(std::move(tensor));
  }
  const auto known = call.emitter().known_integers(shape);
  if (known && known->empty()) return single(call.reshape(value, {}));
  const DType dtype = call.emitter().dtype(value);
  if (const auto number = number_of(call, value)) return single(call.filled_as(dtype, shape, *number));
  NNRT_ASSIGN(const Dims part, call.shape_from(shape));
  return single(call.emit(OH_NN_OPS_FILL, {value, shape}, {}, {.shape = part}));
}

Result<Ids> range(Call& call) {
  NNRT_ASSIGN(const TensorId start, call.plain_input(0));
  NNRT_ASSIGN(const TensorId limit, call.plain_input(1));
  NNRT_ASSIGN(const TensorId delta, call.plain_input(2));
  return single(call.emit(OH_NN_OPS_RANGE, {start, start, limit, delta}));
}

Result<TensorId> constant_value(Call& call) {
  const Attributes& attributes = call.attributes;
  Emitter& emitter = call.emitter();
  const auto strings = [&](const onnx_file::TensorProto& proto) -> Result<TensorId> {
    NNRT_ASSIGN(nnrt::Tensor tensor, read_strings(proto, *call.strings));
    const TensorId id = emitter.add(std::move(tensor));
    call.strings->mark(id);
    return id;
  };
  if (const onnx_file::SparseTensor* const value = attributes.sparse_tensor("sparse_value")) {
    NNRT_ASSIGN(nnrt::Tensor tensor, read_constant(*value, *call.data, emitter.budget()));
    return emitter.add(std::move(tensor));
  }
  if (const onnx_file::TensorProto* const value = attributes.tensor("value")) {
    if (value->data_type() == kString) return strings(*value);
    NNRT_ASSIGN(nnrt::Tensor tensor, read_constant(*value, *call.data));
    return emitter.add(std::move(tensor));
  }
  if (attributes.has("value_float")) return emitter.number(DType::f32, attributes.real("value_float", 0));
  if (attributes.has("value_int"))
    return call.reshape(emitter.integers({attributes.integer("value_int", 0)}), {});
  if (attributes.has("value_ints")) return emitter.integers(attributes.integers("value_ints"));
  if (attributes.has("value_string") || attributes.has("value_strings")) {
    onnx_file::TensorProto proto;
    for (const std::string& text : attributes.texts("value_strings")) proto.add_string_data(text);
    if (attributes.has("value_strings")) proto.add_dims(proto.string_data_size());
    if (attributes.has("value_string")) proto.add_string_data(attributes.text("value_string"));
    return strings(proto);
  }
  if (!attributes.has("value_floats")) return damaged("The constant has no value.");
  const List<float> floats = attributes.floats("value_floats");
  const auto bytes = std::as_bytes(std::span(floats));
  return emitter.constant(DType::f32, {static_cast<int64_t>(floats.size())},
                          Bytes(bytes.begin(), bytes.end()));
}

Result<Ids> constant(Call& call) {
  NNRT_ASSIGN(const TensorId value, constant_value(call));
  const onnx_file::TensorProto* const tensor = call.attributes.tensor("value");
  if (tensor != nullptr && packed_bits(tensor->data_type()) != 0)
    call.result = Value{.plain = value, .bits = packed_bits(tensor->data_type())};
  return Ids{value};
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
