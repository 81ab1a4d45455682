// Conversion of elements from one dtype to another, as CAST defines it.
#pragma once

#include "backends/cpu/element.h"

namespace nnrt::cpu {

// To BOOL: not zero. Floating to integer: toward zero, saturating, NaN to 0. Integer to integer: wraps.
// Everything else to nearest.
void convert(DType from, const std::byte* source, DType to, std::byte* target, int64_t count,
             ThreadPool& pool);

// An input converted to another dtype; borrowed where it has it already.
class ConvertedInput {
 public:
  ConvertedInput(const KernelArgs& args, size_t input, DType dtype);
  ConvertedInput(const ConvertedInput&) = delete;
  ConvertedInput& operator=(const ConvertedInput&) = delete;

  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  Bytes owned_;
  const std::byte* data_;
};

}  // namespace nnrt::cpu
