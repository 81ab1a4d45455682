#include "tests/tool/digits_samples.h"
#include "tools/nnrt/base/table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

namespace {

const std::string kDigits = NNRT_TEST_MODELS "/onnx/digits.onnx";
constexpr size_t kAllDigits = 360;

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

// A float model's format, that of the quantized one, and a line of the report.
struct Format {
  std::string name, from, to, ranges, layer;
};

class ToolQuantizeFormats : public testing::TestWithParam<Format> {};

}  // namespace

// Calibrated with 64 of the 360 images.
TEST_P(ToolQuantizeFormats, LeaveADigitClassifierAsGood) {
  const Format& format = GetParam();
  const Folder few, all, made;
  write_digits(few, 64);
  write_digits(all, kAllDigits);
  std::string floats = kDigits;
  if (format.from != ".onnx") {
    floats = made.file("digits" + format.from);
    ASSERT_EQ(run_nnrt("convert " + kDigits + " -o " + floats).code, 0);
  }
  const std::string int8 = made.file("int8" + format.to);
  const Outcome outcome = quantize(floats, few.path(), int8, "--ranges " + format.ranges);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const std::string& part :
       {std::string("calibration: 64 samples"), std::string("quantized: 5 layers"), format.layer,
        std::string(".bmp (8 x 8), (pixel - 0) * 1, and so on\n"),
        "\nfile: " + nnrt::tool::byte_size(read(floats).size()) + " before, " +
            nnrt::tool::byte_size(read(int8).size()) + " after (",
        std::string("(SQNR: the power of the values over that of their error."), std::string("64 of 64")})
    EXPECT_TRUE(has(outcome.out, part));
  EXPECT_GE(top1(int8, all.path()), top1(kDigits, all.path()));

  const Outcome info = run_nnrt("info --json " + int8);
  ASSERT_EQ(info.code, 0) << info.err;
  size_t casts = 0;
  const auto json = nlohmann::json::parse(info.out);
  for (const auto& row : json["operators"]) casts += row["operations"].value("QUANT_DTYPE_CAST", size_t{0});
  EXPECT_EQ(casts, 2u) << info.out;
  // Weights shrink to a quarter; biases keep their size.
  EXPECT_LT(json["parameters"]["bytes"].get<size_t>(), 50'000u);
  // Each scale of an .ms file is a table.
  EXPECT_LT(read(int8).size() * (format.to == ".ms" ? 5 : 6), read(floats).size() * 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolQuantizeFormats,
    testing::Values(Format{"minmax", ".onnx", ".onnx", "minmax", "\nGemm /f2/Gemm "},
                    Format{"percentile", ".onnx", ".onnx", "percentile", "\nGemm /f2/Gemm "},
                    Format{"mse", ".onnx", ".onnx", "mse", "\nGemm /f2/Gemm "},
                    Format{"ms", ".ms", ".ms", "minmax", "\nConv2DFusion Conv2DFusion-4 "},
                    Format{"tflite", ".tflite", ".tflite", "mse", "\nFULLY_CONNECTED "},
                    Format{"onnx_to_tflite", ".onnx", ".tflite", "minmax", "\nGemm /f2/Gemm "},
                    Format{"tflite_to_onnx", ".tflite", ".onnx", "percentile", "\nFULLY_CONNECTED "}),
    [](const auto& made) { return made.param.name; });

TEST(ToolQuantize, ConvertsToMindSporeLite) {
  const Folder samples, made;
  write_digits(samples, 16);
  const std::string floats = made.file("digits.ms"), int8 = made.file("int8.ms"),
                    direct = made.file("direct.ms");
  ASSERT_EQ(run_nnrt("convert " + kDigits + " -o " + floats).code, 0);
  ASSERT_EQ(quantize(floats, samples.path(), int8).code, 0);
  const Outcome outcome = quantize(kDigits, samples.path(), direct);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const std::string& path : {int8, direct})
    ASSERT_EQ(run_nnrt("run " + path + " --input random:5 --output " + path + ".npz").code, 0);
  EXPECT_EQ(read(direct + ".npz"), read(int8 + ".npz"));
}

TEST(ToolQuantize, LeavesDimensionsOpen) {
  const Folder samples, made;
  write_digits(samples, 2);
  for (const char* suffix : {".ms", ".onnx", ".tflite"}) {
    const std::string floats = made.file(std::string("digits") + suffix),
                      int8 = made.file(std::string("int8") + suffix);
    ASSERT_EQ(run_nnrt("convert " + kDigits + " -o " + floats).code, 0);
    const Outcome outcome = quantize(floats, samples.path(), int8, "--shape image=1,1,8,8");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(run_nnrt("info " + int8).out, "input image: FLOAT32 [?, 1, 8, 8]"));
  }
}

TEST(ToolQuantize, LeavesOutNodesByNameAndByOperator) {
  const Folder samples, made;
  write_digits(samples, 8);
  const Outcome outcome =
      quantize(kDigits, samples.path(), made.file("int8.onnx"), "--float Gemm --float /c1/Conv --samples 4");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "calibration: 4 samples"));
  EXPECT_TRUE(has(outcome.out, "quantized: 2 layers"));
  EXPECT_TRUE(fails(quantize(kDigits, samples.path(), made.file("int8.onnx"), "--float nobody"), 2,
                    "The model has no node or operator named (nobody)."));
}

