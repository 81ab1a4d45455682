// Models written as files and read back compute the same bytes.
#include "tests/import/inference_session.h"
#include "tools/import/load_network.h"
#include "tools/import/network/network_builder.h"
#include "tools/import/write_network.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tflite_generated.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;
using import::Network;

constexpr const char* kRefused = "onnx_digits_int8";  // has block-quantized weights

Bytes drawn(OH_NN_DataType type, size_t bytes) {
  std::mt19937 random(7);
  Bytes data(bytes);
  if (type == OH_NN_FLOAT32) {
    std::uniform_real_distribution<float> numbers(-1, 1);
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
      const float value = numbers(random);
      std::memcpy(data.data() + i, &value, 4);
    }
  } else if (type == OH_NN_INT8 || type == OH_NN_UINT8) {
    for (std::byte& byte : data) byte = static_cast<std::byte>(random());
  }
  return data;
}

// Unknown dimensions are 1.
Shape known(Shape shape) {
  std::ranges::replace(shape, -1, 1);
  return shape;
}

Result<std::vector<Value>> run(const Network& network) {
  std::vector<Value> inputs;
  std::vector<Shape> shapes;
  for (const import::TensorId id : network.inputs) {
    const import::Tensor& tensor = network.tensors[id];
    const Shape shape = known(tensor.shape);
    NNRT_ASSIGN(const size_t bytes, import::byte_count(tensor.type, shape));
    inputs.push_back({shape, drawn(tensor.type, bytes)});
  }
  for (const import::TensorId id : network.outputs) shapes.push_back(known(network.tensors[id].shape));
  return run_on_cpu(network, inputs, shapes);
}

constexpr const char* kFormats[] = {"x.ms", "x.onnx", "x.tflite"};

// `composed`: of operators that round in between.
void expect_same(const Network& network, const std::string& name, const char* format, bool composed = false) {
  const auto file = import::write_network(network, format);
  ASSERT_TRUE(file.ok()) << name << ": " << file.error().message;
  const auto read = import::load(file.value(), {});
  ASSERT_TRUE(read.ok()) << name << ": " << read.error().message;
  for (const auto& [ids, other] : {std::pair(&network.inputs, &read.value().inputs),
                                   std::pair(&network.outputs, &read.value().outputs)}) {
    ASSERT_EQ(ids->size(), other->size()) << name;
    for (size_t i = 0; i < ids->size(); ++i) {
      const import::Tensor &a = network.tensors[(*ids)[i]], &b = read.value().tensors[(*other)[i]];
      EXPECT_EQ(a.name, b.name) << name;
      EXPECT_EQ(a.type, b.type) << name;
      if (format != std::string("x.onnx")) {  // which has the bytes alone
        EXPECT_EQ(a.quantization, b.quantization) << name << ", " << a.name;
      }
    }
  }
  const auto want = run(network), got = run(read.value());
  ASSERT_TRUE(want.ok()) << name << ": " << want.error().message;
  ASSERT_TRUE(got.ok()) << name << ": " << got.error().message;
  for (size_t i = 0; i < want.value().size(); ++i) {
    EXPECT_EQ(want.value()[i].shape, got.value()[i].shape) << name;
    if (!composed) {
      EXPECT_EQ(want.value()[i].bytes, got.value()[i].bytes) << name << ", output " << i;
    }
    for (size_t at = 0; composed && at < want.value()[i].bytes.size(); at += sizeof(float)) {
      float a = 0, b = 0;
      std::memcpy(&a, want.value()[i].bytes.data() + at, sizeof a);
      std::memcpy(&b, got.value()[i].bytes.data() + at, sizeof b);
      ASSERT_NEAR(a, b, 1e-5) << name << ", output " << i;
    }
  }
}

class WrittenModel : public testing::TestWithParam<std::tuple<std::string, const char*>> {};

TEST_P(WrittenModel, ComputesTheSame) {
  const auto& [model, format] = GetParam();
  const auto network = import::load(fs::path(NNRT_KEPT_MODELS) / model).value();
  const bool composed = std::string(format) == "x.tflite" && model.find("instancenorm") != std::string::npos;
  expect_same(network, model, format, composed);
}

