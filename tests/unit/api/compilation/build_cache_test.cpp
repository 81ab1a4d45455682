// The rules of api.md 8: what Build does with each state of the cache directory.
#include "tests/unit/api/compilation/cache_fixture.h"

#include <functional>

using namespace api_tests;

namespace {

constexpr uint32_t kVersion = 3;
constexpr float kSummand = 7;

struct State {
  const char* name;
  // Changes a directory that has a complete cache of kVersion, of a model that adds kSummand.
  std::function<void(const TemporaryDirectory&)> make;
  OH_NN_ReturnCode with_model, without;
  bool is_replaced;  // by a successful build with the model
};

void flip(const std::string& path, size_t position) {
  std::string bytes = contents(path);
  bytes.at(position) = static_cast<char>(bytes[position] ^ 1);
  write_file(path, bytes);
}

const std::vector<State>& states() {
  using Directory = const TemporaryDirectory&;
  static const std::vector<State> all = {
      {"Complete", [](Directory) {}, OH_NN_SUCCESS, OH_NN_SUCCESS, false},
      {"Empty",
       [](Directory d) {
         fs::remove(d.info());
         fs::remove(d.container());
       },
       OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, true},
      {"NoInfo", [](Directory d) { fs::remove(d.info()); }, OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, true},
      {"NoContainer", [](Directory d) { fs::remove(d.container()); }, OH_NN_SUCCESS, OH_NN_INVALID_FILE,
       true},
      {"EarlierVersion", [](Directory d) { fs::remove(d.info()), save(kSummand, d.path(), kVersion - 1); },
       OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, true},
      {"LaterVersion", [](Directory d) { save(kSummand, d.path(), kVersion + 1); }, OH_NN_INVALID_PARAMETER,
       OH_NN_INVALID_PARAMETER, false},
      {"OtherModel", [](Directory d) { save(kSummand + 1, d.path(), kVersion); }, OH_NN_SUCCESS,
       OH_NN_SUCCESS, true},
      {"OtherShape", [](Directory d) { save(kSummand, d.path(), kVersion, 6); }, OH_NN_SUCCESS, OH_NN_SUCCESS,
       true},
      {"Float16",
       [](Directory d) {
         const Compilation compilation = compilation_of(summand_model(kSummand));
         OH_NNCompilation_EnableFloat16(compilation.get(), true);
         build_with_cache(compilation, d.path(), kVersion);
       },
       OH_NN_SUCCESS, OH_NN_SUCCESS, true},
      {"TruncatedContainer", [](Directory d) { fs::resize_file(d.container(), 100); }, OH_NN_SUCCESS,
       OH_NN_INVALID_FILE, true},
      {"EmptyContainer", [](Directory d) { fs::resize_file(d.container(), 0); }, OH_NN_SUCCESS,
       OH_NN_INVALID_FILE, true},
      {"DamagedHeader", [](Directory d) { flip(d.container(), 20); }, OH_NN_SUCCESS, OH_NN_INVALID_FILE,
       true},
      {"DamagedBody", [](Directory d) { flip(d.container(), 90); }, OH_NN_SUCCESS, OH_NN_INVALID_FILE, true},
      {"InfoIsADirectory",
       [](Directory d) {
         fs::remove(d.info());
         fs::create_directory(d.info());
       },
       OH_NN_SAVE_CACHE_EXCEPTION, OH_NN_INVALID_FILE, true},
      {"TruncatedInfo", [](Directory d) { fs::resize_file(d.info(), 10); }, OH_NN_SUCCESS, OH_NN_INVALID_FILE,
       true},
      {"DamagedInfo", [](Directory d) { flip(d.info(), 12); }, OH_NN_SUCCESS, OH_NN_INVALID_FILE, true},
      {"ForeignInfo",
       [](Directory d) {
         write_file(d.info(), R"({"data": {"deviceId": 1, "version": 3, "fileNumber": 1}})");
       },
       OH_NN_SUCCESS, OH_NN_INVALID_FILE, true},
      {"InfoOfAnotherSave",
       [](Directory d) {
         const std::string container = contents(d.container());
         save(kSummand, d.path(), kVersion + 1);
         write_file(d.container(), container);
       },
       OH_NN_SUCCESS, OH_NN_SUCCESS, false},
      {"NoDirectory", [](Directory d) { fs::remove_all(d.path()); }, OH_NN_INVALID_PATH, OH_NN_INVALID_PATH,
       false},
      {"DirectoryIsAFile",
       [](Directory d) {
         fs::remove_all(d.path());
         write_file(d.path(), "file");
       },
       OH_NN_INVALID_PATH, OH_NN_INVALID_PATH, false},
  };
  return all;
}

class CacheState : public testing::TestWithParam<State> {
 protected:
  void SetUp() override {
    ASSERT_EQ(save(kSummand, directory.path(), kVersion), OH_NN_SUCCESS);
    GetParam().make(directory);
  }
  TemporaryDirectory directory;
};

TEST_P(CacheState, WithTheModel) {
  const bool was_there = fs::exists(directory.container());
  const ino_t before = was_there ? number_of(directory.container()) : 0;
  const Compilation compilation = compilation_of(summand_model(kSummand));
  ASSERT_EQ(build_with_cache(compilation, directory.path(), kVersion), GetParam().with_model);
  if (GetParam().with_model == OH_NN_SUCCESS) {
    EXPECT_EQ(summand_of(compilation), kSummand);
    EXPECT_EQ(directory.files(), 2u);
    EXPECT_EQ(build_with_cache(for_cache(), directory.path(), kVersion), OH_NN_SUCCESS);
  }
  EXPECT_TRUE(!was_there || GetParam().is_replaced == (number_of(directory.container()) != before));
}

TEST_P(CacheState, WithoutAModel) {
  const Compilation compilation = for_cache();
  EXPECT_EQ(build_with_cache(compilation, directory.path(), kVersion), GetParam().without);
}

INSTANTIATE_TEST_SUITE_P(Cache, CacheState, testing::ValuesIn(states()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace

TEST(Cache, RepairsAnInfoFileOfAnotherSave) {
  const TemporaryDirectory directory;
  ASSERT_EQ(save(1, directory.path(), 1), OH_NN_SUCCESS);
  const std::string info = contents(directory.info()), container = contents(directory.container());
  ASSERT_EQ(save(2, directory.path(), 2), OH_NN_SUCCESS);
  write_file(directory.container(), container);
  const Compilation restored = for_cache();
  ASSERT_EQ(build_with_cache(restored, directory.path(), 1), OH_NN_SUCCESS);
  EXPECT_EQ(summand_of(restored), 1);
  EXPECT_EQ(contents(directory.info()), info);
}

TEST(Cache, HoldsModelsOfDifferentNames) {
  const TemporaryDirectory directory;
  for (const float summand : {1.0f, 2.0f}) {
    const std::string name = "model" + std::to_string(int(summand));
    const Compilation compilation = compilation_of(summand_model(summand));
    OH_NNCompilation_AddExtensionConfig(compilation.get(), "ModelName", name.data(), name.size());
    ASSERT_EQ(build_with_cache(compilation, directory.path(), 1), OH_NN_SUCCESS);
    EXPECT_TRUE(fs::exists(directory.container(name)) && fs::exists(directory.info(name)));
  }
  const Compilation restored = for_cache();
  OH_NNCompilation_AddExtensionConfig(restored.get(), "ModelName", "model1", sizeof "model1");
  ASSERT_EQ(build_with_cache(restored, directory.path(), 1), OH_NN_SUCCESS);
  EXPECT_EQ(summand_of(restored), 1);
}

TEST(Cache, RejectsPathTraversal) {
  const TemporaryDirectory directory;
  for (const std::string& name : {std::string("../x"), std::string("a/b"), std::string(201, 'x')}) {
    const Compilation compilation = compilation_of(summand_model(1));
    OH_NNCompilation_AddExtensionConfig(compilation.get(), "ModelName", name.data(), name.size());
    EXPECT_EQ(build_with_cache(compilation, directory.path(), 1), OH_NN_INVALID_PARAMETER);
  }
  EXPECT_EQ(directory.files(), 0u);
}

TEST(Cache, AnEmptyPathIsNone) {
  EXPECT_EQ(build_with_cache(compilation_of(summand_model(1)), "", 1), OH_NN_SUCCESS);
  EXPECT_EQ(build_with_cache(for_cache(), "", 1), OH_NN_INVALID_PARAMETER);
}

TEST(Cache, RefusesTheReservedVersion) {
  EXPECT_EQ(OH_NNCompilation_SetCache(for_cache().get(), ".", UINT32_MAX), OH_NN_INVALID_PARAMETER);
}

TEST(Cache, KeepsTensorDescs) {
  const TemporaryDirectory directory;
  const Model model = finished_model({2, -1});
  ASSERT_EQ(build_with_cache(compilation_of(model), directory.path(), 1), OH_NN_SUCCESS);
  const Compilation restored = for_cache();
  ASSERT_EQ(build_with_cache(restored, directory.path(), 1), OH_NN_SUCCESS);
  const Executor executor(OH_NNExecutor_Construct(restored.get()));
  const Desc desc(OH_NNExecutor_CreateInputTensorDesc(executor.get(), 1));
  EXPECT_EQ(name_of(desc.get()), "b");
  EXPECT_EQ(shape_of(desc.get()), (std::vector<int32_t>{2, -1}));
}

TEST(Cache, TheHintsOfTheCompilationAreFree) {
  const TemporaryDirectory directory;
  ASSERT_EQ(save(1, directory.path(), 1), OH_NN_SUCCESS);
  const ino_t before = number_of(directory.container());
  const Compilation compilation = compilation_of(summand_model(1));
  OH_NNCompilation_SetPriority(compilation.get(), OH_NN_PRIORITY_HIGH);
  OH_NNCompilation_SetPerformanceMode(compilation.get(), OH_NN_PERFORMANCE_EXTREME);
  EXPECT_EQ(build_with_cache(compilation, directory.path(), 1), OH_NN_SUCCESS);
  EXPECT_EQ(number_of(directory.container()), before);
}
