// Bytes as a cache whose checksums are right, or nothing would get beyond them.
#pragma once

#include "core/base/bytes.h"

namespace nnrt::test {

// The bytes with a header that fits them. Where it has the length of its body, `data` has its low 16 bits.
Bytes resealed(ByteView data);

}  // namespace nnrt::test
