// Memory that a built compilation holds.
#include "tests/support/process_resources.h"
#include "tests/support/sanitized.h"
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/compilation/product_model.h"

#include <cstdlib>

using namespace api_tests;

namespace {

// Bytes in memory with a built compilation whose model is destroyed.
double held_by(int32_t size, bool exports) {
  const Compilation compilation(OH_NNCompilation_Construct(product_model(size).get()));
  if (!exports) {
    EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.export", "off", 3), OH_NN_SUCCESS);
  }
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return double(held().resident);
}

// The same of one that is restored from a cache, and may be exported again.
double held_by_restored(int32_t size) {
  const TemporaryDirectory directory;
  EXPECT_EQ(build_with_cache(Compilation(OH_NNCompilation_Construct(product_model(size).get())),
                             directory.path(), 1),
            OH_NN_SUCCESS);
  const double before = double(held().resident);
  const Compilation restored = for_cache();
  EXPECT_EQ(build_with_cache(restored, directory.path(), 1), OH_NN_SUCCESS);
  return double(held().resident) - before;
}

}  // namespace

TEST(BuildMemory, HasWeightsOnceIfTheClientForgoesExports) {
  if (nnrt::test::kSanitized) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
  constexpr int32_t kSmall = 64, kLarge = 3072;
  const double weights = double(kLarge) * kLarge * sizeof(float);
  for (const bool exports : {false, true}) {
    const double held = held_by(kLarge, exports) - held_by(kSmall, exports);
    EXPECT_GT(held, (exports ? 1.8 : 0.9) * weights) << exports;
    EXPECT_LT(held, (exports ? 2.3 : 1.2) * weights) << exports;
  }
}

TEST(BuildMemory, HasPackedWeightsOnlyIfTheyAreRestored) {
  if (nnrt::test::kSanitized) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
  constexpr int32_t kSmall = 64, kLarge = 3072;
  const double weights = double(kLarge) * kLarge * sizeof(float);
  const double held = held_by_restored(kLarge) - held_by_restored(kSmall);
  EXPECT_GT(held, 0.9 * weights);
  EXPECT_LT(held, 1.2 * weights);
}
