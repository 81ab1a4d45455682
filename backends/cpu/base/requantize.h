// Copy operators between quantized tensors: copies if the parameters match, otherwise requantizes (R11).
#pragma once

#include "backends/cpu/base/element.h"
#include "core/base/check.h"

namespace nnrt::cpu {

// Maps each code of `from` (as a byte) to a code of `to`.
std::array<uint8_t, 256> requantize_table(const Tensor& from, const Tensor& to);

// An input's bytes with `output`'s quantization; borrowed if they match.
class CopiedInput {
 public:
  CopiedInput(const KernelArgs& args, size_t input, size_t output);
  CopiedInput(const CopiedInput&) = delete;
  CopiedInput& operator=(const CopiedInput&) = delete;

  const std::byte* data() const { return data_; }

 private:
  Bytes owned_;
  const std::byte* data_;
};

// Calls f(std::type_identity<T>{}) with the unsigned integer type of this size: 1, 2, 4 or 8 bytes.
template <typename F>
void dispatch_size(size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(std::type_identity<uint8_t>{});
    case 2: return f(std::type_identity<uint16_t>{});
    case 4: return f(std::type_identity<uint32_t>{});
    default:
      NNRT_CHECK(bytes == 8, "No type has elements of this size.");
      return f(std::type_identity<uint64_t>{});
  }
}

}  // namespace nnrt::cpu
