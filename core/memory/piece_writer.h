// ByteWriter for data with large parts, which are not copied.
#pragma once

#include "core/base/byte_io.h"
#include "core/base/bytes.h"

#include <memory>
#include <utility>
#include <vector>

namespace nnrt {

// Does not own the bytes, which must outlive it.
inline SharedBytes borrowed(ByteView bytes) { return {std::make_shared<const int>(), bytes}; }

class PieceWriter : public ByteWriter {
 public:
  // Pads with zeros to a multiple of `alignment` from the beginning of the data.
  void align(size_t alignment) {
    const uint64_t at = before_ + size();
    pad_to(size() + (alignment - at % alignment) % alignment);
  }
  void append(SharedBytes large) {
    flush();
    before_ += large->size();
    pieces_.push_back(std::move(large));
  }
  std::vector<SharedBytes> finish() {
    flush();
    return std::move(pieces_);
  }

 private:
  void flush() {
    if (size() == 0) return;
    before_ += size();
    pieces_.emplace_back(std::make_shared<const Bytes>(take()));
  }

  std::vector<SharedBytes> pieces_;
  uint64_t before_ = 0;  // bytes in the pieces
};

inline uint64_t total_size(std::span<const SharedBytes> pieces) {
  uint64_t size = 0;
  for (const SharedBytes& piece : pieces) size += piece->size();
  return size;
}

}  // namespace nnrt
