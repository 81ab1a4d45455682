// Bytes where a stored cache has them.
#pragma once

#include "core/cache/cache_source.h"

namespace nnrt::test {

// A copy that begins a page, as what devices restore from does.
inline SharedBytes in_pages(ByteView bytes) { return source_of(bytes)->read(0, bytes.size(), true).value(); }

}  // namespace nnrt::test
