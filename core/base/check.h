// Checks that memory safety relies on, in every build. Client errors are caught earlier; a failing check is a
// bug in the runtime.
#pragma once

namespace nnrt {

// Throws std::logic_error: the API call returns OH_NN_FAILED and logs the sentence.
[[noreturn, gnu::cold]] void fail_check(const char* file, int line, const char* sentence);

}  // namespace nnrt

#define NNRT_CHECK(condition, sentence) \
  static_cast<void>((condition) ? void() : ::nnrt::fail_check(__FILE__, __LINE__, sentence))
