// Core types for NNAPI's: unsigned 8-bit is shifted to INT8, unsigned 16-bit is widened to INT32; all others
// are identical.
#pragma once

#include "core/graph/graph.h"
#include "nnapi/model/model.h"
#include "nnapi/model/operand_types.h"

namespace nnrt::nnapi {

// unknown for types without data.
DType core_dtype(int32_t code);

// For the core's kernels: of INT8 and INT16.
Quant core_quant(const Operand& operand);

// True: client and core use the same bytes.
bool is_stored_alike(int32_t code);

// Converts `count` elements from the client's representation to the core's, and back.
void to_core(int32_t code, const std::byte* from, std::byte* to, size_t count);
void from_core(int32_t code, const std::byte* from, std::byte* to, size_t count);

// A constant in the core's representation; shares the operand's bytes if they are the same.
SharedBytes core_bytes(const Operand& operand);

// Empty for a scalar or unknown rank. Unknown dimensions become -1.
Shape core_shape(const Dimensions& dimensions);

// Returns whether the shape matches the dimensions, some of which may be unknown. No dimensions match any
// shape.
bool admits(const Dimensions& dimensions, const Shape& shape);

}  // namespace nnrt::nnapi
