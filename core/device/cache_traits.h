// Optional interfaces of devices and prepared models, found by dynamic_cast, that save copies and reads of
// weights.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/memory/deferred_bytes.h"

#include <vector>

namespace nnrt {

// A prepared model that returns what export_cache() does in consecutive pieces, without copying packed
// weights: the pieces are only valid as long as the model.
class PieceExporter {
 public:
  virtual ~PieceExporter() = default;
  virtual Result<std::vector<SharedBytes>> export_pieces() const = 0;
};

// A device whose restore() accepts deferred constants and deferred cached bytes
// (core/memory/deferred_bytes.h), and reads only the constants that it needs. Unless it is a plugin,
// supports() accepts them, too: hosts call it before restore().
class DeferredReader {
 public:
  virtual ~DeferredReader() = default;
};

// A device whose prepare() accepts weights of CONV2D that have not been transposed (StoredOrder).
class StoredOrderReader {
 public:
  virtual ~StoredOrderReader() = default;
};

// Reads all deferred constants of the graph.
inline Status ensure_read(const Graph& graph) {
  std::vector<SharedBytes> deferred;
  for (const Tensor& tensor : graph.tensors)
    if (is_deferred(tensor.data)) deferred.push_back(tensor.data);
  return ensure_read(deferred);
}

}  // namespace nnrt
