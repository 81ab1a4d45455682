#include "tools/import/onnx/messages/onnx_payloads.h"

#include "tests/import/onnx/onnx_model_writer.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <numeric>

namespace nnrt {
namespace {

using onnx_file::Payload;
using test::OnnxModel;

constexpr int64_t kCount = 2048;  // 8 KiB of floats

std::vector<float> numbers(float first = 0) {
  std::vector<float> values(kCount);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::string raw(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

ByteView bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Result<onnx_file::ModelFile> read(const std::string& file) {
  return onnx_file::read_model(*source_of(bytes_of(file)));
}

onnx_file::TensorProto& set_shape(onnx_file::TensorProto& tensor, const std::string& name) {
  tensor.set_name(name);
  tensor.set_data_type(OnnxModel::kFloat32);
  tensor.add_dims(kCount);
  return tensor;
}

OnnxModel one_constant() { return OnnxModel().input("x", {kCount}).node("Add", {"x", "w"}).output("y"); }

// The floats of the only large constant.
std::vector<float> read_floats(const std::string& file) {
  const auto network = import::read_onnx(bytes_of(file), {}, {}).value();
  for (const import::Tensor& tensor : network.tensors) {
    if (!tensor.data || tensor.data->size() != kCount * sizeof(float)) continue;
    std::vector<float> values(kCount);
    std::memcpy(values.data(), tensor.data->data(), tensor.data->size());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data->data()) % 64, 0u);
    return values;
  }
  ADD_FAILURE() << "There is no such constant.";
  return {};
}

TEST(OnnxPayloads, StayInTheFile) {
  const std::string file = one_constant().floats("w", {kCount}, numbers()).file.serialize();
  const auto parts = read(file).value();
  ASSERT_EQ(parts.payloads.size(), 1u);
  const Payload& payload = parts.payloads[0];
  EXPECT_EQ(file.substr(payload.offset, payload.size), raw(numbers()));
  onnx_file::ModelProto rest = parts.model;
  EXPECT_LT(rest.byte_size(), size_t{100});
  ASSERT_EQ(rest.graph().initializer_size(), 1);
  EXPECT_TRUE(rest.graph().initializer(0).has_payload());
  EXPECT_EQ(rest.graph().initializer(0).payload(), 0u);
  EXPECT_FALSE(rest.graph().initializer(0).has_raw_data());
  rest.mutable_graph()->mutable_initializer(0)->set_raw_data(raw(numbers()));
  EXPECT_EQ(rest.serialize(), file);
}

// Payloads begin at any offset of the file, and are aligned in memory.
TEST(OnnxPayloads, AreReadFromAnyOffset) {
  for (size_t shift = 0; shift < 5; ++shift) {
    OnnxModel model = one_constant().floats("w", {kCount}, numbers());
    model.graph().set_name(std::string(shift, 'n'));
    EXPECT_EQ(read_floats(model.file.serialize()), numbers()) << shift;
  }
}

TEST(OnnxPayloads, MayBeTypedData) {
  OnnxModel model = one_constant();
  onnx_file::TensorProto& w = set_shape(*model.graph().add_initializer(), "w");
  for (const float value : numbers()) w.add_float_data(value);
  const std::string file = model.file.serialize();
  ASSERT_EQ(read(file).value().payloads.size(), 1u);
  EXPECT_EQ(read_floats(file), numbers());
  w.set_data_type(OnnxModel::kInt32);  // its data would be in int32_data
  EXPECT_FALSE(model.read().ok());
}

TEST(OnnxPayloads, MayBeConstantsOfNodesAndBodies) {
  OnnxModel model = OnnxModel().input("x", {kCount}).output("y");
  onnx_file::NodeProto& constant = *model.graph().add_node();
  constant.set_op_type("Constant");
  constant.add_output("w");
  onnx_file::AttributeProto& value = *constant.add_attribute();
  value.set_name("value");
  value.set_type(4);
  set_shape(*value.mutable_t(), "w").set_raw_data(raw(numbers()));
  model.node("Add", {"x", "w"});
  EXPECT_EQ(read_floats(model.file.serialize()), numbers());

  onnx_file::GraphProto& body = *constant.add_attribute()->mutable_g();
  set_shape(*body.add_initializer(), "v").set_raw_data(raw(numbers(1)));
  onnx_file::AttributeProto& inner = *body.add_node()->add_attribute();
  set_shape(*inner.mutable_t(), "u").set_raw_data(raw(numbers(2)));
  set_shape(*model.graph().add_sparse_initializer()->mutable_values(), "s").set_raw_data(raw(numbers(3)));
  *model.file.add_functions()->add_node()->add_attribute() = value;
  *model.file.mutable_functions(0)->add_attribute_proto() = value;
  const std::string file = model.file.serialize();
  const auto parts = read(file).value();
  EXPECT_EQ(parts.payloads.size(), 6u);
  EXPECT_LT(parts.model.byte_size(), size_t{1024});
}

// Fields of one message that occur twice are joined.
TEST(OnnxPayloads, InSeveralFieldsAreJoined) {
  OnnxModel model = one_constant();
  const std::string empty = model.file.serialize();
  onnx_file::TensorProto w;
  set_shape(w, "w").set_raw_data(raw(numbers(9)));
  const auto field = [](int number, const std::string& contents) {
    std::string text(1, static_cast<char>(number << 3 | 2));
    for (size_t size = contents.size();; size >>= 7) {
      text.push_back(static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80 : 0)));
      if (size < 0x80) return text + contents;
    }
  };
  const std::string twice = w.serialize() + field(9, raw(numbers()));
  const std::string file = empty + field(7, field(5, twice));
  EXPECT_FALSE(read(file).value().model.graph().initializer(0).has_payload());
  EXPECT_EQ(read_floats(file), numbers());
  // So is a message that occurs twice, here with its dimensions.
  const std::string attribute = field(5, w.serialize()) + field(5, w.serialize());
  const std::string node = field(4, "Constant") + field(2, "c") + field(5, field(1, "value") + attribute);
  const auto joined = import::read_onnx(bytes_of(empty + field(7, field(1, node))), {}, {});
  ASSERT_FALSE(joined.ok());
}

