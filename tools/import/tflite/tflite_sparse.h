// Constants of which a file stores only the elements that are not zero.
#pragma once

#include "tools/import/network/network.h"

#include <tflite_generated.h>

#include <span>

namespace nnrt::import::tflite {

// Returns all elements of a sparse constant of that shape, in row-major order. `stored` are the elements in
// the file, of `element_size` bytes each; those that it lacks are zero bits. The shape is known, and the
// caller limits its size.
Result<Bytes> dense_elements(const format::Sparsity& sparsity, const Shape& shape,
                             std::span<const std::byte> stored, size_t element_size);

}  // namespace nnrt::import::tflite
