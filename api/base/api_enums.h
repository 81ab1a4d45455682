// Converts between OH_NN_* and core's enumerations. The values are equal (asserted in api_enums.cpp); clients
// may pass any number, so it is checked.
#pragma once

#include "core/base/dtype.h"
#include "core/device/device.h"
#include "core/graph/graph.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstring>

namespace nnrt {

// The value of an enumerator. Reading one outside its enumeration would be undefined behavior.
template <typename Enum>
int number_of(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

Result<DType> dtype_from(int value);
Result<Format> format_from(int value);
Result<PerformanceMode> performance_from(int value);
Result<Priority> priority_from(int value);

inline OH_NN_DataType to_c(DType value) { return static_cast<OH_NN_DataType>(value); }
inline OH_NN_Format to_c(Format value) { return static_cast<OH_NN_Format>(value); }
inline OH_NN_DeviceType to_c(DeviceType value) { return static_cast<OH_NN_DeviceType>(value); }

}  // namespace nnrt
