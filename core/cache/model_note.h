// The note behind an offline model: bytes that the client attaches, such as a description of its inputs.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace nnrt {

// A magic number, the length and a checksum, then the note.
Bytes encode_note(ByteView note);

// The note in the bytes behind a model. invalid_file unless they are exactly what encode_note() writes.
Result<ByteView> decode_note(ByteView bytes);

}  // namespace nnrt
