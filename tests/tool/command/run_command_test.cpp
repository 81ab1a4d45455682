#include "tests/tool/run_tool.h"
#include "tools/nnrt/data/npy.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace tool_tests;
using nnrt::tool::Array;
using nnrt::tool::make_array;
using nnrt::tool::read_npy;
using nnrt::tool::write_npy;

namespace {

const std::string kClassifier = "run " + golden("net_mobilenet_v2.jsonl") + " ";

}  // namespace

TEST(ToolRun, PrintsTopClassesWithLabels) {
  const Folder folder;
  write(folder.file("labels.txt"), "zero\none\ntwo\r\nthree\nfour\n");
  EXPECT_TRUE(prints(run_nnrt(kClassifier + "--labels " + folder.file("labels.txt")),
                     "FLOAT32 [1, 10]\n score  class  label\n3.5448      1  one\n2.2414      4  four\n"));
}

TEST(ToolRun, CountsScoresThatAreNotFinite) {
  const Folder folder;
  std::string nan;
  while (nan.size() < 64 * sizeof(float)) nan += std::string("\0\0\xc0\x7f", 4);
  write(folder.file("nan.bin"), nan);
  EXPECT_TRUE(prints(run_nnrt("run " NNRT_TEST_MODELS "/onnx/digits.onnx --input " + folder.file("nan.bin")),
                     "\n10 of 10 not finite\n"));
}

TEST(ToolRun, PrintsDetectedBoxes) {
  const Outcome outcome = run_nnrt("run " + golden("net_ssd.jsonl"));
  EXPECT_TRUE(has(outcome.out, "6 boxes, those with a score of 0.3 or more:\nscore  class  label"));
}

TEST(ToolRun, OtherOutputsAreSummedUp) {
  const Outcome outcome = run_nnrt("run " + golden("net_identity.jsonl") + " --input a=ones --input b=zeros");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "input a: FLOAT32 [2, 3, 4], ones\ninput b: FLOAT32 [4, 6], zeros\n"));
  EXPECT_TRUE(has(outcome.out, "min "));
}

TEST(ToolRun, SeedsRandomInputs) {
  const auto answer = [](const std::string& input) {
    const std::string out = run_nnrt(kClassifier + "--input " + input).out;
    return out.substr(out.find(" score"));
  };
  EXPECT_EQ(answer("random:7"), answer("image=random:7"));
  EXPECT_NE(answer("random:7"), answer("random:8"));
}

TEST(ToolRun, ComparesWithAnotherDevice) {
  EXPECT_TRUE(
      prints(run_nnrt(kClassifier + "--compare cpu --tolerance 0"), "compared with CPU_NNRt:\noutput"));
}

// The plugin always returns 1.
TEST(ToolRun, DifferingDevicesExitWithOne) {
  const std::string compared =
      "run " + golden("net_identity.jsonl") + " --input a=zeros --input b=ones --device Ones --compare cpu";
  const std::string plugins = "NNRT_PLUGINS=" NNRT_ONES_PLUGIN;
  const Outcome differ = run_nnrt(compared, plugins);
  EXPECT_EQ(differ.code, 1) << differ.out;
  EXPECT_TRUE(has(differ.err, "nnrt: The results differ in 2 of 3 outputs, most in "));
  EXPECT_TRUE(has(differ.err, " is tolerated.\n"));
  EXPECT_EQ(run_nnrt(compared + " --tolerance 1", plugins).code, 0);
  EXPECT_EQ(run_nnrt(compared + " --tolerance 0.5", plugins).code, 1);
}

// The plugin always returns 1; the file has the correct outputs.
TEST(ToolRun, ACaseIsComparedWithItsOwnOutputs) {
  const std::string model = "run " + golden("net_identity.jsonl");
  EXPECT_TRUE(prints(run_nnrt(model), "compared with the file:\noutput"));
  EXPECT_TRUE(
      fails(run_nnrt(model + " --device Ones", "NNRT_PLUGINS=" NNRT_ONES_PLUGIN), 1, " in the file at "));
  EXPECT_FALSE(has(run_nnrt(model + " --input a=ones --input b=ones").out, "compared with the file"));
}

