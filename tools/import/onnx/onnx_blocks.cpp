#include "tools/import/onnx/onnx_blocks.h"

#include "core/base/element_at.h"
#include "core/base/fp16.h"

namespace nnrt::import::onnx {
namespace {

int byte_at(ByteView bytes, bool is_signed, size_t i) {
  return is_signed ? static_cast<int8_t>(bytes[i]) : static_cast<uint8_t>(bytes[i]);
}

List<double> floats_of(const Tensor& tensor) {
  const bool is_half = tensor.type == OH_NN_FLOAT16;
  List<double> values(tensor.data->size() / (is_half ? sizeof(Half) : sizeof(float)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = is_half ? to_float(element_at<Half>(*tensor.data, i)) : element_at<float>(*tensor.data, i);
  return values;
}

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

Blocks::Blocks(const Emitter& emitter, const Value& value)
    : bytes_(*emitter.tensor(*value.quantized).data),
      is_signed_(emitter.dtype(*value.quantized) == DType::i8),
      size_(value.blocks->size),
      scales_(floats_of(emitter.tensor(value.blocks->scales))) {
  const Dims shape = emitter.shape(*value.quantized);
  outer_ = product(shape, 0, value.axis);
  length_ = shape[value.axis];
  inner_ = product(shape, value.axis + size_t{1}, shape.size());
  if (!value.blocks->zero_points) return;
  const ByteView zeros = *emitter.tensor(*value.blocks->zero_points).data;
  for (size_t i = 0; i < zeros.size(); ++i) zero_points_.push_back(byte_at(zeros, is_signed_, i));
}

int Blocks::stored(int64_t outer, int64_t k, int64_t inner) const {
  return byte_at(bytes_, is_signed_, static_cast<size_t>((outer * length_ + k) * inner_ + inner));
}

TensorId dequantized_blocks(Emitter& emitter, const Value& value) {
  const Blocks blocks(emitter, value);
  const Dims shape = emitter.shape(*value.quantized);
  const auto size = nnrt::byte_size(DType::f32, shape);
  if (!size) fail(unsupported("Values of shape ", to_string(shape), " are too large."));
  required(emitter.budget().take(*size));
  Bytes bytes;
  bytes.reserve(*size);
  for (int64_t outer = 0; outer < blocks.outer(); ++outer) {
    for (int64_t k = 0; k < blocks.length(); ++k) {
      for (int64_t inner = 0; inner < blocks.inner(); ++inner) {
        const size_t at = blocks.index(outer, k, inner);
        const float real =
            static_cast<float>(blocks.stored(outer, k, inner) - blocks.zero_point(at)) * blocks.scale(at);
        const auto* const from = reinterpret_cast<const std::byte*>(&real);
        bytes.insert(bytes.end(), from, from + sizeof real);
      }
    }
  }
  const DType dtype = value.real_type;
  const TensorId floats = emitter.constant(DType::f32, shape, std::move(bytes));
  if (dtype == DType::f32) return floats;
  return emitter.emit(Op::cast, {floats, emitter.type_code(dtype)}, {}, {.dtypes = {dtype}});
}

}  // namespace nnrt::import::onnx
