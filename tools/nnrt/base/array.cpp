#include "tools/nnrt/base/array.h"

#include "core/base/element_types.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::tool {
namespace {

constexpr size_t kLargest = size_t{1} << 30;

template <typename T>
T converted(double value) {
  if constexpr (!std::is_integral_v<T>) {
    return narrow<T>(value);
  } else {
    if (std::isnan(value)) return 0;
    const double rounded = std::round(value);
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(rounded);
  }
}

}  // namespace

size_t Array::count() const { return bytes.size() / import::element_size(type); }

double Array::operator[](size_t index) const {
  return dispatch_dtype(static_cast<DType>(type), [&]<typename T>(std::type_identity<T>) {
    return static_cast<double>(widen(element_at<T>(bytes, index)));
  });
}

void Array::set(size_t index, double value) {
  dispatch_dtype(static_cast<DType>(type), [&]<typename T>(std::type_identity<T>) {
    const T element = converted<T>(value);
    std::memcpy(bytes.data() + index * sizeof element, &element, sizeof element);
  });
}

Result<Array> make_array(OH_NN_DataType type, Shape shape) {
  if (import::element_size(type) == 0) return unsupported("The element type is unknown.");
  NNRT_ASSIGN(const size_t bytes, import::byte_count(type, shape));
  if (bytes > kLargest) {
    return unsupported("Tensor ", describe(type, shape), " takes ", bytes, " bytes, more than 1 GiB.");
  }
  return Array{type, std::move(shape), Bytes(bytes)};
}

bool is_float(OH_NN_DataType type) {
  return type == OH_NN_FLOAT16 || type == OH_NN_FLOAT32 || type == OH_NN_FLOAT64;
}

bool is_8_bit(OH_NN_DataType type) { return type == OH_NN_INT8 || type == OH_NN_UINT8; }

bool is_dynamic(const Shape& shape) {
  return std::ranges::any_of(shape, [](int32_t dimension) { return dimension < 0; });
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const int32_t dimension : shape) {
    if (text.size() > 1) text += ", ";
    text += dimension < 0 ? "?" : std::to_string(dimension);
  }
  return text + "]";
}

std::string describe(OH_NN_DataType type, const Shape& shape) {
  return cat(import::type_name(type), ' ', to_string(shape));
}

std::string names_of(std::span<const import::Tensor> tensors) {
  std::string names;
  for (const import::Tensor& tensor : tensors) names += cat(names.empty() ? "" : ", ", tensor.name);
  return names;
}

std::string position(const Shape& shape, size_t index) {
  Shape coordinates(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = static_cast<size_t>(std::max(shape[axis], 1));
    coordinates[axis] = static_cast<int32_t>(index % extent);
    index /= extent;
  }
  return to_string(coordinates);
}

}  // namespace nnrt::tool
