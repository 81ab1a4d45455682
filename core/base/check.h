// Checks that memory safety depends on, in every build. Input from clients is refused with an error before it
// comes to that; where one of these fails the runtime itself is wrong.
#pragma once

namespace nnrt {

// Throws std::logic_error, which ends the call of the API with OH_NN_FAILED and this sentence in the log.
[[noreturn, gnu::cold]] void fail_check(const char* file, int line, const char* sentence);

}  // namespace nnrt

#define NNRT_CHECK(condition, sentence) \
  static_cast<void>((condition) ? void() : ::nnrt::fail_check(__FILE__, __LINE__, sentence))
