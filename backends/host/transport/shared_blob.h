// Bytes that cross to another process in a file that nobody can change any more: a sealed memfd.
#pragma once

#include "backends/host/transport/unique_fd.h"
#include "core/base/bytes.h"
#include "core/base/result.h"

#include <span>

namespace nnrt::host {

// A piece of a blob begins at a multiple of this.
inline constexpr size_t kBlobAlignment = 64;

// The pieces in order, each aligned.
Result<Fd> make_blob(std::span<const ByteView> pieces);
// The offset of each piece, and at the end the size of all.
std::vector<size_t> blob_offsets(std::span<const ByteView> pieces);

// The first `bytes` of a file that another process sent, mapped. connection where it is not sealed, which
// might shrink or change while it is read, or has fewer.
Result<SharedBytes> open_blob(const Fd& fd, size_t bytes);

}  // namespace nnrt::host
