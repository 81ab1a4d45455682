// Optional interfaces of devices and prepared models, found by dynamic_cast, that save copies and reads of
// weights in caches.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <vector>

namespace nnrt {

// A prepared model that returns what export_cache() does in consecutive pieces, without copying packed
// weights: the pieces are only valid as long as the model.
class PieceExporter {
 public:
  virtual ~PieceExporter() = default;
  virtual Result<std::vector<SharedBytes>> export_pieces() const = 0;
};

// A device whose restore() accepts deferred constants (core/memory/deferred_bytes.h) and reads only those
// that it needs.
class DeferredReader {
 public:
  virtual ~DeferredReader() = default;
};

}  // namespace nnrt