TEST(ToolQuantize, JsonIsOneDocument) {
  const Folder samples, made;
  write_digits(samples, 8);
  const std::string int8 = made.file("int8.onnx");
  const auto json = json_of(quantize(kDigits, samples.path(), int8, "--float /c1/Conv --json"));
  EXPECT_EQ(json["model"], kDigits);
  EXPECT_EQ(json["device"], "CPU_NNRt");
  EXPECT_EQ(json["samples"], 8);
  EXPECT_EQ(json["quantized_layers"], 4);
  EXPECT_EQ(json["layers"].size(), 4u);
  EXPECT_GT(json["layers"][0]["sqnr_db"], 0.0);
  EXPECT_EQ(json["bytes_before"], std::filesystem::file_size(kDigits));
  EXPECT_GT(json["bytes_before"].get<size_t>(), 3 * json["bytes"].get<size_t>());
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(int8));
  EXPECT_EQ(json["outputs"][0]["classified"], 8);
  EXPECT_EQ(json["file"], int8);
}

TEST(ToolQuantize, CountsExternalData) {
  const Folder samples, made;
  const std::string model = made.file("model.onnx"), weights = made.file("weights.bin");
  write(model, read(NNRT_TEST_DATA "/models/external_product.onnx"));
  write(weights, std::string(48, '\x3f'));
  write(samples.file("x.bin"), std::string(16, '\x3f'));
  const auto json = json_of(quantize(model, samples.path(), made.file("int8.onnx"), "--json"));
  EXPECT_EQ(json["bytes_before"], read(model).size() + read(weights).size());
}

TEST(ToolQuantize, ReadsArraysRawElementsAndCases) {
  const Folder samples, made;
  ASSERT_EQ(run_nnrt("convert " + kDigits + " --input random:3 --shape image=1,1,8,8 -o " +
                     samples.file("random.jsonl"))
                .code,
            0);
  write(samples.file("zeros.bin"), std::string(64 * sizeof(float), '\0'));
  EXPECT_TRUE(prints(quantize(kDigits, samples.path(), made.file("int8.onnx")), "calibration: 2 samples"));
}

TEST(ToolQuantize, SkipsHiddenSamples) {
  const Folder samples, made;
  write_digits(samples, 2);
  std::filesystem::create_directory(samples.file(".cache"));
  write(samples.file(".cache/x.bin"), "?");
  write(samples.file("._x.bmp"), "?");
  EXPECT_TRUE(prints(quantize(kDigits, samples.path(), made.file("int8.onnx")), "calibration: 2 samples"));
}

TEST(ToolQuantize, NamesTheInputOfASampleWithNan) {
  const Folder samples, made;
  std::string bytes(64 * sizeof(float), '\0');
  bytes.replace(5 * sizeof(float), sizeof(float), std::string("\0\0\xc0\x7f", sizeof(float)));
  write(samples.file("x.bin"), bytes);
  EXPECT_TRUE(fails(quantize(kDigits, samples.path(), made.file("int8.onnx")), 2,
                    "Sample (x.bin) has NaN in input image at [0, 0, 0, 5]."));
}

TEST(ToolQuantize, ChecksTheOutputBeforeTheWork) {
  const Folder samples, made;
  write_digits(samples, 1);
  const Outcome outcome = quantize(kDigits, samples.path(), made.file("none/int8.onnx"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "int8.onnx) cannot be written: No such file or directory."));
  EXPECT_EQ(outcome.out, "");
}

TEST(ToolQuantize, DoesNotOverwriteItsModel) {
  const Folder samples, made;
  write_digits(samples, 1);
  const std::string model = made.file("model.onnx");
  write(model, read(kDigits));
  EXPECT_TRUE(
      fails(quantize(model, samples.path(), made.file("./model.onnx")), 2, "is the model file itself."));
  EXPECT_EQ(read(model), read(kDigits));
}

// digits.onnx as a file of opset 8, which has no ceil_mode in MaxPool.
TEST(ToolQuantize, ReadsOpset8) {
  const Folder samples, made;
  write_digits(samples, 2);
  std::string bytes = read(kDigits);
  const size_t opset = bytes.rfind("B\x02\x10\x0d");
  ASSERT_NE(opset, std::string::npos);
  bytes[opset + 3] = 8;
  write(made.file("opset8.onnx"), bytes);
  ASSERT_EQ(quantize(made.file("opset8.onnx"), samples.path(), made.file("int8.onnx")).code, 0);
  EXPECT_TRUE(has(read(made.file("int8.onnx")), "B\x02\x10\x12"));
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
  EXPECT_TRUE(has(outcome.err, GetParam().sentence));
  EXPECT_FALSE(std::filesystem::exists(output));
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolQuantizeRefusals,
    testing::Values(
        Refused{"NoFolder", kDigits, "/nowhere", "/nowhere) does not exist."},
        Refused{"File", kDigits, "/x.bin", "/x.bin) is a file."},
        Refused{"NoSample", kDigits, "/empty", "/empty) has no image (.png, .jpg, .webp, .bmp), no array"},
        Refused{"WrongShape", kDigits, "", "x.bin has 12 bytes, but input image"},
        Refused{"Quantized", NNRT_TEST_MODELS "/onnx/digits_int8.onnx", "", "The model is already quantized"},
        Refused{"NothingToQuantize", NNRT_TEST_DATA "/models/open_shape.onnx", "",
                "no FLOAT32 convolution or matrix product with constant weights"},
        Refused{"NoModelFile", NNRT_GOLDEN_CASES "/net_lenet.jsonl", "",
                "does not end in .onnx, .tflite or .ms."},
        Refused{"NoModel", "nowhere.onnx", "", "Model (nowhere.onnx) does not exist."}),
    [](const auto& made) { return made.param.name; });
