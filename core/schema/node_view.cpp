#include "core/schema/node_view.h"

#include "core/schema/rules.h"
#include "core/schema/schema.h"

#include <cstring>

namespace nnrt {
namespace {

template <typename T>
std::vector<int64_t> read_all(const std::byte* data, size_t count) {
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}

}  // namespace

const OpSchema& NodeView::schema() const { return nnrt::schema(op()); }

std::optional<std::vector<int64_t>> NodeView::integers(size_t i) const {
  const std::optional<int64_t> count = element_count(shape(i));
  if (count == 0 && kIndex.contains(dtype(i))) return std::vector<int64_t>();
  if (data(i) == nullptr || !count) return std::nullopt;
  if (dtype(i) == DType::i32) return read_all<int32_t>(data(i), size_t(*count));
  if (dtype(i) == DType::i64) return read_all<int64_t>(data(i), size_t(*count));
  return std::nullopt;
}

bool NodeView::is_quantized() const {
  return schema().quantized && input_count() > 0 && has_quantized_values(schema(), input(0));
}

}  // namespace nnrt
