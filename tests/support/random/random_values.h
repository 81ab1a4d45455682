// Random dtypes, quantization and tensor contents.
#pragma once

#include "core/base/bytes.h"
#include "core/schema/schema.h"
#include "tests/support/random/random.h"

#include <vector>

namespace nnrt::test {

// Appends one element: the real number or the integer, depending on the dtype.
void append_number(Bytes& bytes, DType dtype, double real, int64_t integer);

std::vector<DType> members(DTypeSet set);
// Prefers FLOAT32.
DType random_dtype(Random& random, DTypeSet set);
Quant random_quant(Random& random, size_t scales = 1);

// Random contents for input `input` of an operator.
Bytes random_contents(Random& random, DType dtype, size_t count, Op op, size_t input);

}  // namespace nnrt::test
