#include "tests/support/read_file.h"
#include "tests/unit/api/api_test_handles.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

using namespace api_tests;

namespace {

Compilation configuring() { return Compilation(OH_NNCompilation_Construct(finished_model({2, 3}).get())); }

OH_NN_ReturnCode build(const Compilation& compilation) { return OH_NNCompilation_Build(compilation.get()); }

// An unused path in the directory for temporary files, with a bar before its last character; removed at the
// end.
class TemporaryPath {
 public:
  TemporaryPath() : path_(testing::TempDir() + "nnrt_api_test_" + std::to_string(getpid()) + "|1") {
    remove();
  }
  ~TemporaryPath() { remove(); }
  TemporaryPath(const TemporaryPath&) = delete;
  const char* c_str() const { return path_.c_str(); }
  std::string contents() const { return nnrt::test::read_file(path_); }

 private:
  void remove() const { std::remove(path_.c_str()); }
  std::string path_;
};

}  // namespace

TEST(Compilation, DestroyNullsTheHandle) {
  OH_NNCompilation* compilation = OH_NNCompilation_ConstructForCache();
  OH_NNCompilation_Destroy(&compilation);
  EXPECT_EQ(compilation, nullptr);
}

TEST(Compilation, BuildsOnce) {
  const Compilation compilation = configuring();
  EXPECT_EQ(build(compilation), OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_INVALID_PARAMETER);
}

TEST(Compilation, AFailedBuildIsFinal) {
  const Model model = open_model({2, 3});
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(build(compilation), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNExecutor_Construct(compilation.get()), nullptr);
}

TEST(Compilation, AModelMayBeFinishedAfterConstruct) {
  const Model model = open_model({2, 3});
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  ASSERT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_SUCCESS);
}

TEST(Compilation, OneModelServesSeveral) {
  const Model model = finished_model({2, 3});
  const Compilation first(OH_NNCompilation_Construct(model.get()));
  const Compilation second(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(build(first), OH_NN_SUCCESS);
  EXPECT_EQ(build(second), OH_NN_SUCCESS);
}

TEST(Compilation, RejectsSettersAfterBuild) {
  const Compilation compilation = configuring();
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  OH_NNCompilation* built = compilation.get();
  EXPECT_EQ(OH_NNCompilation_SetDevice(built, 0), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNCompilation_SetCache(built, ".", 1), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNCompilation_SetPerformanceMode(built, OH_NN_PERFORMANCE_LOW), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNCompilation_SetPriority(built, OH_NN_PRIORITY_LOW), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNCompilation_EnableFloat16(built, true), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(built, "n", "v", 1), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNCompilation_ImportCacheFromBuffer(built, "b", 1), OH_NN_OPERATION_FORBIDDEN);
}

TEST(Compilation, HintsOutsideTheirEnumerationsFailTheBuild) {
  for (const int mode : {-1, 5}) {
    const Compilation compilation = configuring();
    const auto value = any<OH_NN_PerformanceMode>(mode);
    EXPECT_EQ(OH_NNCompilation_SetPerformanceMode(compilation.get(), value), OH_NN_SUCCESS);
    EXPECT_EQ(build(compilation), OH_NN_INVALID_PARAMETER);
  }
  for (const int priority : {-1, 4}) {
    const Compilation compilation = configuring();
    const auto value = any<OH_NN_Priority>(priority);
    EXPECT_EQ(OH_NNCompilation_SetPriority(compilation.get(), value), OH_NN_SUCCESS);
    EXPECT_EQ(build(compilation), OH_NN_INVALID_PARAMETER);
  }
}

TEST(Compilation, TheLastHintCounts) {
  const Compilation compilation = configuring();
  OH_NNCompilation_SetPriority(compilation.get(), any<OH_NN_Priority>(4));
  OH_NNCompilation_SetPriority(compilation.get(), OH_NN_PRIORITY_HIGH);
  OH_NNCompilation_SetPerformanceMode(compilation.get(), OH_NN_PERFORMANCE_EXTREME);
  OH_NNCompilation_EnableFloat16(compilation.get(), true);
  EXPECT_EQ(build(compilation), OH_NN_SUCCESS);
}

TEST(Compilation, UnknownDevicesFailTheBuild) {
  const Compilation compilation = configuring();
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), 12345), OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_FAILED);
}

TEST(Compilation, ChecksDeviceThenOptionsThenModel) {
  const Model model = open_model({2, 3});
  const Compilation no_device(OH_NNCompilation_Construct(model.get()));
  OH_NNCompilation_SetDevice(no_device.get(), 12345);
  OH_NNCompilation_SetPriority(no_device.get(), any<OH_NN_Priority>(4));
  EXPECT_EQ(build(no_device), OH_NN_FAILED);
}

TEST(Compilation, NeedsModelOrCache) {
  EXPECT_EQ(build(Compilation(OH_NNCompilation_ConstructForCache())), OH_NN_INVALID_PARAMETER);
}

