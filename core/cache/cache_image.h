// The bytes of a compiled model as they are exported and stored.
#pragma once

#include "core/cache/cache_header.h"
#include "core/runtime/compile.h"

namespace nnrt {

// In pieces, so that constants are not copied to be written.
struct CacheImage {
  CacheHeader header;
  uint64_t device = 0;  // id of the chosen one
  std::vector<SharedBytes> pieces;

  size_t size() const { return header.length; }
};

// Deterministic for the same graph, device and options. unsupported: there are nodes that only a plugin
// understands.
Result<CacheImage> make_image(const CompiledModel& model, uint32_t version);

}  // namespace nnrt
