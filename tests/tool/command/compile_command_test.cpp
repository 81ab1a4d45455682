#include "tests/import/stored_zip.h"
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

namespace {

// From the first output on.
std::string answer(const std::string& out) { return out.substr(out.find("\n\n")); }

}  // namespace

TEST(ToolCompile, OfflineModelAnswersAsTheModelDoes) {
  const Folder folder;
  const std::string model = golden("net_mobilenet_v2.jsonl"), offline = folder.file("model.nnrt");
  EXPECT_TRUE(prints(run_nnrt("compile " + model + " --output " + offline), "compiled for CPU_NNRt in "));
  const Outcome whole = run_nnrt("run " + model + " --input random:3"),
                loaded = run_nnrt("run " + offline + " --input random:3");
  ASSERT_EQ(loaded.code, 0) << loaded.err;
  EXPECT_EQ(answer(loaded.out), answer(whole.out));
}

TEST(ToolCompile, OfflineModelsAreNotOfferedAsModels) {
  const Folder folder;
  const std::string offline = folder.file("model.nnrt");
  ASSERT_EQ(run_nnrt("compile " + golden("net_lenet.jsonl") + " -o " + offline).code, 0);
  EXPECT_TRUE(fails(run_nnrt("compile " + offline + " -o " + folder.file("again.nnrt")), 1,
                    "nnrt: OH_NNCompilation_ExportCacheToBuffer returns "));
  EXPECT_TRUE(prints(run_nnrt("compile --help"), "Model file: .tflite, .onnx, .ms or .jsonl; "));
}

TEST(ToolCompile, DamagedOfflineModelsAreRefused) {
  const Folder folder;
  const std::string offline = folder.file("model.nnrt");
  ASSERT_EQ(run_nnrt("compile " + golden("net_lenet.jsonl") + " -o " + offline).code, 0);
  std::string bytes = read(offline);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  write(offline, bytes);
  EXPECT_TRUE(fails(run_nnrt("run " + offline), 1, "nnrt: OH_NNCompilation_Build returns "));
}

namespace {

// A model compiled for the plugin's device, with the CPU as the other device.
const std::string kPlugins = "NNRT_PLUGINS=" NNRT_ONES_PLUGIN;

}  // namespace

TEST(ToolCompile, OfflineModelRunsOnItsDevice) {
  const Folder folder;
  const std::string model = golden("net_identity.jsonl");
  for (const std::string device : {"Ones", "CPU_NNRt"}) {
    const std::string offline = folder.file(device + ".nnrt");
    ASSERT_EQ(run_nnrt("compile " + model + " -o " + offline + " --device " + device, kPlugins).code, 0);
    const Outcome outcome = run_nnrt("run " + offline, kPlugins);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("device: " + device), 0u) << outcome.out;
  }
}

TEST(ToolCompile, JsonIsOneDocument) {
  const Folder folder;
  const auto json = json_of(
      run_nnrt("compile --json " + golden("net_identity.jsonl") + " -d cpu -o " + folder.file("x.nnrt")));
  EXPECT_EQ(json["device"], "CPU_NNRt");
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(folder.file("x.nnrt")));
  EXPECT_EQ(json["file"], folder.file("x.nnrt"));
}

TEST(ToolCompile, OfflineModelRefusesOtherDevices) {
  const Folder folder;
  const std::string offline = folder.file("model.nnrt");
  ASSERT_EQ(run_nnrt("compile " + golden("net_identity.jsonl") + " -o " + offline + " --device cpu").code, 0);
  for (const std::string& command :
       {"run " + offline + " --device Ones", "run " + offline + " --compare Ones",
        "bench " + offline + " --devices Ones"}) {
    EXPECT_TRUE(fails(
        run_nnrt(command, kPlugins), 1,
        "nnrt: Offline model (" + offline + ") was compiled for device CPU_NNRt, and cannot run on Ones"));
  }
}

TEST(ToolCompile, OfflineModelReportsMissingDevice) {
  const Folder folder;
  const std::string offline = folder.file("model.nnrt");
  ASSERT_EQ(
      run_nnrt("compile " + golden("net_identity.jsonl") + " -o " + offline + " --device Ones", kPlugins)
          .code,
      0);
  const Outcome outcome = run_nnrt("run " + offline);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err.find("nnrt: Offline model (" + offline + ") was compiled for device Ones"), 0u)
      << outcome.err;
  EXPECT_TRUE(has(outcome.err, ", which is not available.\n"));
}

namespace {

// What `nnrt run` and `nnrt info` say of a TensorFlow Lite file, and of the offline model that it becomes.
struct Answers {
  std::string run, run_offline;
  nlohmann::json info, info_offline;
};

Answers answers_of(const std::string& tflite) {
  const Folder folder;
  const std::string model = folder.file("model.tflite"), offline = folder.file("model.nnrt");
  write(model, tflite);
  EXPECT_EQ(run_nnrt("compile " + model + " -o " + offline).code, 0);
  const std::string input = " --input random:3";
  return {answer(run_nnrt("run " + model + input).out), answer(run_nnrt("run " + offline + input).out),
          nlohmann::json::parse(run_nnrt("info --json " + model).out),
          nlohmann::json::parse(run_nnrt("info --json " + offline).out)};
}

}  // namespace

TEST(ToolCompile, OfflineModelKeepsLabels) {
  const std::string labels = "nought\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
  const Answers answers = answers_of(read(NNRT_TEST_MODELS "/tflite/digits_int8.tflite") +
                                     nnrt::test::zip({{"labels.txt", labels}}));
  EXPECT_TRUE(has(answers.run, "three"));
  EXPECT_EQ(answers.run_offline, answers.run);
}

TEST(ToolCompile, OfflineModelKeepsQuantization) {
  const Answers answers = answers_of(read(NNRT_TFLITE_CORPUS "/16"));
  EXPECT_FALSE(answers.info["inputs"][0]["scales"].empty());
  for (const char* side : {"inputs", "outputs"}) EXPECT_EQ(answers.info_offline[side], answers.info[side]);
  EXPECT_EQ(answers.run_offline, answers.run);
}
