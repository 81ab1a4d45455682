#include "core/base/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace nnrt {

uint64_t checksum(std::span<const ByteView> pieces) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const ByteView piece : pieces) XXH3_64bits_update(&state, piece.data(), piece.size());
  return XXH3_64bits_digest(&state);
}

uint64_t checksum(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace nnrt
