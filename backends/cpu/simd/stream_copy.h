// Copies to memory that is not read soon.
#pragma once

#include <cstddef>

namespace nnrt::cpu {

// Writes past the caches where the processor can, which saves reading the lines that are written. Call
// finish_stream_copies() before other threads read the copies.
void stream_copy(const std::byte* from, size_t bytes, std::byte* to);
void finish_stream_copies();

}  // namespace nnrt::cpu
