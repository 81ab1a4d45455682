// Bytes as a cache whose checksums are right, or nothing would get beyond them.
#pragma once

#include "core/base/bytes.h"

namespace nnrt::test {

// The bytes with a header that fits them. `data` has the low 16 bits of the length of its body in that field.
Bytes resealed(ByteView data);

}  // namespace nnrt::test
