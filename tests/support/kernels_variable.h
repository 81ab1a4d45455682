// Sets NNRT_CPU_KERNELS for the scope of a test.
#pragma once

#include "backends/cpu/base/kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Calls `body` with each implementation of the operator forced, and with each disabled except the last, which
// some nodes need.
inline void for_each_implementation(Op op, const std::function<void()>& body) {
  const auto run = [&body](const std::string& text) {
    SCOPED_TRACE(text);
    const KernelsVariable kernels(text);
    body();
  };
  const std::vector<std::string_view> names = cpu::implementation_names(op);
  for (const std::string_view name : names) {
    run("+" + std::string(name));
    if (name != names.back()) run("-" + std::string(name));
  }
}

}  // namespace nnrt::test
