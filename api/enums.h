// OH_NN_* <-> core's enumerations. The numbers agree (enums.cpp asserts it), so what is left is to check what
// a client passes: it may be any number.
#pragma once

#include "core/device.h"
#include "core/dtype.h"
#include "core/graph.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

namespace nnrt {

Result<DType> dtype_from(OH_NN_DataType value);
Result<Format> format_from(OH_NN_Format value);
Result<PerformanceMode> performance_from(int value);
Result<Priority> priority_from(int value);

inline OH_NN_DataType to_c(DType value) { return static_cast<OH_NN_DataType>(value); }
inline OH_NN_Format to_c(Format value) { return static_cast<OH_NN_Format>(value); }
inline OH_NN_DeviceType to_c(DeviceType value) { return static_cast<OH_NN_DeviceType>(value); }

}  // namespace nnrt
