#include "tools/nnrt/session/api_calls.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

TEST(ShortName, OmitsRepeatedVendor) {
  EXPECT_EQ(short_name("llvmpipe (LLVM 15.0.6, 256 bits)_llvmpipe"), "llvmpipe (LLVM 15.0.6, 256 bits)");
  EXPECT_EQ(short_name("SwiftShader Device (Subzero)_SwiftShader driver"), "SwiftShader Device (Subzero)");
  EXPECT_EQ(short_name("CPU_NNRt"), "CPU_NNRt");
  EXPECT_EQ(short_name("NNRt auto"), "NNRt auto");
}

}  // namespace
}  // namespace nnrt::tool
