#include "tools/import/onnx/onnx_blocks.h"

#include "core/base/element_types.h"

namespace nnrt::import::onnx {
namespace {

// The shape of the scales: one per block.
Dims scales_shape(Dims shape, size_t axis, int64_t block_size) {
  shape[axis] = (shape[axis] + block_size - 1) / block_size;
  return shape;
}

void check_parts(const Emitter& emitter, TensorId id, const Dims& shape, DTypeSet dtypes,
                 std::string_view what) {
  if (!emitter.is_constant(id))
    fail(unsupported("Blocks whose ", what, " are not constant are not supported."));
  if (!dtypes.contains(emitter.dtype(id)) || emitter.shape(id) != shape)
    fail(damaged("The ", what, " (", to_string(emitter.shape(id)), ") are not one per block (",
                 to_string(shape), ")."));
}

}  // namespace

Value blocked_value(Call& call, int64_t block_size) {
  const TensorId x = call.plain_input(0), scales = call.plain_input(1);
  const int64_t axis = call.axis(call.attributes.integer("axis", 1), call.rank(x));
  if (block_size < 1) fail(damaged("The block size (", block_size, ") is below 1."));
  if (!call.is_constant(x)) fail(unsupported("Blocks of values that are not constant are not supported."));
  if (call.dtype(x) != DType::i8 && call.dtype(x) != DType::u8)
    fail(unsupported("Blocks of ", name(call.dtype(x)), " are not supported."));
  const Dims shape = scales_shape(call.shape(x), static_cast<size_t>(axis), block_size);
  check_parts(call.emitter(), scales, shape, kFloat, "scales");
  BlockScales blocks{scales, {}, block_size};
  if (call.has(2)) {
    blocks.zero_points = call.plain_input(2);
    check_parts(call.emitter(), *blocks.zero_points, shape, call.dtype(x), "zero points");
  }
  return Value{.quantized = x,
               .dequantized = true,
               .code_type = call.dtype(x),
               .axis = static_cast<uint32_t>(axis),
               .blocks = blocks};
}

Blocks::Blocks(const Emitter& emitter, const Value& value) : size_(value.blocks->size) {
  const Tensor& scales = emitter.tensor(value.blocks->scales);
  scales_ = numbers_of<float>(emitter.dtype(value.blocks->scales), *scales.data);
  const Dims shape = emitter.shape(*value.quantized);
  length_ = shape[value.axis];
  inner_ = product(shape, value.axis + size_t{1}, shape.size());
  if (!value.blocks->zero_points) return;
  const TensorId zeros = *value.blocks->zero_points;
  zero_points_ = numbers_of<int32_t>(emitter.dtype(zeros), *emitter.tensor(zeros).data);
}

TensorId dequantized_blocks(Emitter& emitter, const Value& value) {
  const Blocks blocks(emitter, value);
  const TensorId stored = *value.quantized;
  const ByteView bytes = *emitter.tensor(stored).data;
  const bool is_signed = emitter.dtype(stored) == DType::i8;
  required(emitter.budget().take(bytes.size() * sizeof(float)));
  List<float> values;
  values.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t at = blocks.index(static_cast<int64_t>(i));
    const int code = is_signed ? static_cast<int8_t>(bytes[i]) : static_cast<uint8_t>(bytes[i]);
    values.push_back(static_cast<float>(code - blocks.zero_point(at)) * blocks.scale(at));
  }
  return emitter.constant(emitter.tensor(stored).shape, std::span<const float>(values));
}

}  // namespace nnrt::import::onnx
