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

// An integer range with a dynamic limit: a cumulative sum of ones.
Result<TensorId> open_range(Call& call, TensorId limit, DType dtype) {
  NNRT_ASSIGN(const List<int64_t> start, call.integers(0));
  NNRT_ASSIGN(const List<int64_t> delta, call.integers(2));
  if (start.size() != 1 || delta != List<int64_t>{1} || !kIndex.contains(dtype))
    return unsupported("A range with a dynamic limit is supported only for integers with step 1.");
  NNRT_ASSIGN(TensorId count, call.reshape(limit, {1}));
  if (start[0] != 0) {
    NNRT_ASSIGN(count, call.emit(OH_NN_OPS_SUB, {count, call.number_like(count, double(start[0]))}));
  }
  // A limit below the start gives an empty range.
  NNRT_ASSIGN(count, call.emit(OH_NN_OPS_MAXIMUM, {count, call.number_like(count, 0)}));
  NNRT_ASSIGN(const TensorId ones, call.filled_as(dtype, count, 1));
  NNRT_ASSIGN(const TensorId sums, call.emit(OH_NN_OPS_CUM_SUM, {ones}));
  return call.emit(OH_NN_OPS_ADD, {sums, call.number_like(sums, double(start[0] - 1))});
}

constexpr int64_t kMaxRange = 1 << 24;

// The difference of two INT64 values, and its quotient, need one more bit.
Result<TensorId> integer_range(Call& call, DType dtype) {
  int64_t numbers[3];
  for (size_t i = 0; i < 3; ++i) {
    NNRT_ASSIGN(const List<int64_t> given, call.integers(i));
    if (given.size() != 1) return damaged("Input ", i, " has ", given.size(), " elements instead of 1.");
    numbers[i] = given[0];
  }
  const auto [start, limit, delta] = numbers;
  if (delta == 0) return damaged("The step is 0.");
  const bool ascends = delta > 0;
  const uint64_t distance = ascends ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
  const uint64_t step = ascends ? uint64_t(delta) : 0 - uint64_t(delta);
  const uint64_t count = (ascends ? limit > start : limit < start) ? (distance - 1) / step + 1 : 0;
  if (count > kMaxRange) return unsupported("A range of (", count, ") elements is not supported.");
  List<int64_t> values(count);
  for (uint64_t i = 0; i < count; ++i) values[i] = int64_t(uint64_t(start) + i * uint64_t(delta));
  return call.cast(call.emitter().integers(values), dtype);
}

Result<Ids> range(Call& call) {
  NNRT_ASSIGN(const TensorId first, call.plain_input(0));
  const DType dtype = call.emitter().dtype(first);
  NNRT_ASSIGN(const TensorId last, call.plain_input(1));
  if (!call.emitter().is_constant(last)) return single(open_range(call, last, dtype));
  if (!is_float(dtype)) return single(integer_range(call, dtype));
  double numbers[3];
  for (size_t i = 0; i < 3; ++i) {
    NNRT_ASSIGN(const List<double> given, call.numbers(i));
    if (given.size() != 1) return damaged("Input ", i, " has ", given.size(), " elements instead of 1.");
    numbers[i] = given[0];
  }
  const auto [start, limit, delta] = numbers;
  const double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (!(delta != 0 && count <= double(kMaxRange)))
    return unsupported("A range of (", count, ") elements is not supported.");
  Bytes bytes(static_cast<size_t>(count) * sizeof(double));
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const double element = start + static_cast<double>(i) * delta;
    std::memcpy(bytes.data() + i * sizeof(double), &element, sizeof element);
  }
  const TensorId exact = call.emitter().constant(DType::f64, {static_cast<int64_t>(count)}, std::move(bytes));
  return single(call.cast(exact, dtype));
}

Result<TensorId> constant_value(Call& call) {
  const Attributes& attributes = call.attributes;
  Emitter& emitter = call.emitter();
  if (const onnx_file::TensorProto* const value = attributes.tensor("value")) {
    NNRT_ASSIGN(nnrt::Tensor tensor, read_constant(*value, *call.data));
    return emitter.add(std::move(tensor));
  }
  if (attributes.has("value_float")) return emitter.number(DType::f32, attributes.real("value_float", 0));
  if (attributes.has("value_int"))
    return call.reshape(emitter.integers({attributes.integer("value_int", 0)}), {});
  if (attributes.has("value_ints")) return emitter.integers(attributes.integers("value_ints"));
  if (!attributes.has("value_floats")) return unsupported("A constant that is not numeric is not supported.");
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