TEST(OnnxPayloads, AreRefusedIfTruncated) {
  const std::string file = one_constant().floats("w", {kCount}, numbers()).file.serialize();
  for (size_t size = 0; size < file.size(); size += size < 200 || size + 200 > file.size() ? 1 : 61) {
    EXPECT_FALSE(import::read_onnx(bytes_of(file).first(size), {}, {}).ok()) << size;
  }
}

TEST(OnnxPayloads, DeepNestingIsRefused) {
  OnnxModel model = one_constant().floats("w", {kCount}, numbers());
  onnx_file::GraphProto* graph = &model.graph();
  for (int i = 0; i < 200; ++i) graph = graph->add_node()->add_attribute()->mutable_g();
  EXPECT_FALSE(read(model.file.serialize()).ok());
}

// Data of several MiB are read by several threads.
class ReadAhead : public testing::Test {
 protected:
  static constexpr int64_t kElements = 3 << 18;  // 3 MiB of floats

  ReadAhead() : values_(kElements) {
    std::iota(values_.begin(), values_.end(), 0.0f);
    std::ofstream(folder_.file("data"), std::ios::binary) << raw(values_);
  }
  // y = x + inline + external + external, with the external file read at `offset`.
  OnnxModel model(const std::string& offset) const {
    OnnxModel made = OnnxModel().input("x", {kElements}).floats("inline", {kElements}, values_);
    for (const char* const name : {"a", "b"}) {
      onnx_file::TensorProto& tensor = made.constant(name, OnnxModel::kFloat32, {kElements}, "");
      tensor.clear_raw_data();
      tensor.set_data_location(1);
      for (const auto& [key, value] :
           {std::pair<std::string, std::string>("location", "data"), {"offset", offset}}) {
        onnx_file::Entry& entry = *tensor.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
      }
    }
    return made.node("Add", {"x", "inline"}, {"s"})
        .node("Add", {"s", "a"}, {"t"})
        .node("Add", {"t", "b"})
        .output("y");
  }

  test::TemporaryFolder folder_;
  std::vector<float> values_;
};

TEST_F(ReadAhead, InTheModelAndBesideIt) {
  const auto network = model("0").read({}, folder_.path()).value();
  std::vector<const std::byte*> places;
  for (const import::Tensor& tensor : network.tensors) {
    if (!tensor.data) continue;
    ASSERT_EQ(tensor.data->size(), kElements * sizeof(float));
    EXPECT_EQ(std::memcmp(tensor.data->data(), values_.data(), tensor.data->size()), 0) << tensor.name;
    places.push_back(tensor.data->data());
  }
  ASSERT_EQ(places.size(), 3u);
  EXPECT_NE(places[0], places[1]);
  EXPECT_EQ(places[1], places[2]);  // the same part of the file
}

TEST_F(ReadAhead, LeavesErrorsToTheRead) {
  for (const char* const offset : {"4", "99999999999", "none"}) {
    const auto network = model(offset).read({}, folder_.path());
    ASSERT_FALSE(network.ok()) << offset;
    EXPECT_EQ(network.error().code, Code::invalid_file);
    EXPECT_NE(network.error().message.find("reading tensor a"), std::string::npos) << network.error().message;
  }
}

}  // namespace
}  // namespace nnrt
