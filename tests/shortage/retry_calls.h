// API calls that may fail because of a shortage and are then repeated.
#pragma once

#include "tests/unit/api/execution/async_callbacks.h"

#include <array>

namespace nnrt::test {

// A resource is short only once: after a failed call, the same call with the same objects must succeed.
class Attempts {
 public:
  template <typename Call>
  void make(const char* what, const Call& call) {
    const OH_NN_ReturnCode code = call();
    if (code == OH_NN_SUCCESS) return;
    note(what, code);
    const OH_NN_ReturnCode again = call();
    EXPECT_EQ(again, OH_NN_SUCCESS) << what << ", the second time";
  }

  // For functions that return a handle or null.
  template <typename Handle, typename Call>
  Handle get(const char* what, const Call& call) {
    Handle handle(call());
    if (handle == nullptr) {
      note(what, OH_NN_MEMORY_ERROR);
      handle.reset(call());
      EXPECT_NE(handle, nullptr) << what << ", the second time";
    }
    return handle;
  }

  size_t failures() const { return failures_; }

 private:
  void note(const char* what, OH_NN_ReturnCode code) {
    EXPECT_EQ(code, OH_NN_MEMORY_ERROR) << what;
    ++failures_;
  }

  size_t failures_ = 0;
};

}  // namespace nnrt::test
