#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace tool_tests;

namespace {

struct Mistake {
  std::string name, arguments;
  int code;
  std::string message;  // part of it
};

class ToolMistakes : public testing::TestWithParam<Mistake> {};

}  // namespace

TEST_P(ToolMistakes, AreToldInASentence) {
  const Outcome outcome = run_nnrt(GetParam().arguments);
  EXPECT_EQ(outcome.code, GetParam().code);
  EXPECT_TRUE(has(outcome.err, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolMistakes,
    testing::Values(
        Mistake{"NoCommand", "", 2, "No command was given; `nnrt help` lists them."},
        Mistake{"UnknownCommand", "fly", 2, "Command (fly) does not exist; `nnrt help` lists them."},
        Mistake{"MisspelledCommand", "plna", 2, "Did you mean plan?"},
        Mistake{"OptionWithoutCommand", "-x", 2, "Option (-x) does not exist;"},
        Mistake{"UnknownOption", "devices --fly", 2, "Option (--fly) of `nnrt devices` does not exist;"},
        Mistake{"MisspelledOption", "run x.onnx --inptu y", 2, "Did you mean --input?"},
        Mistake{"UnknownArgument", "devices now", 2, "Argument (now) was not expected;"},
        Mistake{"MissingFile", "run nothing.tflite", 1, "Model (nothing.tflite) does not exist."},
        Mistake{"DirectoryAsModel", "run /", 1, "Model (/) is a directory."},
        Mistake{"UnknownDevice", "run " + golden("net_lenet.jsonl") + " --device moon", 2,
                "Device (moon) is not one of: CPU_NNRt (cpu)."},
        Mistake{"UnknownInput", "run " + golden("net_lenet.jsonl") + " --input y=zeros", 2,
                "Input (y) is not an input of the model: image."},
        Mistake{"InputWithoutName", "run " + golden("net_identity.jsonl") + " --input zeros", 2,
                "Value (zeros) does not name an input; the model has 2: a, b."},
        Mistake{"InputTwice", "run " + golden("net_lenet.jsonl") + " -i zeros -i image=ones", 2,
                "Input image is given twice: zeros and ones."},
        Mistake{"NoGpu", "run " + golden("net_lenet.jsonl") + " --device gpu", 2,
                "Device (gpu) is not one of: CPU_NNRt (cpu). NNRT_DEVICES (cpu) leaves GPUs out."},
        Mistake{"BadSeed", "run " + golden("net_lenet.jsonl") + " --input random:x", 2,
                "Seed (x) is not a number"},
        Mistake{"MissingImage", "run " + golden("net_lenet.jsonl") + " --input cat.png", 1,
                "File (cat.png) does not exist. While making input image."},
        Mistake{"BadShape", "run " + golden("net_lenet.jsonl") + " --shape image=1,x", 2,
                "Shape (image=1,x) is not of the form"},
        Mistake{"WrongShape", "run " + golden("net_lenet.jsonl") + " --shape image=1,28,28,3", 2,
                "Shape [1, 28, 28, 3] does not fit input image"},
        Mistake{"MissingLabels", "run " + golden("net_lenet.jsonl") + " --labels none.txt", 1,
                "File (none.txt) does not exist."},
        Mistake{"UnknownHelp", "help fly", 2, "Command (fly) does not exist."},
        Mistake{"NoOutputOption", "compile " + golden("net_lenet.jsonl"), 2, "--output is required"}),
    [](const auto& made) { return made.param.name; });

TEST(ToolCommandLine, EmptyModelsAndDevicesAreNoModels) {
  const Folder folder;
  const std::string empty = folder.file("empty.onnx");
  write(empty, "");
  EXPECT_TRUE(has(run_nnrt("info " + empty).err, ") is empty."));
  EXPECT_TRUE(has(run_nnrt("info /dev/null").err, "Model (/dev/null) is not a regular file."));
}

// Before the model runs, which may take long.
TEST(ToolCommandLine, ChecksWhereItWritesFirst) {
  const Folder folder;
  write(folder.file("file"), "");
  const std::string model = golden("net_lenet.jsonl"), below = folder.file("file/below");
  for (const std::string& command :
       {"run " + model + " -o " + below, "run " + model + " -o " + below + ".npz",
        "run " + model + " -o " + folder.file("file"), "plan " + model + " --html " + below,
        "plan " + model + " --dot " + below, "profile " + model + " --trace " + below,
        "convert " + model + " -o " + below, "compile " + model + " -o " + below}) {
    const Outcome outcome = run_nnrt(command);
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_TRUE(has(outcome.err, ") cannot be written: ")) << command << outcome.err;
  }
}

TEST(ToolCommandLine, PrintsVersionAndHelp) {
  const Outcome version = run_nnrt("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, "nnrt " NNRT_VERSION "\n");
  EXPECT_EQ(run_nnrt("help").out, run_nnrt("--help").out);
  EXPECT_EQ(run_nnrt("help bench").out, run_nnrt("bench --help").out);
  EXPECT_EQ(run_nnrt("help bench").code, 0);
}

TEST(ToolCommandLine, InfoJsonMatchesText) {
  const auto json = json_of(run_nnrt("info --json " + golden("net_lenet.jsonl")));
  ASSERT_EQ(json["inputs"].size(), 1u);
  EXPECT_EQ(json["inputs"][0]["name"], "image");
  EXPECT_EQ(json["inputs"][0]["dtype"], "FLOAT32");
  EXPECT_EQ(json["inputs"][0]["shape"].size(), 4u);
  const std::string text = run_nnrt("info " + golden("net_lenet.jsonl")).out;
  EXPECT_TRUE(has(text, "operations: " + json["operations"].dump() + "\n"));
  size_t operations = 0;
  for (const auto& row : json["operators"])
    for (const auto& [name, count] : row["operations"].items()) operations += count.get<size_t>();
  EXPECT_EQ(operations, json["operations"]);
}

TEST(ToolCommandLine, InfoNamesCustomOperatorsAndNoInputAsOperator) {
  const Folder folder;
  const std::string model = folder.file("detection.tflite");
  write(model, read(NNRT_TFLITE_CORPUS "/12"));
  const std::string text = run_nnrt("info " + model).out;
  EXPECT_TRUE(has(text, "\ncustom TFLite_Detection_PostProcess      1  ")) << text;
  EXPECT_TRUE(has(text, "\n(inputs, outputs)                        0  1 QUANT_DTYPE_CAST\n")) << text;
  EXPECT_TRUE(has(text, " in 1 constant,")) << text;
  const auto converted = json_of(run_nnrt("info --json " + model))["operators"][0];
  EXPECT_TRUE(converted["operator"].is_null());
  EXPECT_EQ(converted["nodes"], 0);
}

// MATMUL lacks an input: INVALID_PARAMETER from OH_NNModel_AddOperation.
TEST(ToolCommandLine, RefusedModelIsNoUsageError) {
  const Folder folder;
  std::string text = read(golden("net_identity.jsonl"));
  text.replace(text.find("[9,1]"), 5, "[9]");
  write(folder.file("x.jsonl"), text);
  EXPECT_TRUE(fails(run_nnrt("run " + folder.file("x.jsonl")), 1, "nnrt: OH_NNModel_AddOperation"));
}

// A sparse file larger than memory.
TEST(ToolCommandLine, RefusesTooLargeFiles) {
  const Folder folder;
  write(folder.file("x.png"), "");
  std::filesystem::resize_file(folder.file("x.png"), uintmax_t{1} << 40);
  EXPECT_TRUE(fails(run_nnrt("run " + golden("net_lenet.jsonl") + " --input " + folder.file("x.png")), 1,
                    "has 1099511627776 bytes, more than 268435456."));
}

TEST(ToolCommandLine, HelpListsTheCommands) {
  const Outcome outcome = run_nnrt("--help");
  EXPECT_EQ(outcome.code, 0);
  for (const char* command : {"devices", "run", "compare", "bench", "plan", "profile", "compile", "convert",
                              "quantize", "accuracy"}) {
    EXPECT_TRUE(has(outcome.out, command)) << command;
  }
}

TEST(ToolCommandLine, OptionsMayComeBeforeTheModel) {
  const Outcome outcome = run_nnrt("run --input zeros --mean 1,2 --device cpu " + golden("net_lenet.jsonl"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(ToolCommandLine, HelpFitsALineOfHundredCharacters) {
  for (const std::string command : {"", "run", "compare", "generate", "quantize", "accuracy"}) {
    std::istringstream lines(run_nnrt(command + " --help").out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ToolCommandLine, HelpOfEachCommandHasAnExample) {
  for (const std::string command : {"devices", "run", "compare", "bench", "plan", "profile", "compile",
                                    "convert", "quantize", "accuracy"}) {
    EXPECT_TRUE(prints(run_nnrt(command + " --help"), "\nExample: nnrt " + command));
  }
}
