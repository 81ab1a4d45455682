#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

using namespace tool_tests;

namespace {

// Whether the case passes the conformance runner on the CPU.
bool runner_accepts(const std::string& path) {
  return std::system((CONFORMANCE_RUNNER " --device cpu " + path + " >/dev/null").c_str()) == 0;
}

class ToolConvert : public testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(ToolConvert, WritesRunnableCase) {
  const Folder folder;
  EXPECT_TRUE(prints(run_nnrt("convert " + golden(GetParam()) + " --output " + folder.file("case.jsonl")),
                     "outputs expected from CPU_NNRt"));
  EXPECT_TRUE(runner_accepts(folder.file("case.jsonl")));
}

INSTANTIATE_TEST_SUITE_P(Networks, ToolConvert,
                         testing::Values("net_lenet.jsonl", "net_int8_mobilenet.jsonl", "net_ssd.jsonl",
                                         "net_dynamic_cnn.jsonl", "net_lstm.jsonl"),
                         [](const auto& made) { return made.param.substr(0, made.param.find('.')); });

TEST(ToolConvertModel, WritesEquivalentModels) {
  const Folder folder;
  const std::string model = NNRT_TEST_MODELS "/tflite/digits_int8.tflite", ms = folder.file("digits.ms"),
                    back = folder.file("digits.tflite");
  ASSERT_EQ(run_nnrt("convert " + model + " -o " + ms).code, 0);
  EXPECT_TRUE(prints(run_nnrt("convert " + ms + " -o " + back), "): a model of "));
  for (const std::string& path : {model, ms, back})
    ASSERT_EQ(run_nnrt("run " + path + " --device cpu --input random:5 --output " +
                       folder.file(path == model ? "want"
                                   : path == ms  ? "ms"
                                                 : "back"))
                  .code,
              0);
  for (const char* other : {"ms", "back"}) {
    const std::string difference =
        "diff -r " + folder.file("want") + " " + folder.file(other) + " >/dev/null";
    EXPECT_EQ(std::system(difference.c_str()), 0) << other;
  }
  EXPECT_TRUE(has(run_nnrt("info " + ms).out, "Conv2DFusion"));
  EXPECT_TRUE(has(run_nnrt("info " + back).out, "CONV_2D"));
}

TEST(ToolConvertModel, RefusesToReplaceItself) {
  const Folder folder;
  const std::string ms = folder.file("digits.ms");
  ASSERT_EQ(run_nnrt("convert " NNRT_TEST_MODELS "/tflite/digits_int8.tflite -o " + ms).code, 0);
  const Outcome outcome = run_nnrt("convert " + ms + " -o " + ms);
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "is the model itself."));
}

TEST(ToolConvertModel, RejectsUnknownSuffix) {
  const Folder folder;
  for (const char* name : {"x.pb", "x.json"}) {
    EXPECT_TRUE(fails(run_nnrt("convert " + golden("net_lenet.jsonl") + " -o " + folder.file(name)), 2,
                      "only .onnx, .tflite, .ms and .jsonl can be written"));
    EXPECT_FALSE(std::filesystem::exists(folder.file(name)));
  }
}

TEST(ToolConvertInputs, AreThoseOfTheCommandLine) {
  const Folder folder;
  const std::string path = folder.file("case.jsonl");
  ASSERT_EQ(run_nnrt("convert " + golden("net_lenet.jsonl") + " --input zeros --name mine -o " + path).code,
            0);
  EXPECT_EQ(read(path).find("{\"name\":\"mine\",\"oracle\":\"CPU_NNRt\","), 0u);
  EXPECT_TRUE(has(run_nnrt("run " + path).out, "input image: FLOAT32"));
}
