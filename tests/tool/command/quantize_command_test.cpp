#include "tests/tool/digits_samples.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

namespace {

const std::string kDigits = NNRT_TEST_MODELS "/onnx/digits.onnx";
constexpr size_t kAllDigits = 360;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Outcome quantize(const std::string& model, const std::string& folder, const std::string& output,
                 const std::string& more = "") {
  return run_nnrt("quantize " + model + " --calibrate " + folder + " --mean 0 -o " + output + " " + more);
}

// A model's top-1 accuracy on the digits.
double top1(const std::string& model, const std::string& folder) {
  const Outcome outcome = run_nnrt("accuracy " + model + " " + folder + " --mean 0 --json");
  const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  return json.is_object() ? json["results"][0]["top1"].get<double>() : -1;
}

class ToolQuantizeRanges : public testing::TestWithParam<std::string> {};

}  // namespace

// Calibrated with 64 of the 360 images.
TEST_P(ToolQuantizeRanges, LeaveADigitClassifierAsGood) {
  const Folder few, all, made;
  write_digits(few, 64);
  write_digits(all, kAllDigits);
  const std::string int8 = made.file("int8.onnx");
  const Outcome outcome = quantize(kDigits, few.path(), int8, "--ranges " + GetParam());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "calibration: 64 samples")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "quantized: 5 layers")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "\nGemm /f2/Gemm ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "64 of 64")) << outcome.out;
  EXPECT_LT(read(int8).size() * 3, read(kDigits).size());
  EXPECT_GE(top1(int8, all.path()), top1(kDigits, all.path()));
}

INSTANTIATE_TEST_SUITE_P(All, ToolQuantizeRanges, testing::Values("minmax", "percentile", "mse"),
                         [](const auto& made) { return made.param; });

TEST(ToolQuantize, ComputesOnQuantizedValuesFromTheInputToTheLastProduct) {
  const Folder samples, made;
  write_digits(samples, 16);
  ASSERT_EQ(quantize(kDigits, samples.path(), made.file("int8.onnx")).code, 0);
  const Outcome info = run_nnrt("info --json " + made.file("int8.onnx"));
  ASSERT_EQ(info.code, 0) << info.err;
  size_t casts = 0;
  const auto json = nlohmann::json::parse(info.out);
  for (const auto& row : json["operators"]) casts += row["operations"].value("QUANT_DTYPE_CAST", size_t{0});
  EXPECT_EQ(casts, 2u) << info.out;
  // Weights shrink to a quarter; biases keep their size.
  EXPECT_LT(json["parameters"]["bytes"].get<size_t>(), 50'000u);
}

TEST(ToolQuantize, LeavesOutNodesByNameAndByOperator) {
  const Folder samples, made;
  write_digits(samples, 8);
  const Outcome outcome =
      quantize(kDigits, samples.path(), made.file("int8.onnx"), "--float Gemm --float /c1/Conv --samples 4");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "calibration: 4 samples")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "quantized: 2 layers")) << outcome.out;
  const Outcome unknown = quantize(kDigits, samples.path(), made.file("int8.onnx"), "--float nobody");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "The model has no node and no operator of the name (nobody).")) << unknown.err;
}

TEST(ToolQuantize, ReadsArraysRawElementsAndCases) {
  const Folder samples, made;
  ASSERT_EQ(run_nnrt("convert " + kDigits + " --input random:3 --shape image=1,1,8,8 -o " +
                     samples.file("random.jsonl"))
                .code,
            0);
  write(samples.file("zeros.bin"), std::string(64 * sizeof(float), '\0'));
  const Outcome outcome = quantize(kDigits, samples.path(), made.file("int8.onnx"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "calibration: 2 samples")) << outcome.out;
}

namespace {

struct Refused {
  std::string name, model, folder, sentence;
};

class ToolQuantizeRefusals : public testing::TestWithParam<Refused> {};

}  // namespace

TEST_P(ToolQuantizeRefusals, AreOneSentence) {
  const Folder samples, made;
  write(samples.file("x.bin"), std::string(12, '\0'));
  std::filesystem::create_directory(samples.file("empty"));
  const std::string folder = samples.path() + GetParam().folder, output = made.file("int8.onnx");
  const Outcome outcome = quantize(GetParam().model, folder, output);
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, GetParam().sentence)) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(output));
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolQuantizeRefusals,
    testing::Values(
        Refused{"NoFolder", kDigits, "/nowhere", "/nowhere) does not exist."},
        Refused{"NoSample", kDigits, "/empty", "/empty) has no image (.png, .jpg, .webp, .bmp), no array"},
        Refused{"WrongShape", kDigits, "", "x.bin has 12 bytes, but input image"},
        Refused{"Quantized", NNRT_TEST_MODELS "/onnx/digits_int8.onnx", "", "The model is quantized already"},
        Refused{"NothingToQuantize", NNRT_TEST_DATA "/models/exp_chain40.onnx", "",
                "no convolution and no product of FLOAT32 with constant weights"},
        Refused{"NoModelFile", NNRT_GOLDEN_CASES "/net_lenet.jsonl", "",
                "is neither an ONNX nor a TensorFlow Lite file"},
        Refused{"NoModel", "nowhere.onnx", "", "Model (nowhere.onnx) is no file that can be read."}),
    [](const auto& made) { return made.param.name; });
