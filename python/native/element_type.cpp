#include "python/native/element_type.h"

#include "python/native/error.h"

#include <algorithm>
#include <array>
#include <string>

namespace nnrt::python {
namespace {

constexpr std::array kTypes{
    ElementType{OH_NN_BOOL, "bool", "?", 1, 6},       ElementType{OH_NN_INT8, "int8", "b", 1, 0},
    ElementType{OH_NN_INT16, "int16", "h", 2, 0},     ElementType{OH_NN_INT32, "int32", "i", 4, 0},
    ElementType{OH_NN_INT64, "int64", "l", 8, 0},     ElementType{OH_NN_UINT8, "uint8", "B", 1, 1},
    ElementType{OH_NN_UINT16, "uint16", "H", 2, 1},   ElementType{OH_NN_UINT32, "uint32", "I", 4, 1},
    ElementType{OH_NN_UINT64, "uint64", "L", 8, 1},   ElementType{OH_NN_FLOAT16, "float16", "e", 2, 2},
    ElementType{OH_NN_FLOAT32, "float32", "f", 4, 2}, ElementType{OH_NN_FLOAT64, "float64", "d", 8, 2}};

}  // namespace

const ElementType& element_type(OH_NN_DataType type) {
  const auto found = std::ranges::find(kTypes, type, &ElementType::type);
  if (found == kTypes.end()) refuse("Data type (" + std::to_string(type) + ") is unknown.");
  return *found;
}

const ElementType& element_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &ElementType::name);
  if (found == kTypes.end()) refuse("Tensors have no elements of type " + std::string(name) + ".");
  return *found;
}

const ElementType* find_dlpack_type(uint8_t code, uint8_t bits) {
  const auto found = std::ranges::find_if(
      kTypes, [&](const ElementType& type) { return type.dlpack_code == code && 8 * type.size == bits; });
  return found == kTypes.end() ? nullptr : &*found;
}

}  // namespace nnrt::python
