// Sparse constants.
#pragma once

#include "tools/import/network/network.h"

#include <tflite_generated.h>

#include <span>

namespace nnrt::import::tflite {

// Expands a sparse constant of that shape to row-major order. `stored` holds the nonzero elements,
// `element_size` bytes each; the rest is zero bits. The shape must be known; the caller limits its size.
Result<Bytes> dense_elements(const format::Sparsity& sparsity, const Shape& shape,
                             std::span<const std::byte> stored, size_t element_size);

}  // namespace nnrt::import::tflite
