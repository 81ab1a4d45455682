// Elements in another order of their dimensions.
#pragma once

#include "core/base/bytes.h"
#include "core/base/shape.h"

#include <span>
#include <vector>

namespace nnrt {

// Dimension d of the result is dimension order[d] of `from`, which has `shape`.
void transpose(ByteView from, const Shape& shape, std::span<const size_t> order, size_t element_bytes,
               std::span<std::byte> to);
Bytes transposed(ByteView from, const Shape& shape, const std::vector<size_t>& order, size_t element_bytes);

}  // namespace nnrt
