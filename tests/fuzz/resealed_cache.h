// Gives bytes the checksums of a valid cache, since nothing would get past them otherwise.
#pragma once

#include "core/base/bytes.h"

namespace nnrt::test {

// The bytes with a matching header. In `data`, that field holds the low 16 bits of the body's length.
Bytes resealed(ByteView data);

}  // namespace nnrt::test
