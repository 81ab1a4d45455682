// Sets NNRT_CPU_KERNELS for the scope of a test.
#pragma once

#include "backends/cpu/base/kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

namespace nnrt::test {

class KernelsVariable {
 public:
  explicit KernelsVariable(const std::string& text) {
    if (const char* const was = std::getenv(kName)) before_ = was;
    EXPECT_EQ(setenv(kName, text.c_str(), 1), 0);
  }
  ~KernelsVariable() { EXPECT_EQ(before_ ? setenv(kName, before_->c_str(), 1) : unsetenv(kName), 0); }
  KernelsVariable(const KernelsVariable&) = delete;
  KernelsVariable& operator=(const KernelsVariable&) = delete;

 private:
  static constexpr const char* kName = cpu::kKernelsVariable.data();
  std::optional<std::string> before_;
};

// Calls `body` with each implementation forced, and with each disabled except the last of every list, which
// some nodes need.
inline void for_each_implementation(const std::function<void()>& body) {
  for (const std::string_view name : cpu::implementation_names()) {
    const bool is_last =
        name == "im2col_gemm" || name == "generic_gemm" || name == "nbits_gemm" || name == "column_reduce";
    for (const char sign : {'+', '-'}) {
      if (sign == '-' && is_last) continue;
      const std::string text = sign + std::string(name);
      SCOPED_TRACE(text);
      const KernelsVariable kernels(text);
      body();
    }
  }
}

}  // namespace nnrt::test
