// The types of the core for those of NNAPI: unsigned 8-bit is shifted to INT8, unsigned 16-bit widened to
// INT32; all others keep their bytes.
#pragma once

#include "core/graph/graph.h"
#include "nnapi/model/model.h"
#include "nnapi/model/operand_types.h"

namespace nnrt::nnapi {

// unknown for types that have no data.
DType core_dtype(int32_t code);

// As the core's kernels know it: of INT8 and INT16.
Quant core_quant(const Operand& operand);

// True: the client's bytes are the core's.
bool is_stored_alike(int32_t code);

// Copies `count` elements from the client's form to the core's, and back.
void to_core(int32_t code, const std::byte* from, std::byte* to, size_t count);
void from_core(int32_t code, const std::byte* from, std::byte* to, size_t count);

// A constant's bytes in the core's form: those of the operand where they are stored alike.
SharedBytes core_bytes(const Operand& operand);

// A tensor of unknown rank, and a scalar, have none. Unknown dimensions become -1.
Shape core_shape(const Dimensions& dimensions);

// Returns whether the shape is one of those that the dimensions leave open. No dimensions: any.
bool admits(const Dimensions& dimensions, const Shape& shape);

}  // namespace nnrt::nnapi
