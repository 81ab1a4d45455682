#pragma once

#include <cstdint>

namespace nnrt::cpu {

// The sum of up to 2^24 contiguous values.
int32_t sum_bytes(const int8_t* from, int64_t count);

}  // namespace nnrt::cpu
