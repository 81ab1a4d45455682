// `--cache DIR` keeps separate files per model and device in one folder.
#include "tests/tool/digits_samples.h"
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

using namespace tool_tests;
namespace fs = std::filesystem;

namespace {

// Inode by file name; a rewritten file has a new one.
std::map<std::string, ino_t> files_in(const std::string& folder) {
  std::map<std::string, ino_t> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    struct stat status {};
    EXPECT_EQ(stat(entry.path().c_str(), &status), 0);
    files[entry.path().filename().string()] = status.st_ino;
  }
  return files;
}

void run_with_cache(const std::string& model, const std::string& cache, const std::string& environment = "",
                    const std::string& device = "cpu") {
  const Outcome outcome = run_nnrt("run " + model + " --device " + device + " --cache " + cache, environment);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace

TEST(ToolCache, TwoModelsShareAFolder) {
  const Folder folder, cache;
  fs::create_directory(folder.file("a"));
  fs::create_directory(folder.file("b"));
  // The same name in two folders, and a different name.
  const std::string one = folder.file("a/model.jsonl"), two = folder.file("b/model.jsonl");
  fs::copy_file(golden("net_lenet.jsonl"), one);
  fs::copy_file(golden("net_identity.jsonl"), two);
  for (const std::string& model : {one, two, golden("net_lenet.jsonl")}) run_with_cache(model, cache.path());
  const auto files = files_in(cache.path());
  EXPECT_EQ(files.size(), 6u);
  for (const std::string& model : {one, two, golden("net_lenet.jsonl")}) run_with_cache(model, cache.path());
  EXPECT_EQ(files_in(cache.path()), files) << "Each was restored from its own files.";
}

TEST(ToolCache, TwoDevicesShareAFolder) {
  const Folder cache;
  const std::string plugins = "NNRT_PLUGINS=" NNRT_ONES_PLUGIN;
  // With explicit inputs, so outputs are not compared.
  const std::string model = golden("net_identity.jsonl") + " --input a=ones --input b=ones";
  for (const char* device : {"Ones", "cpu"}) run_with_cache(model, cache.path(), plugins, device);
  const auto files = files_in(cache.path());
  EXPECT_EQ(files.size(), 4u);
  for (const char* device : {"Ones", "cpu"}) run_with_cache(model, cache.path(), plugins, device);
  EXPECT_EQ(files_in(cache.path()), files);
}

TEST(ToolCache, FilesBeginWithTheModelsName) {
  const Folder folder, cache;
  const std::string model = folder.file("my model.jsonl");
  fs::copy_file(golden("net_identity.jsonl"), model);
  run_with_cache("'" + model + "'", cache.path());
  for (const auto& [name, number] : files_in(cache.path()))
    EXPECT_EQ(name.find("my_model.jsonl-"), 0u) << name << number;
}

// The second start of each reads no model file.
TEST(ToolCache, IsUsedByGenerateAndAccuracy) {
  const Folder samples, cache;
  write_digits(samples, 20);
  const std::string text = NNRT_TEST_DATA "/text/",
                    digits = NNRT_TEST_MODELS "/onnx/digits.onnx " + samples.path() + " --mean 0";
  const std::map<std::string, size_t> commands = {
      {"generate " + text + "decode_int8.onnx --prefill " + text + "prefill_int8.onnx -p And -n 8", 2},
      {"accuracy " + digits + " --json", 1}};
  for (const auto& [command, models] : commands) {
    const std::string cached = command + " -d cpu --cache " + cache.path();
    const Outcome first = run_nnrt(cached), plain = run_nnrt(command + " -d cpu");
    ASSERT_EQ(first.code, 0) << first.err;
    const auto files = files_in(cache.path());
    const Outcome second = run_nnrt(cached, "NNRT_LOG=info");
    ASSERT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(files_in(cache.path()), files);
    size_t restored = 0;
    for (size_t at = second.err.find("restored from"); at != std::string::npos;
         at = second.err.find("restored from", at + 1))
      ++restored;
    EXPECT_EQ(restored, models) << second.err;
    if (command.starts_with("generate")) {
      EXPECT_EQ(second.out, plain.out);
    }
  }
}
