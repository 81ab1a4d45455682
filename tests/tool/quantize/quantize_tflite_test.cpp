#include "tests/tool/digits_samples.h"
#include "tests/tool/quantize/digits_tflite.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The digit classifier and some samples.
class ToolQuantizeTflite : public testing::Test {
 protected:
  ToolQuantizeTflite() {
    write(model_, digits_tflite());
    write_digits(samples_, 64);
  }

  Outcome quantize(const std::string& model, const std::string& more = "") const {
    return run_nnrt("quantize " + model + " --calibrate " + samples_.path() + " --mean 0 -o " + int8_ + " " +
                    more);
  }

  Folder made_, samples_;
  const std::string model_ = made_.file("digits.tflite"), int8_ = made_.file("int8.tflite");
};

}  // namespace

// Calibrated with 64 of the 360 images.
TEST_F(ToolQuantizeTflite, LeavesADigitClassifierAsGood) {
  const Folder all;
  write_digits(all, 360);
  for (const std::string ranges : {"minmax", "percentile", "mse"}) {
    const Outcome outcome = quantize(model_, "--ranges " + ranges);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out,
                    "quantized: 5 layers; 3 nodes stay as they are: MUL scaled, SUB centred, "
                    "SOFTMAX scores\n"))
        << outcome.out;
    EXPECT_TRUE(has(outcome.out, "\nFULLY_CONNECTED dense2 ")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "64 of 64")) << outcome.out;
    EXPECT_LT(read(int8_).size() * 3, read(model_).size());
    const Outcome accuracy =
        run_nnrt("accuracy " + model_ + " " + int8_ + " " + all.path() + " --mean 0 --json");
    ASSERT_EQ(accuracy.code, 0) << accuracy.err;
    const auto results = nlohmann::json::parse(accuracy.out)["results"];
    EXPECT_GT(results[0]["top1"].get<double>(), 0.98);
    EXPECT_GE(results[1]["top1"].get<double>(), results[0]["top1"].get<double>());
  }
}

TEST_F(ToolQuantizeTflite, ComputesInInt8EndToEnd) {
  ASSERT_EQ(quantize(model_).code, 0);
  const Outcome info = run_nnrt("info --json " + int8_);
  ASSERT_EQ(info.code, 0) << info.err;
  size_t casts = 0;
  const auto json = nlohmann::json::parse(info.out);
  for (const auto& row : json["operators"]) casts += row["operations"].value("QUANT_DTYPE_CAST", size_t{0});
  EXPECT_EQ(casts, 2u) << info.out;
}

TEST_F(ToolQuantizeTflite, RefusesInOneSentence) {
  ASSERT_EQ(quantize(model_).code, 0);
  const std::string copy = int8_ + "_copy.tflite";
  write(copy, read(int8_));
  const Outcome again = quantize(copy);
  EXPECT_NE(again.code, 0);
  EXPECT_TRUE(has(again.err, "The model is already quantized: its tensor (")) << again.err;
  const Outcome nothing = quantize(model_, "--float CONV_2D --float FULLY_CONNECTED");
  EXPECT_NE(nothing.code, 0);
  EXPECT_TRUE(has(nothing.err, "no FLOAT32 convolution or matrix product with constant weights"))
      << nothing.err;
  const Outcome unknown = quantize(model_, "--float nobody");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "The model has no node or operator named (nobody).")) << unknown.err;
  write(model_, "damaged");
  const Outcome damaged = quantize(model_);
  EXPECT_NE(damaged.code, 0);
  EXPECT_TRUE(has(damaged.err, "The file is damaged, or it is not a TensorFlow Lite model of version 3."))
      << damaged.err;
  const Outcome other = run_nnrt("quantize " + made_.file("digits.tflite") + " --calibrate " +
                                 samples_.path() + "/nowhere -o " + int8_);
  EXPECT_NE(other.code, 0);
}

TEST_F(ToolQuantizeTflite, ConvertsToOnnx) {
  const std::string onnx = made_.file("int8.onnx");
  const Outcome outcome =
      run_nnrt("quantize " + model_ + " --calibrate " + samples_.path() + " --mean 0 -o " + onnx);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(run_nnrt("info " + onnx).out, "QuantizeLinear"));
}
