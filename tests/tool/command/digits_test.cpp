#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

using namespace tool_tests;

namespace {

struct Digit {
  std::string model, sample, name;
};

class ToolDigits : public testing::TestWithParam<Digit> {};

std::string models(const std::string& file) { return std::string(NNRT_TEST_MODELS) + "/" + file; }

}  // namespace

// End to end: image, normalization, ONNX, run, labels.
TEST_P(ToolDigits, AreRecognizedInPictures) {
  const Folder folder;
  write(folder.file("x.bmp"),
        grey_bitmap(8, 8, read(models("samples/onnx_digits/" + GetParam().sample + ".in0.bin"))));
  write(folder.file("labels.txt"), "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n");
  const Outcome outcome = run_nnrt("run " + models("onnx/" + GetParam().model) + " --mean 0 --input image=" +
                                   folder.file("x.bmp") + " --labels " + folder.file("labels.txt"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string table = outcome.out.substr(outcome.out.find("label\n") + 6);
  const std::string best = table.substr(0, table.find('\n'));
  EXPECT_TRUE(best.ends_with("  " + GetParam().name)) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(All, ToolDigits,
                         testing::Values(Digit{"digits.onnx", "0", "zero"},
                                         Digit{"digits.onnx", "1", "three"},
                                         Digit{"digits.onnx", "2", "eight"},
                                         Digit{"digits_int8.onnx", "2", "eight"}));