std::vector<std::string> kept_models() {
  std::ifstream file(fs::path(NNRT_KEPT_MODELS) / "index.json");
  std::vector<std::string> models;
  for (const auto& model : nlohmann::json::parse(file))
    if (model.at("name") != kRefused) models.push_back(model.at("file"));
  return models;
}

INSTANTIATE_TEST_SUITE_P(Kept, WrittenModel,
                         testing::Combine(testing::ValuesIn(kept_models()), testing::ValuesIn(kFormats)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param) + std::get<1>(test.param);
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
                               '_');
                           return name;
                         });

// [1, 2, 3, 2] doubled along height and width, or along dimensions 2 and 3.
TEST(NetworkWriter, WritesNearestResizes) {
  for (const Shape& to : {Shape{1, 4, 6, 2}, Shape{1, 2, 6, 4}}) {
    import::NetworkBuilder builder;
    import::Tensor x;
    x.name = "x";
    x.type = OH_NN_FLOAT32;
    x.shape = {1, 2, 3, 2};
    import::Tensor y = x;
    y.name = "y";
    y.shape = to;
    const import::TensorId input = builder.add(x), output = builder.add(y);
    const import::TensorId size = builder.vector(std::vector<int64_t>(to.begin(), to.end()));
    builder.operation(Op::resize, {input, size}, {output},
                      {{Attr::coordinate_mode, 4}, {Attr::nearest_mode, 2}});
    const Network network = std::move(builder).finish({input}, {output});
    for (const char* format : kFormats) expect_same(network, "resize", format);
  }
}

TEST(NetworkWriter, RefusesBlockQuantizedWeights) {
  const auto network = import::load(fs::path(NNRT_KEPT_MODELS) / "onnx/digits_int8.onnx").value();
  for (const auto& [format, sentence] :
       {std::pair("x.ms", "MindSpore Lite has no primitive for MATMUL_NBITS."),
        std::pair("x.onnx", "ONNX has no operator for MATMUL_NBITS."),
        std::pair("x.tflite", "TensorFlow Lite has no operator for MATMUL_NBITS.")}) {
    const auto file = import::write_network(network, format);
    ASSERT_FALSE(file.ok());
    EXPECT_NE(file.error().message.find(sentence), std::string::npos) << file.error().message;
  }
}

TEST(TfliteWriter, SetsOperatorVersions) {
  const auto network = import::load(fs::path(NNRT_KEPT_MODELS) / "tflite/digits_int8.tflite").value();
  const auto file = import::write_network(network, "x.tflite").value();
  namespace format = import::tflite::format;
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  flatbuffers::Verifier verifier(bytes, file.size());
  ASSERT_TRUE(format::VerifyModelBuffer(verifier));
  std::map<format::BuiltinOperator, int32_t> versions;
  for (const auto* code : *format::GetModel(bytes)->operator_numbers())
    versions[format::BuiltinOperator(code->builtin_code())] = code->version();
  EXPECT_EQ(versions[format::BuiltinOperator::CONV_2D], 3);
  EXPECT_EQ(versions[format::BuiltinOperator::FULLY_CONNECTED], 10);  // a scale per channel
  EXPECT_EQ(versions[format::BuiltinOperator::RESHAPE], 1);
}

TEST(NetworkWriter, NamesUnwritableOperations) {
  Network network;
  for (const char* name : {"x", "y"}) {
    network.tensors.emplace_back();
    network.tensors.back().name = name;
    network.tensors.back().type = OH_NN_FLOAT32;
    network.tensors.back().shape = {2, 3};
  }
  network.operations = {{Op::trilu, {0}, {1}, {}, "Trilu (node 0)"}};
  network.inputs = {0};
  network.outputs = {1};
  for (const auto& [format, sentence] :
       {std::pair(
            "x.ms",
            "The model has operators that an .ms file cannot express: Trilu (node 0): MindSpore Lite has no "
            "primitive for TRILU."),
        std::pair("x.tflite",
                  "The model has operators that a .tflite file cannot express: Trilu (node 0): TensorFlow "
                  "Lite has no "
                  "operator for TRILU.")}) {
    const auto file = import::write_network(network, format);
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().message, sentence);
  }
}

}  // namespace
}  // namespace nnrt::test
