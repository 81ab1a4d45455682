// Encoders of compressed weights, the inverses of mindspore/weights.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nnrt::mindspore::test {

using Values = std::vector<int>;

// Least significant bit first; codes are stored as value + 2^(bits - 1).
Bytes packed_bits(const Values& values, int bits);
Bytes indexing(const Values& values, int bits);
// `background` is the zero point of each element, which is not stored.
Bytes sparse(const Values& values, int bits, const Values& background, int gap_bits);
// Indices into `codebook`, whose elements have 4 bytes.
Bytes finite_state_entropy(const std::vector<uint32_t>& indices, const std::vector<uint32_t>& codebook,
                           int log_size);

}  // namespace nnrt::mindspore::test