TEST(Compilation, RejectsInvalidNodes) {
  const Model model(OH_NNModel_Construct());
  for (const auto& shape : {std::vector<int32_t>{3}, {4}, {4}}) {
    OH_NNModel_AddTensorToModel(model.get(), desc_of(shape).get());
  }
  add_operation(model, OH_NN_OPS_ADD, {0, 1}, {2});
  finish(model, {0, 1}, {2});
  EXPECT_EQ(build(Compilation(OH_NNCompilation_Construct(model.get()))), OH_NN_INVALID_PARAMETER);
}

TEST(OfflineModel, IsJudgedByBuild) {
  const char bytes[] = "no model at all";
  EXPECT_EQ(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes, 0), nullptr);
  EXPECT_EQ(build(Compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes, sizeof bytes))),
            OH_NN_FAILED);
  const TemporaryPath path;
  EXPECT_EQ(build(Compilation(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()))),
            OH_NN_INVALID_FILE);
  std::ofstream(path.c_str()) << bytes;
  EXPECT_EQ(build(Compilation(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()))), OH_NN_FAILED);
}

TEST(OfflineModel, RefusesPipes) {
  const TemporaryPath path;
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(build(Compilation(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()))),
            OH_NN_INVALID_FILE);
  EXPECT_EQ(build(Compilation(OH_NNCompilation_ConstructWithOfflineModelFile("/"))), OH_NN_INVALID_FILE);
}

TEST(Cache, ArgumentsAreChecked) {
  const Compilation compilation = configuring();
  EXPECT_EQ(OH_NNCompilation_SetCache(compilation.get(), ".", UINT32_MAX), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNCompilation_SetCache(compilation.get(), "", 1), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_ImportCacheFromBuffer(compilation.get(), "b", 0), OH_NN_INVALID_PARAMETER);
  char buffer[8];
  size_t size = 0;
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), buffer, 8, &size),
            OH_NN_INVALID_PARAMETER)
      << "not built";
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), buffer, 0, &size),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), nullptr, 8, &size),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNCompilation_ExportCacheToBuffer(compilation.get(), buffer, 8, nullptr),
            OH_NN_INVALID_PARAMETER);
}

TEST(ExtensionConfig, NeedsANameAndAValue) {
  const Compilation compilation = configuring();
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "", "v", 1), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "n", "v", 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "anybody's", "v", 1), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "anybody's", "w", 1), OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_SUCCESS);
}

namespace {

// Ends the process with the number of wrong warnings.
[[noreturn]] void expect_warnings_of_misspelled_configs() {
  setenv("NNRT_LOG", "warning", 1);
  const auto warnings = [](const char* name, const char* value) {
    const Compilation compilation = configuring();
    OH_NNCompilation_AddExtensionConfig(compilation.get(), name, value, std::strlen(value));
    testing::internal::CaptureStderr();
    const bool is_built = build(compilation) == OH_NN_SUCCESS;
    return (is_built ? "" : "Build fails. ") + testing::internal::GetCapturedStderr();
  };
  int failures = 0;
  const auto expect = [&](const char* name, const char* value, const std::string& wanted) {
    const std::string text = warnings(name, value);
    if (wanted.empty() ? text.empty() : text.rfind(wanted, 0) == 0) return;
    std::cerr << name << " gives: " << text << "\n";
    ++failures;
  };
  expect("nnrt.falback", "off", "NNRt W: Extension config nnrt.falback is not one of nnrt.fallback, ");
  expect("nnrt.falback", "off", "");
  expect("nnrt.fallback", "none", "NNRt W: nnrt.fallback (none) is not one of on, off.\n");
  expect("nnrt.fallback", "off", "");
  _exit(failures);
}

}  // namespace

TEST(ExtensionConfig, MisspelledIsWarnedOfOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, in which NNRT_LOG is read anew
  EXPECT_EXIT(expect_warnings_of_misspelled_configs(), testing::ExitedWithCode(0), "");
}

TEST(ExtensionConfig, PlacementIsWrittenByBuild) {
  const TemporaryPath path;
  const Compilation compilation = configuring();
  ASSERT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.placement", path.c_str(),
                                                std::strlen(path.c_str()) + 1),
            OH_NN_SUCCESS);
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  const std::string table = path.contents();
  EXPECT_NE(table.find("ADD"), std::string::npos);
  EXPECT_NE(table.find("RELU"), std::string::npos);
}

TEST(ExtensionConfig, GivenAgainExtendsTheValue) {
  const TemporaryPath path;
  const Compilation compilation = configuring();
  const std::string whole = path.c_str();
  const size_t half = whole.size() - 2;  // the path has a bar before its last character
  for (const std::string& part : {whole.substr(0, half), whole.substr(half + 1)}) {
    ASSERT_EQ(
        OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.placement", part.data(), part.size()),
        OH_NN_SUCCESS);
  }
  ASSERT_EQ(build(compilation), OH_NN_SUCCESS);
  EXPECT_NE(path.contents().find("ADD"), std::string::npos);
}

TEST(ExtensionConfig, AllowsDisabledFallback) {
  const Compilation compilation = configuring();
  ASSERT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.fallback", "off", 3), OH_NN_SUCCESS);
  EXPECT_EQ(build(compilation), OH_NN_SUCCESS);
}
