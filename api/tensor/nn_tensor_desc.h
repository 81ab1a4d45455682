// Conversions of tensor descriptions between the API and core.
#pragma once

#include "api/base/api_handles.h"

namespace nnrt {

// Number of elements and bytes; no shape means a scalar. dynamic_shape if a dimension is not above 0,
// invalid_parameter if the result overflows or the type is unknown.
Result<size_t> element_count(const NN_TensorDesc& desc);
Result<size_t> byte_size(const NN_TensorDesc& desc);

Shape shape_of(const NN_TensorDesc& desc);
std::vector<int32_t> dimensions_of(const Shape& shape);

}  // namespace nnrt
