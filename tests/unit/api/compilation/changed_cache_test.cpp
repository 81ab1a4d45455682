// A cache file that changes before or after a model is restored from it: wrong results are never silent.
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/compilation/product_model.h"

#include <functional>

using namespace api_tests;

namespace {

constexpr int32_t kSize = 256;

std::vector<float> products_of(const Compilation& compilation) {
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  EXPECT_TRUE(executor);
  std::vector<float> x(size_t(kRows) * kSize);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 19) - 9;
  const Tensor in = tensor_of({kRows, kSize}, x), out = tensor_of({kRows, kSize});
  EXPECT_EQ(run(executor.get(), {in.get()}, {out.get()}), OH_NN_SUCCESS);
  return values_of(out, x.size());
}

class ChangedCache : public testing::Test {
 protected:
  ChangedCache() {
    const Compilation compilation = compilation_of(product_model(kSize));
    EXPECT_EQ(build_with_cache(compilation, directory_.path(), 1), OH_NN_SUCCESS);
    expected_ = products_of(compilation);
    bytes_ = contents(directory_.container());
  }
  Compilation restored() const {
    Compilation compilation = for_cache();
    EXPECT_EQ(build_with_cache(compilation, directory_.path(), 1), OH_NN_SUCCESS);
    return compilation;
  }
  // In place, as programs that are no writers of caches may do.
  void overwrite(const std::string& bytes) const {
    std::fstream(directory_.container(), std::ios::binary | std::ios::in | std::ios::out) << bytes;
  }

  TemporaryDirectory directory_;
  std::string bytes_;
  std::vector<float> expected_;
};

TEST_F(ChangedCache, IsNotReadAgainByRuns) {
  const std::string garbage(bytes_.size(), 'x');
  for (const bool truncate : {false, true}) {
    overwrite(bytes_);
    const Compilation compilation = restored();
    if (truncate) {
      fs::resize_file(directory_.container(), 10);
    } else {
      overwrite(garbage);
    }
    EXPECT_EQ(products_of(compilation), expected_);
    EXPECT_EQ(export_code(compilation), OH_NN_INVALID_FILE);
    EXPECT_EQ(products_of(compilation), expected_);
  }
}

TEST_F(ChangedCache, MayBeDeletedOrReplaced) {
  const Compilation compilation = restored();
  fs::remove(directory_.container());
  write_file(directory_.container(), "another file");
  EXPECT_EQ(exported(compilation), bytes_);
  EXPECT_EQ(products_of(compilation), expected_);
}

// Packed weights are verified by Build, originals of packed ones by an export.
TEST_F(ChangedCache, IsRefusedOrHarmlessWithAnyByteChanged) {
  size_t refused = 0, harmless = 0;
  for (size_t position = 0; position < bytes_.size(); position += 1009) {
    std::string changed = bytes_;
    changed[position] = char(changed[position] ^ 0x20);
    overwrite(changed);
    const Compilation compilation = for_cache();
    const OH_NN_ReturnCode code = build_with_cache(compilation, directory_.path(), 1);
    if (code == OH_NN_SUCCESS) {
      ++harmless;
      EXPECT_EQ(products_of(compilation), expected_) << position;
      EXPECT_EQ(export_code(compilation), OH_NN_INVALID_FILE) << position;
    } else {
      ++refused;
      EXPECT_EQ(code, OH_NN_INVALID_FILE) << position;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(harmless, 0u);
}

}  // namespace
