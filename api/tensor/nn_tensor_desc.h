// Descriptions of tensors, as the client sees them and as core does.
#pragma once

#include "api/base/api_handles.h"

namespace nnrt {

// Elements and bytes of a description; one without a shape counts as a scalar. dynamic_shape where a
// dimension is not above 0, invalid_parameter where the number does not fit or the type is unknown.
Result<size_t> element_count(const NN_TensorDesc& desc);
Result<size_t> byte_size(const NN_TensorDesc& desc);

Shape shape_of(const NN_TensorDesc& desc);
std::vector<int32_t> dimensions_of(const Shape& shape);

}  // namespace nnrt
