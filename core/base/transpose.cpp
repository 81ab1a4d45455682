#include "core/base/transpose.h"

#include <cstring>

namespace nnrt {
namespace {

// A dimension of the result, and its stride in the source, in bytes.
struct TransposedDim {
  int64_t size, stride;
};

template <size_t size>
std::byte* copy(const std::byte* from, std::span<const TransposedDim> dims, std::byte* to) {
  const TransposedDim dim = dims[0];
  for (int64_t i = 0; i < dim.size; ++i, from += dim.stride) {
    if (dims.size() == 1) {
      std::memcpy(to, from, size);
      to += size;
    } else {
      to = copy<size>(from, dims.subspan(1), to);
    }
  }
  return to;
}

}  // namespace

// On the calling thread, because constants are often read in parallel.
void transpose(ByteView from, const Shape& shape, std::span<const size_t> order, size_t element_bytes,
               std::span<std::byte> to) {
  std::vector<TransposedDim> dims;
  for (const size_t d : order)
    dims.push_back({shape[d], product(shape, d + 1, shape.size()) * static_cast<int64_t>(element_bytes)});
  if (dims.empty()) dims.push_back({1, 0});
  switch (element_bytes) {
    case 1: copy<1>(from.data(), dims, to.data()); return;
    case 2: copy<2>(from.data(), dims, to.data()); return;
    case 4: copy<4>(from.data(), dims, to.data()); return;
    default: copy<8>(from.data(), dims, to.data()); return;
  }
}

Bytes transposed(ByteView from, const Shape& shape, const std::vector<size_t>& order, size_t element_bytes) {
  Bytes to(from.size());
  transpose(from, shape, order, element_bytes, to);
  return to;
}

}  // namespace nnrt