TEST(ToolRun, AsynchronousRunsAnswerTheSame) {
  const Outcome outcome = run_nnrt(kClassifier + "--async --runs 3");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, ", median of 2 more "));
  EXPECT_TRUE(has(outcome.out, "3.5448      1"));
}

TEST(ToolRun, DynamicInputsTakeTheShapeGiven) {
  EXPECT_TRUE(prints(run_nnrt("run " + golden("net_dynamic_cnn.jsonl") + " --shape image=2,13,11,3"),
                     "input image: FLOAT32 [2, 13, 11, 3], random (seed 1)"));
}

TEST(ToolRun, OutputsCanBeInputs) {
  const Folder folder;
  const std::string model = "run " + golden("net_identity.jsonl");
  ASSERT_EQ(run_nnrt(model + " --output " + folder.file("out")).code, 0);
  std::string written;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("out")))
    written = entry.path().string();
  const auto array = read_npy(written).value();
  EXPECT_EQ(array.type, OH_NN_FLOAT32);
}

// NumPy's default dtype.
TEST(ToolRun, ConvertsFloat64Npy) {
  const Folder folder;
  auto array = make_array(OH_NN_FLOAT64, {1, 64, 56, 3}).value();
  for (size_t i = 0; i < array.count(); ++i) array.set(i, 0.5);
  auto narrow = make_array(OH_NN_FLOAT32, {1, 64, 56, 3}).value();
  for (size_t i = 0; i < narrow.count(); ++i) narrow.set(i, 0.5);
  ASSERT_TRUE(write_npy(folder.file("wide.npy"), array).ok());
  ASSERT_TRUE(write_npy(folder.file("narrow.npy"), narrow).ok());
  for (const char* name : {"wide", "narrow"}) {
    const std::string input = folder.file(std::string(name) + ".npy");
    const Outcome outcome = run_nnrt(kClassifier + "--input " + input + " --output " + folder.file(name));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("wide"))) {
    const auto other = std::filesystem::path(folder.file("narrow")) / entry.path().filename();
    EXPECT_EQ(read(entry.path().string()), read(other.string()));
  }
}

TEST(ToolRun, NpyOfAnotherTypeIsConverted) {
  const Folder folder;
  ASSERT_TRUE(write_npy(folder.file("x.npy"), make_array(OH_NN_INT32, {1, 64, 56, 3}).value()).ok());
  EXPECT_TRUE(prints(run_nnrt(kClassifier + "--input " + folder.file("x.npy")),
                     "input image: FLOAT32 [1, 64, 56, 3], "));
}

TEST(ToolRun, RawFileOfTheWrongSizeIsRefused) {
  const Folder folder;
  write(folder.file("x.bin"), "1234");
  EXPECT_TRUE(fails(run_nnrt(kClassifier + "--input " + folder.file("x.bin")), 2,
                    "has 4 bytes, but input image (FLOAT32 [1, 64, 56, 3]) takes 43008."));
}

TEST(ToolRun, ImagesAreResizedAndNormalized) {
  const Folder folder;
  write(folder.file("x.bmp"), bitmap(7, 5, 0x336699));
  EXPECT_TRUE(prints(run_nnrt(kClassifier + "--input " + folder.file("x.bmp")),
                     "x.bmp (7 x 5), (pixel - 127.5) / 127.5\n"));
  const Outcome reported =
      run_nnrt(kClassifier + "--mean 10,20,30 --scale 1/255 --input " + folder.file("x.bmp"));
  EXPECT_TRUE(has(reported.out, "(pixel - (10, 20, 30)) * 0.00392157\n"));
}

TEST(ToolRun, BrokenImagesAreRefused) {
  const Folder folder;
  write(folder.file("x.png"), "no image");
  EXPECT_TRUE(fails(run_nnrt(kClassifier + "--input " + folder.file("x.png")), 1,
                    "The image cannot be read: it is not a PNG, JPEG, WebP or BMP file."));
}
