// Element types with their names in the runtime, numpy and DLPack.
#pragma once

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nnrt::python {

struct ElementType {
  OH_NN_DataType type;
  std::string_view name;    // numpy's
  std::string_view format;  // the buffer protocol's
  size_t size;              // bytes
  uint8_t dlpack_code;      // 0 signed, 1 unsigned, 2 floating point, 6 boolean
};

// Throw if there is no such type.
const ElementType& element_type(OH_NN_DataType type);
const ElementType& element_type(std::string_view name);
// Null if there is no such type.
const ElementType* find_dlpack_type(uint8_t code, uint8_t bits);

}  // namespace nnrt::python
