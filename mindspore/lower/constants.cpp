#include "mindspore/lower/constants.h"

#include "core/base/bytes_of.h"
#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/base/transpose.h"
#include "core/writer/common_nodes.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

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
void check_count(int64_t count) {
  constexpr int64_t kMaxCount = 1 << 24;
  if (count < 0 || count > kMaxCount)
    fail(unsupported("The number of channels (", count, ") is not known or too large."));
}

}  // namespace

Value zeros(GraphWriter& graph, DType dtype, int64_t count) {
  check_count(count);
  return graph.constant(dtype, {count}, std::make_shared<const Bytes>(size_t(count) * size_of(dtype)));
}

Value ones(GraphWriter& graph, DType dtype, int64_t count) {
  if (dtype != DType::f32 && dtype != DType::f16)
    fail(unsupported("Data of ", name(dtype), " are not supported without a scale."));
  check_count(count);
  return dispatch_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
    return graph.constant(
        dtype, {count},
        std::make_shared<const Bytes>(bytes_of(std::vector<T>(size_t(count), narrow<T>(1.0f)))));
  });
}

Value zero_bias(GraphWriter& graph, const Value& data, int64_t channels) {
  return zeros(graph, data.is_quantized() ? DType::i32 : data.dtype, channels);
}

Value repacked(GraphWriter& graph, const Value& value, const Shape& shape, std::span<const int64_t> perm,
               const Shape& result) {
  const SharedBytes data = graph.tensor(value.id).data;
  if (data == nullptr) return reshape(graph, transpose(graph, reshape(graph, value, shape), perm), result);
  const std::string name = graph.tensor(value.id).name;
  const SharedBytes moved = keeps_order(shape, perm)
                                ? data
                                : std::make_shared<const Bytes>(transposed(
                                      *data, shape, {perm.begin(), perm.end()}, size_of(value.dtype)));
  const Value made = graph.constant(value.dtype, result, moved, value.quant);
  graph.set_name(made.id, name);
  return made;
}

}  // namespace nnrt::mindspore
