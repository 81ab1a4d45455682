// The encodings of MindSpore Lite's constants. Data may be damaged; `count` is limited by the caller.
#pragma once

#include "core/base/bytes.h"
#include "mindspore/weights/weights.h"

namespace nnrt::mindspore {

// Decoded integers, in 8 bits if codes have at most 8, else in 16.
using Codes = std::vector<int16_t>;

// Codes of `bits` bits, least significant bit first.
Result<Codes> unpack_bits(ByteView data, int bits, size_t count);
// A list of the values that occur, followed by indices into it.
Result<Codes> unpack_indexing(ByteView data, int bits, size_t count);
// Like indexing, but only stores elements that differ from their channel's zero point.
Result<Codes> unpack_sparse(ByteView data, int bits, size_t count, std::span<const int32_t> zero_points,
                            const Channels& channels);
// Finite state entropy with a codebook of 4-byte elements (FLOAT32 or INT32), which are returned.
Result<std::vector<uint32_t>> unpack_fse(ByteView data, size_t count);

}  // namespace nnrt::mindspore
