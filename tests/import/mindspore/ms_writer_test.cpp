// Models written as .ms files and read back compute the same bytes.
#include "tools/import/mindspore/writer/ms_writer.h"

#include "tests/import/inference_session.h"
#include "tests/import/mindspore/flat_composer.h"
#include "tools/import/load_network.h"
#include "tools/import/mindspore/ms_reader.h"
#include "tools/import/network/network_check.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
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
  NNRT_ASSIGN(Session session, Session::open(network, OH_NN_CPU));
  std::vector<Value> inputs;
  std::vector<Shape> shapes;
  for (const import::TensorId id : network.inputs) {
    const import::Tensor& tensor = network.tensors[id];
    const Shape shape = known(tensor.shape);
    NNRT_ASSIGN(const size_t bytes, import::byte_count(tensor.type, shape));
    inputs.push_back({shape, drawn(tensor.type, bytes)});
  }
  for (const import::TensorId id : network.outputs) shapes.push_back(known(network.tensors[id].shape));
  return session.run(inputs, shapes);
}

void expect_same(const Network& network, const std::string& name) {
  const auto file = import::write_mindspore(network);
  ASSERT_TRUE(file.ok()) << name << ": " << file.error().message;
  ASSERT_TRUE(import::is_mindspore(file.value()));
  const auto read = import::read_mindspore(file.value(), {}, {});
  ASSERT_TRUE(read.ok()) << name << ": " << read.error().message;
  for (const auto& [ids, other] : {std::pair(&network.inputs, &read.value().inputs),
                                   std::pair(&network.outputs, &read.value().outputs)}) {
    ASSERT_EQ(ids->size(), other->size()) << name;
    for (size_t i = 0; i < ids->size(); ++i) {
      const import::Tensor &a = network.tensors[(*ids)[i]], &b = read.value().tensors[(*other)[i]];
      EXPECT_EQ(a.name, b.name) << name;
      EXPECT_EQ(a.type, b.type) << name;
      EXPECT_EQ(a.quantization, b.quantization) << name << ", " << a.name;
    }
  }
  const auto want = run(network), got = run(read.value());
  ASSERT_TRUE(want.ok()) << name << ": " << want.error().message;
  ASSERT_TRUE(got.ok()) << name << ": " << got.error().message;
  for (size_t i = 0; i < want.value().size(); ++i) {
    EXPECT_EQ(want.value()[i].shape, got.value()[i].shape) << name;
    EXPECT_EQ(want.value()[i].bytes, got.value()[i].bytes) << name << ", output " << i;
  }
}

class WrittenModel : public testing::TestWithParam<std::string> {};

TEST_P(WrittenModel, ComputesTheSame) {
  const auto network = import::load(fs::path(NNRT_KEPT_MODELS) / GetParam());
  ASSERT_TRUE(network.ok()) << network.error().message;
  expect_same(network.value(), GetParam());
}

std::vector<std::string> kept_models() {
  std::ifstream file(fs::path(NNRT_KEPT_MODELS) / "index.json");
  std::vector<std::string> models;
  for (const auto& model : nlohmann::json::parse(file))
    if (model.at("name") != kRefused) models.push_back(model.at("file"));
  return models;
}

INSTANTIATE_TEST_SUITE_P(Kept, WrittenModel, testing::ValuesIn(kept_models()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(MsWriter, RefusesBlockQuantizedWeights) {
  const auto network = import::load(fs::path(NNRT_KEPT_MODELS) / "onnx/digits_int8.onnx");
  ASSERT_TRUE(network.ok()) << network.error().message;
  const auto file = import::write_mindspore(network.value());
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("MindSpore Lite has no primitive for MATMUL_NBITS."),
            std::string::npos);
}

TEST(MsWriter, NamesEveryOperationThatItCannotExpress) {
  Network network;
  for (const char* name : {"x", "y"}) {
    network.tensors.emplace_back();
    network.tensors.back().name = name;
    network.tensors.back().type = OH_NN_FLOAT32;
    network.tensors.back().shape = {2, 3};
  }
  network.operations = {{static_cast<OH_NN_OperationType>(1000), {0}, {1}, {}, "Sign (node 0)"}};
  network.inputs = {0};
  network.outputs = {1};
  const auto file = import::write_mindspore(network);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message,
            "The model has operators that an .ms file cannot express: Sign (node 0): MindSpore Lite has no "
            "primitive for SIGN.");
}

}  // namespace
}  // namespace nnrt::test
