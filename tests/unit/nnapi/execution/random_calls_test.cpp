// Random call sequences; the fuzz target of the same name uses other bytes.
#include "tests/fuzz/nnapi_calls/call_state.h"
#include "tests/support/test_settings.h"

#include <gtest/gtest.h>

#include <random>

namespace nnapi_calls {
namespace {

TEST(RandomCalls, ReturnAllowedCodes) {
  std::vector<int> successes(steps().size());
  std::vector<uint8_t> bytes(1200);
  for (uint32_t seed = 0; seed < nnrt::test::draws(20'000); ++seed) {
    std::mt19937 random(seed);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    const char* const wrong = run_calls(bytes, 60, &successes);
    ASSERT_EQ(wrong, nullptr) << wrong << " with seed " << seed;
  }
  // Otherwise the sequences would test little.
  for (size_t i = 0; i < successes.size(); ++i) EXPECT_GT(successes[i], 0) << steps()[i].function;
}

}  // namespace
}  // namespace nnapi_calls
