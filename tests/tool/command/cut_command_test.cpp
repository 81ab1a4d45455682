#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace tool_tests;

namespace {

const std::string kNamed = NNRT_TEST_DATA "/models/named.onnx";

void expect_success(const std::string& arguments) {
  const Outcome outcome = run_nnrt(arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << outcome.out << outcome.err;
}

}  // namespace

// Both halves together compute what the model does.
TEST(ToolCut, WritesBothHalvesOfAModel) {
  const Folder folder;
  const std::string first = folder.file("first.onnx"), second = folder.file("second.onnx");
  expect_success("cut " + kNamed + " --to relu -o " + first);
  expect_success("cut " + kNamed + " --from relu -o " + second);
  expect_success("run " + kNamed + " -d cpu -i random:3 -o " + folder.file("whole.npz"));
  expect_success("run " + first + " -d cpu -i random:3 -o " + folder.file("between.npz"));
  expect_success("run " + second + " -d cpu -i " + folder.file("between.npz") + " --compare " +
                 folder.file("whole.npz"));
}

TEST(ToolCut, NodesStandForTheirInputsAndOutputs) {
  const Folder folder;
  const Outcome outcome =
      run_nnrt("cut " + kNamed + " --from /features/1/add --to /head/softmax -o " + folder.file("x.onnx"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "input conv2: FLOAT32 ["));
  EXPECT_TRUE(has(outcome.out, "output chances: FLOAT32 ["));
  EXPECT_TRUE(has(outcome.out, ": 4 of 8 nodes\n"));
}

TEST(ToolCut, EmbedsExternalData) {
  const Folder folder, other;
  std::filesystem::copy_file(NNRT_TEST_DATA "/models/external_data.onnx", folder.file("x.onnx"));
  write(folder.file("weights.bin"), std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  expect_success("run " + folder.file("x.onnx") + " -d cpu -i random:1 -o " + folder.file("y.npz"));
  const std::string output = run_nnrt("info " + folder.file("x.onnx") + " --json").out;
  const size_t at = output.find("\"name\": \"", output.find("\"outputs\"")) + 9;
  expect_success("cut " + folder.file("x.onnx") + " --to " + output.substr(at, output.find('"', at) - at) +
                 " -o " + other.file("x.onnx"));
  expect_success("run " + other.file("x.onnx") + " -d cpu -i random:1 --compare " + folder.file("y.npz"));
}

// What `compare --layers` prints cuts out the layer that differs.
TEST(ToolCut, WritesTheLayerThatCompareFinds) {
  const Folder folder;
  const std::string plugins = "NNRT_PLUGINS=" NNRT_ONES_PLUGIN;
  const Outcome compared = run_nnrt("compare " + kNamed + " --devices Softmax,cpu --layers", plugins);
  const std::string command = "    nnrt cut " + kNamed + " --from product --to chances -o ";
  EXPECT_TRUE(has(compared.out, command + "part.onnx\n"));
  expect_success(command.substr(command.find("cut")) + folder.file("part.onnx"));
  EXPECT_TRUE(fails(run_nnrt("compare " + folder.file("part.onnx") + " --devices Softmax,cpu", plugins), 1,
                    "most in 'chances'"));
}

TEST(ToolCut, TellsWhatItCannotCut) {
  const Folder folder;
  const std::string output = " -o " + folder.file("x.onnx");
  const auto refusal = [](const std::string& arguments) {
    const Outcome outcome = run_nnrt("cut " + arguments);
    EXPECT_NE(outcome.code, 0) << arguments;
    return outcome.err;
  };
  EXPECT_TRUE(
      has(refusal(kNamed + " --to nothing" + output), "The model has no value and no node named nothing."));
  EXPECT_TRUE(has(refusal(kNamed + " --from sum --to relu" + output), "do not depend on sum."));
  EXPECT_TRUE(
      has(refusal(kNamed + " --from sum --to sum" + output), "Value sum is named by both --from and --to."));
  EXPECT_TRUE(has(refusal(kNamed + output), "Option --from or --to is missing."));
  EXPECT_TRUE(has(refusal(kNamed + " --to sum -o x.tflite"), "Output (x.tflite) does not end in .onnx."));
  EXPECT_TRUE(has(refusal(golden("net_lenet.jsonl") + " --to y" + output), "only ONNX models can be cut."));
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.onnx")));
}
