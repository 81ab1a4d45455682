// A cache made for a different device.
#include "tests/unit/api/compilation/cache_fixture.h"

using namespace api_tests;

namespace {

// The second device; the first is device 0.
size_t other_device() {
  const std::vector<size_t> ids = device_ids();
  EXPECT_EQ(ids.size(), 2u);
  return ids.at(1);
}

Compilation on_other_device(Compilation compilation) {
  OH_NNCompilation_SetDevice(compilation.get(), other_device());
  return compilation;
}

}  // namespace

TEST(CacheOfAnotherDevice, IsMadeAnewWithTheModel) {
  const TemporaryDirectory directory;
  ASSERT_EQ(save(3, directory.path(), 1), OH_NN_SUCCESS);
  const Compilation compilation = on_other_device(compilation_of(summand_model(3)));
  ASSERT_EQ(build_with_cache(compilation, directory.path(), 1), OH_NN_SUCCESS);
  EXPECT_EQ(build_with_cache(on_other_device(for_cache()), directory.path(), 1), OH_NN_SUCCESS);
  EXPECT_EQ(build_with_cache(for_cache(), directory.path(), 1), OH_NN_INVALID_FILE);
}

TEST(CacheOfAnotherDevice, IsNoneWithoutTheModel) {
  const TemporaryDirectory directory;
  ASSERT_EQ(save(3, directory.path(), 1), OH_NN_SUCCESS);
  EXPECT_EQ(build_with_cache(on_other_device(for_cache()), directory.path(), 1), OH_NN_INVALID_FILE);
  const std::string bytes = contents(directory.container());
  const Compilation importing = on_other_device(for_cache());
  OH_NNCompilation_ImportCacheFromBuffer(importing.get(), bytes.data(), bytes.size());
  EXPECT_EQ(build(importing), OH_NN_INVALID_FILE);
  EXPECT_EQ(build(on_other_device(
                Compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes.data(), bytes.size())))),
            OH_NN_FAILED);
}
