#include "mindspore/lower/constants.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/writer/common_nodes.h"

#include <algorithm>
#include <cstring>

namespace nnrt::mindspore {
namespace {

Bytes transposed_bytes(ByteView from, size_t size, const Shape& shape, std::span<const int64_t> perm) {
  const Strides strides = strides_of(shape);
  Shape lengths;
  for (const int64_t d : perm) lengths.push_back(shape[size_t(d)]);
  Bytes to(from.size());
  Shape at(perm.size(), 0);
  for (size_t target = 0; target < to.size(); target += size) {
    int64_t source = 0;
    for (size_t d = 0; d < perm.size(); ++d) source += at[d] * strides[size_t(perm[d])];
    std::memcpy(to.data() + target, from.data() + size_t(source) * size, size);
    for (size_t d = perm.size(); d-- > 0 && ++at[d] == lengths[d];) at[d] = 0;
  }
  return to;
}

// Does the order of elements stay, because only dimensions of length 1 move?
bool keeps_order(const Shape& shape, std::span<const int64_t> perm) {
  int64_t last = -1;
  for (const int64_t d : perm) {
    if (shape[size_t(d)] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

// Shapes of a damaged file may ask for any number.
bool can_be_added(GraphWriter& graph, int64_t count) {
  constexpr int64_t kMaxCount = 1 << 24;
  if (count >= 0 && count <= kMaxCount) return true;
  graph.fail(unsupported("The number of channels (", count, ") is not known or too large."));
  return false;
}

}  // namespace

Value zeros(GraphWriter& graph, DType dtype, int64_t count) {
  if (!can_be_added(graph, count)) return {};
  return graph.constant(dtype, {count}, std::make_shared<const Bytes>(size_t(count) * size_of(dtype)));
}

Value ones(GraphWriter& graph, DType dtype, int64_t count) {
  if (dtype != DType::f32 && dtype != DType::f16) {
    graph.fail(unsupported("Data of ", name(dtype), " are not supported without a scale."));
    return {};
  }
  if (!can_be_added(graph, count)) return {};
  Bytes bytes(size_t(count) * size_of(dtype));
  const float one = 1;
  const Half half = to_half(one);
  for (size_t i = 0; i < size_t(count); ++i)
    std::memcpy(bytes.data() + i * size_of(dtype),
                dtype == DType::f16 ? static_cast<const void*>(&half) : &one, size_of(dtype));
  return graph.constant(dtype, {count}, std::make_shared<const Bytes>(std::move(bytes)));
}

Value zero_bias(GraphWriter& graph, const Value& data, int64_t channels) {
  return zeros(graph, data.is_quantized() ? DType::i32 : data.dtype, channels);
}

Value repacked(GraphWriter& graph, const Value& value, const Shape& shape, std::span<const int64_t> perm,
               const Shape& result) {
  if (graph.failed()) return value;
  const SharedBytes data = graph.tensor(value.id).data;
  if (data == nullptr) return reshape(graph, transpose(graph, reshape(graph, value, shape), perm), result);
  const std::string name = graph.tensor(value.id).name;
  const SharedBytes moved =
      keeps_order(shape, perm)
          ? data
          : std::make_shared<const Bytes>(transposed_bytes(*data, size_of(value.dtype), shape, perm));
  const Value made = graph.constant(value.dtype, result, moved, value.quant);
  if (!graph.failed()) graph.set_name(made.id, name);
  return made;
}

}  // namespace nnrt::mindspore
