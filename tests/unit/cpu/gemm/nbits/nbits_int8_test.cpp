#include "backends/cpu/gemm/nbits/nbits_int8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nnrt::cpu {
namespace {

TEST(NbitsInt8, PropagatesNonFiniteValues) {
  for (const float value : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const size_t at : {size_t{0}, size_t{31}, size_t{34}}) {
      std::vector<float> x(36, 1.0f);
      x[at] = value;
      Int8Quantized quantized(1, 36, 32, 4);
      std::vector<std::byte> memory(quantized.bytes());
      quantized.place(memory.data());
      quantized.quantize(x.data(), 0, 1);
      EXPECT_EQ(std::isnan(quantized.scales(0)[0]), at < 32);
      EXPECT_EQ(std::isnan(quantized.scales(0)[1]), at >= 32);
    }
  }
}

TEST(NbitsInt8, QuantizesZerosToZeros) {
  const std::vector<float> x(7);
  Int8Quantized quantized(1, 7, 7, 4);
  std::vector<std::byte> memory(quantized.bytes(), std::byte{0x55});
  quantized.place(memory.data());
  quantized.quantize(x.data(), 0, 1);
  EXPECT_EQ(quantized.scales(0)[0], 0.0f);
  EXPECT_EQ(quantized.sums(0)[0], 0);
  EXPECT_EQ(std::vector<int8_t>(quantized.values(0), quantized.values(0) + 8), std::vector<int8_t>(8));
}

// The inverse of their scale would be infinite.
TEST(NbitsInt8, QuantizesTinyNumbersToZeros) {
  const std::vector<float> x(36, 1e-38f);
  Int8Quantized quantized(1, 36, 36, 4);
  std::vector<std::byte> memory(quantized.bytes(), std::byte{0x55});
  quantized.place(memory.data());
  quantized.quantize(x.data(), 0, 1);
  EXPECT_LE(quantized.scales(0)[0], 1e-38f);
  EXPECT_EQ(quantized.sums(0)[0], 0);
  EXPECT_EQ(std::vector<int8_t>(quantized.values(0), quantized.values(0) + 40), std::vector<int8_t>(40));
}

}  // namespace
}  // namespace nnrt::cpu
