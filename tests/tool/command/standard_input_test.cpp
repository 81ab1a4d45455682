#include "tools/nnrt/command/standard_input.h"

#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

using namespace tool_tests;
using namespace std::string_view_literals;
using nnrt::tool::name_of_standard_input;

namespace {

const std::string kDigits = NNRT_TEST_MODELS "/onnx/digits.onnx";
const std::string kArrays = NNRT_TEST_DATA "/arrays/";

// Runs nnrt with a file on its standard input, through a pipe.
Outcome run_piped(const std::string& file, const std::string& arguments) {
  return run_nnrt(arguments, "cat " + file + " |");
}

// The outputs; times and the origin of inputs differ.
std::string answer(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const size_t at = outcome.out.find("\n\n");
  return at == std::string::npos ? "" : outcome.out.substr(at);
}

}  // namespace

TEST(StandardInput, IsNamedByItsFirstBytes) {
  EXPECT_EQ(name_of_standard_input("\x1c\0\0\0TFL3..."sv, true), "standard_input.tflite");
  EXPECT_EQ(name_of_standard_input("{\"case\"", true), "standard_input.jsonl");
  EXPECT_EQ(name_of_standard_input("\x08\x07", true), "standard_input.onnx");
  EXPECT_EQ(name_of_standard_input("\x93NUMPY\x01", false), "standard_input.npy");
  EXPECT_EQ(name_of_standard_input("PK\x03\x04", false), "standard_input.npz");
  EXPECT_EQ(name_of_standard_input(bitmap(2, 2, 0), false), "standard_input.bmp");
  EXPECT_EQ(name_of_standard_input("BM raw elements", false), "standard_input");
}

TEST(StandardInput, HoldsAModel) {
  const Folder folder;
  const std::string tflite = NNRT_TEST_MODELS "/tflite/digits_int8.tflite", offline = folder.file("x.nnrt");
  ASSERT_EQ(run_nnrt("compile " + kDigits + " -d cpu -o " + offline).code, 0);
  for (const std::string& model : {kDigits, tflite, offline, golden("net_lenet.jsonl")})
    EXPECT_EQ(answer(run_piped(model, "run - --input random:3")),
              answer(run_nnrt("run " + model + " --input random:3")));
}

TEST(StandardInput, HoldsAnInput) {
  const Folder folder;
  write(folder.file("image.bmp"), grey_bitmap(8, 8, std::string(64, 'x')));
  write(folder.file("raw"), std::string(64 * sizeof(float), '\0'));
  for (const std::string& input : {folder.file("image.bmp"), folder.file("raw")}) {
    for (const std::string name : {"", "image="}) {
      EXPECT_EQ(answer(run_piped(input, "run " + kDigits + " --input " + name + "-")),
                answer(run_nnrt("run " + kDigits + " --input " + input)));
    }
  }
  const std::string model = golden("net_identity.jsonl");
  EXPECT_EQ(answer(run_piped(kArrays + "two.npz", "run " + model + " -i -")),
            answer(run_nnrt("run " + model + " -i " + kArrays + "two.npz")));
}

TEST(StandardInput, IsReadOnce) {
  for (const std::string& arguments :
       std::vector<std::string>{"run - --input -", "run " + golden("net_identity.jsonl") + " -i a=- -i b=-",
                                "generate - --prefill - -p x"}) {
    EXPECT_TRUE(
        fails(run_piped(kDigits, arguments), 2, "Standard input (-) is given 2 times; it can be read once."));
  }
}

TEST(StandardInput, IsRefusedInASentence) {
  EXPECT_TRUE(has(run_piped("/dev/null", "info -").err, "nnrt: Standard input (-) is empty.\n"));
  const Folder folder;
  EXPECT_TRUE(
      has(run_piped(kDigits, "run - --cache " + folder.path()).err, "standard input (-) has no path."));
  EXPECT_TRUE(fails(run_piped(NNRT_TOOL, "info -"), 1, "standard_input.onnx"));
}
