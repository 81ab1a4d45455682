// Checksums of large data that several threads can compute: of the checksums of its blocks.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/memory/byte_source.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nnrt {

// One item of data, possibly in consecutive pieces.
using Pieces = std::vector<ByteView>;

// One checksum per item.
std::vector<uint64_t> block_checksums(std::span<const Pieces> items);
uint64_t block_checksum(ByteView bytes);

// A part of a cache with its block checksum.
struct VerifiedPart {
  uint64_t offset = 0, bytes = 0, checksum = 0;
};

struct VerifiedRead {
  VerifiedPart part;
  std::span<std::byte> to;  // as long as the part
};

// Reads the parts, which must be in range, in blocks on several threads; each block is hashed while it is in
// the cache. Returns the indices of the parts with a wrong checksum, or the source's error.
Result<std::vector<size_t>> read_verified(const ByteSource& source, std::span<const VerifiedRead> reads);

// Neighbours of up to this size share a read, and pages.
inline constexpr uint64_t kSmallPart = uint64_t{16} << 10;

// The same for parts into new pages. invalid_file: a checksum is wrong.
Result<std::vector<SharedBytes>> read_pages(const ByteSource& source, std::span<const VerifiedPart> parts);

}  // namespace nnrt
