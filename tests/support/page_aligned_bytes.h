// Page-aligned bytes, like those of a stored cache.
#pragma once

#include "core/memory/byte_source.h"

namespace nnrt::test {

// A page-aligned copy, as devices restore from.
inline SharedBytes in_pages(ByteView bytes) { return source_of(bytes)->read(0, bytes.size(), true).value(); }

}  // namespace nnrt::test
