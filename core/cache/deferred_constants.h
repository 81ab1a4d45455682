// Parts of a cache file that are read when they are first needed.
#pragma once

#include "core/cache/block_checksum.h"
#include "core/graph/graph.h"

#include <memory>
#include <vector>

namespace nnrt {

// Per tensor: a constant that can be deferred, as nothing reads its contents but devices and graph passes: a
// large one that is neither a parameter, nor an index, nor read by shape inference. Up to `small_bytes`, a
// read of its own does not pay. The graph need not be valid.
std::vector<bool> find_deferrable(const Graph& graph, const std::vector<bool>& is_constant,
                                  size_t small_bytes = size_t{16} << 10);

// `bytes` of the part are visible; the rest is padding. Keeps the source open until the contents are read or
// released.
SharedBytes deferred_constant(const std::shared_ptr<const ByteSource>& source, const VerifiedPart& part,
                              size_t bytes);

}  // namespace nnrt
