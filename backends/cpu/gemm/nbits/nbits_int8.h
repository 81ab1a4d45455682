// Products of INT8 rows, quantized by block, with 4- and 8-bit weights.
#pragma once

#include "backends/cpu/gemm/nbits/nbits_panels.h"

namespace nnrt::cpu {

// Rows of `inner` values quantized by block: x = scale * q, with q in [-127, 127]. Blocks are padded with
// zeros to steps.
class Int8Quantized {
 public:
  Int8Quantized(int64_t rows, int64_t inner, int64_t block, int64_t bits);

  size_t bytes() const;
  void place(std::byte* memory);  // of bytes() bytes
  // Quantizes rows [begin, end). A block with a number that is not finite gets the scale NaN.
  void quantize(const float* rows, int64_t begin, int64_t end) const;

  const int8_t* values(int64_t row) const { return values_ + row * blocks_ * block_values_; }
  const float* scales(int64_t row) const { return scales_ + row * blocks_; }
  const int32_t* sums(int64_t row) const { return sums_ + row * blocks_; }  // of the values of each block

 private:
  int64_t rows_, inner_, block_, blocks_, block_values_;
  int8_t* values_ = nullptr;
  float* scales_ = nullptr;
  int32_t* sums_ = nullptr;
};

// Returns whether the processor has the instructions.
bool nbits_int8_supported(int vector_bytes, int64_t bits);

inline constexpr int kMaxNbitsInt8Rows = 8;

// Products of `count` rows, up to kMaxNbitsInt8Rows, from row `first` on with a panel's columns:
// sums[row][width].
void nbits_int8_products(int vector_bytes, const NbitsPanels& panels, int64_t panel,
                         const Int8Quantized& rows, int64_t first, int count, float* sums);

}  // namespace nnrt::cpu
