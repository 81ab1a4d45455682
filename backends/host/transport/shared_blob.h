// Immutable bytes shared with another process: a sealed memfd.
#pragma once

#include "backends/host/transport/unique_fd.h"
#include "core/base/bytes.h"
#include "core/base/result.h"

#include <span>

namespace nnrt::host {

// Alignment of each piece.
inline constexpr size_t kBlobAlignment = 64;

// Writes the pieces in order, each aligned.
Result<Fd> make_blob(std::span<const ByteView> pieces);
// The offset of each piece, followed by the total size.
std::vector<size_t> blob_offsets(std::span<const ByteView> pieces);

// Maps the first `bytes` of a file from another process. connection: it is not sealed, and could shrink or
// change while being read, or it is too short.
Result<SharedBytes> open_blob(const Fd& fd, size_t bytes);

}  // namespace nnrt::host
