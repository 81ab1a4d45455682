// A tensor in host memory, with access to its values as numbers.
#pragma once

#include "tools/import/network/network.h"

#include <span>

namespace nnrt::tool {

using import::Bytes;
using import::Shape;

struct Array {
  OH_NN_DataType type = OH_NN_UNKNOWN;
  Shape shape;  // static
  Bytes bytes;

  size_t count() const;
  double operator[](size_t index) const;  // 64-bit integers are rounded to the nearest double
  void set(size_t index, double value);   // integers are rounded to nearest and clamped
};

// Filled with zeros. Fails if the shape is dynamic or takes more than 1 GiB, the API's limit.
Result<Array> make_array(OH_NN_DataType type, Shape shape);

bool is_float(OH_NN_DataType type);
bool is_8_bit(OH_NN_DataType type);  // INT8 or UINT8
bool is_dynamic(const Shape& shape);
// "[1, 224, 224, 3]"; "[?, 10]" with a dynamic dimension.
std::string to_string(const Shape& shape);
// "FLOAT32 [1, 10]"
std::string describe(OH_NN_DataType type, const Shape& shape);
// The names, separated by commas.
std::string names_of(std::span<const import::Tensor> tensors);
// The coordinates of element `index`: "[0, 3, 7]".
std::string position(const Shape& shape, size_t index);

}  // namespace nnrt::tool
