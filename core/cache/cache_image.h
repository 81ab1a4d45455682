// The serialized form of a compiled model.
#pragma once

#include "core/cache/cache_header.h"
#include "core/runtime/compile.h"

namespace nnrt {

// In pieces, to avoid copying weights: only valid as long as the model.
struct CacheImage {
  CacheHeader header;
  uint64_t device = 0;  // id of the chosen device
  std::vector<SharedBytes> pieces;

  size_t size() const { return header.length; }
};

// Deterministic for a graph, device and options. unsupported: the model has nodes that only a plugin
// understands.
Result<CacheImage> make_image(const CompiledModel& model, uint32_t version);

}  // namespace nnrt
