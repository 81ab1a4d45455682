// Gives bytes the checksums of a valid cache, since nothing would get past them otherwise.
#pragma once

#include "core/cache/cache_header.h"

namespace nnrt::test {

// The bytes with a matching header. In `data`, the fields hold the low 16 bits of the body's length and of
// the numbers of constants and of devices' data.
Bytes resealed(ByteView data);
// The bytes, which are as long as the header says, with that header and correct checksums.
Bytes resealed(Bytes bytes, CacheHeader header);

}  // namespace nnrt::test
