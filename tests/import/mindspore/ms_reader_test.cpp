#include "tools/import/mindspore/ms_reader.h"

#include "core/base/bytes_of.h"
#include "tests/import/mindspore/flat_composer.h"
#include "tools/import/load_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace nnrt::test {
namespace {

constexpr int8_t kAbs = 1, kAdd = 5, kCustom = 42, kFullConnection = 67;  // 42: CustomPredict

using import::Network;
using import::Options;

std::string refusal(const Bytes& file, const Options& options = {}) {
  const auto network = import::read_mindspore(file, {}, options);
  return network.ok() ? "" : network.error().message;
}

Network read(const Bytes& file, const Options& options = {}, const std::filesystem::path& folder = {}) {
  return import::read_mindspore(file, folder, options).value();
}

FlatRow abs_root() {
  return ms_root({ms_node(kAbs, {}, {0}, {1})}, {ms_tensor("x", {2, 3}), ms_tensor("y", {})}, {0}, {1});
}

// x + constant, where the constant is as given.
FlatRow added(FlatRow constant, std::vector<int32_t> dims = {2}, int32_t quant_type = 4) {
  return ms_root({ms_node(kAdd, {}, {0, 1}, {2}, quant_type)},
                 {ms_tensor("x", std::move(dims)), std::move(constant), ms_tensor("y", {})}, {0}, {2});
}

// A full connection with these weights, which may be quantized.
FlatRow connected(FlatRow weights, const std::string& version = "MindSpore Lite 2.1.0") {
  return ms_root({ms_node(kFullConnection, {}, {0, 1}, {2}, 4)},
                 {ms_tensor("x", {1, 3}), std::move(weights), ms_tensor("y", {1, 2})}, {0}, {2}, version);
}

std::vector<float> floats_in(const Network& network, size_t count) {
  for (const import::Tensor& tensor : network.tensors) {
    if (!tensor.data || tensor.type != OH_NN_FLOAT32 || tensor.data->size() != count * 4) continue;
    std::vector<float> values(count);
    std::memcpy(values.data(), tensor.data->data(), count * 4);
    return values;
  }
  return {};
}

TEST(MsReader, ReadsNamesShapesAndLayers) {
  const Network network = read(flat_file(abs_root()));
  ASSERT_EQ(network.operations.size(), 1u);
  EXPECT_EQ(network.operations[0].type, Op::abs);
  EXPECT_EQ(network.operations[0].origin, "Abs (node 0, node)");
  ASSERT_EQ(network.layers.size(), 1u);
  EXPECT_EQ(network.layers[0].op, "Abs");
  EXPECT_EQ(network.tensors[network.inputs[0]].name, "x");
  EXPECT_EQ(network.tensors[network.outputs[0]].name, "y");
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{2, 3}));
}

TEST(MsReader, DetectsBothSchemasByContent) {
  const Bytes file = flat_file(abs_root());
  EXPECT_TRUE(import::is_mindspore(file));
  EXPECT_TRUE(import::load(file, {}).ok());
  // 59: Abs of the old schema.
  const FlatRow old =
      ms_root({ms_node(59, {}, {0}, {1})}, {ms_tensor("", {2}), ms_tensor("", {2})}, {0}, {1});
  const Bytes old_file = flat_file(old, "");
  EXPECT_TRUE(import::is_mindspore(old_file));
  const auto network = import::load(old_file, {}).value();
  EXPECT_EQ(network.operations[0].type, Op::abs);
  EXPECT_EQ(network.tensors[network.inputs[0]].name, "input_0");
  EXPECT_EQ(network.tensors[network.outputs[0]].name, "output_0");
  for (const size_t size : {size_t{0}, size_t{4}, size_t{8}, old_file.size() / 2})
    EXPECT_FALSE(import::is_mindspore(std::span(old_file).first(size)));
}

TEST(MsReader, SetsShapesOfInputs) {
  FlatRow root = abs_root();
  std::get<FlatRows>(root.fields[7])[0] = ms_tensor("x", {-1, 3});
  const Bytes file = flat_file(root);
  EXPECT_EQ(read(file).tensors[0].shape, (import::Shape{-1, 3}));
  const Network network = read(file, {.input_shapes = {{"x", {5, 3}}}});
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{5, 3}));
  EXPECT_NE(refusal(file, {.input_shapes = {{"z", {5, 3}}}}).find("no input of the given name (z)"),
            std::string::npos);
}

TEST(MsReader, IgnoresInnerDimensions) {
  FlatRow root = abs_root();
  FlatRows& tensors = std::get<FlatRows>(root.fields[7]);
  tensors[1] = ms_tensor("y", {7, 9, 11});
  EXPECT_EQ(read(flat_file(root)).tensors[1].shape, (import::Shape{2, 3}));
}

TEST(MsReader, DropsNodesBehindTheOutputs) {
  FlatRow root = ms_root({ms_node(kAbs, {}, {0}, {1}), ms_node(3, {}, {1, 0}, {2})},  // 3: ActivationGrad
                         {ms_tensor("x", {2}), ms_tensor("y", {2}), ms_tensor("z", {2})}, {0}, {1});
  EXPECT_EQ(read(flat_file(root)).operations.size(), 1u);
  root.fields[4] = std::vector<int32_t>{2};
  EXPECT_NE(refusal(flat_file(root)).find("ActivationGrad (node 1, node): ActivationGrad is not supported"),
            std::string::npos);
}

TEST(MsReader, NamesEveryRefusedNode) {
  const FlatRow root = ms_root({ms_node(kCustom, {}, {0}, {1}), ms_node(int8_t(-1), {}, {1}, {2})},
                               {ms_tensor("x", {2}), ms_tensor("y", {2}), ms_tensor("z", {2})}, {0}, {2});
  const std::string why = refusal(flat_file(root));
  EXPECT_NE(why.find("CustomPredict (node 0"), std::string::npos) << why;
  EXPECT_NE(why.find("Primitive (255) is unknown"), std::string::npos) << why;
}

TEST(MsReader, RejectsControlFlowAndEncryption) {
  FlatRow root = abs_root();
  root.fields[8] = FlatRows{{}, {}};
  EXPECT_EQ(refusal(flat_file(root)), "The file has 2 subgraphs: control flow is not supported.");
  root = abs_root();
  root.fields[9] = true;
  EXPECT_EQ(refusal(flat_file(root)), "The file is obfuscated.");
  root.fields[9] = false;
  for (const int id : {10, 11, 12}) {
    FlatRow secret = root;
    secret.fields[id] = id == 10 ? FlatField(true) : FlatField(Bytes(3));
    EXPECT_EQ(refusal(flat_file(secret)), "The file is encrypted or obfuscated.");
  }
}

TEST(MsReader, RefusesInconsistentGraphs) {
  const auto with = [](int id, FlatField value) {
    FlatRow root = abs_root();
    root.fields[id] = std::move(value);
    return refusal(flat_file(root));
  };
  EXPECT_EQ(with(3, std::vector<int32_t>{2}),
            "An input of the graph refers to a tensor that does not exist.");
  EXPECT_EQ(with(4, std::vector<int32_t>{-1}),
            "An output of the graph refers to a tensor that does not exist.");
  EXPECT_EQ(with(3, std::vector<int32_t>{}), "The graph has no inputs or no outputs.");
  EXPECT_EQ(with(3, std::vector<int32_t>{0, 0}), "An input of the graph is given twice.");
  EXPECT_EQ(with(6, FlatRows{}), "The file has no nodes or no tensors.");
  EXPECT_EQ(with(6, FlatRows{ms_node(kAbs, {}, {0}, {9})}),
            "Node \"node\" refers to a tensor that does not exist.");
  EXPECT_EQ(with(6, FlatRows{ms_node(kAbs, {}, {0}, {0})}), "No node writes an output of the graph.");
  EXPECT_EQ(with(6, FlatRows{ms_node(kAbs, {}, {1}, {1})}),
            "Node \"node\" reads a tensor before it is written.");
  EXPECT_EQ(with(6, FlatRows{ms_node(kAbs, {}, {0}, {1}), ms_node(kAbs, {}, {0}, {1})}),
            "Node \"node\" writes a tensor that is already written.");
}

TEST(MsReader, DequantizesWeightsPerChannel) {
  FlatRow weights = ms_constant({2, 3}, 32, bytes_of(std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  FlatRow corrected = ms_quant(0.25, 0);
  corrected.fields[7] = 2.0f;
  corrected.fields[8] = 10.0f;
  weights.fields[7] = FlatRows{ms_quant(0.5, 1), corrected};
  EXPECT_EQ(floats_in(read(flat_file(connected(weights))), 6),
            (std::vector<float>{0, 0.5f, 1, 12, 12.5f, 13}));
}

TEST(MsReader, UnpacksBits) {
  // Codes 0, 1, 2, 3, 3, 0 of two bits are -2, -1, 0, 1, 1, -2.
  FlatRow weights = ms_constant({2, 3}, 32, Bytes{std::byte{0xe4}, std::byte{0x03}});
  weights.fields[7] = FlatRows{ms_quant(1, 0, 2)};
  EXPECT_EQ(floats_in(read(flat_file(connected(weights))), 6), (std::vector<float>{-2, -1, 0, 1, 1, -2}));
  weights.fields[6] = Bytes{std::byte{0xe4}};
  EXPECT_EQ(refusal(flat_file(connected(weights))),
            "The compressed weights end early. While reading constant \"constant\".");
  weights.fields[11] = int32_t{77};
  EXPECT_NE(refusal(flat_file(connected(weights))).find("Compression (77) is unknown"), std::string::npos);
  weights.fields[11] = int32_t{0};
  weights.fields[10] = true;
  EXPECT_EQ(refusal(flat_file(connected(weights))),
            "Weights in Huffman codes are not supported. While reading constant \"constant\".");
}

TEST(MsReader, WidensHalfWeights) {
  const FlatRow half = ms_constant({2}, 42, bytes_of(std::vector<uint16_t>{0x3c00, 0xc000}));
  EXPECT_EQ(floats_in(read(flat_file(added(half, {2}, 0))), 2), (std::vector<float>{1, -2}));
}

class ExternalDataTest : public testing::Test {
 protected:
  ExternalDataTest() : folder_(std::filesystem::path(testing::TempDir()) / "ms_external") {
    std::filesystem::create_directories(folder_);
    const Bytes bytes = bytes_of(std::vector<float>{9, 1, 2});
    std::ofstream(folder_ / "data.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  }
  ~ExternalDataTest() override { std::filesystem::remove_all(folder_); }

  Bytes file(const std::string& location, int64_t offset, int64_t length) {
    FlatRow constant = ms_tensor("c", {2});
    constant.fields[0] = int32_t{0};
    constant.fields[12] = FlatRows{FlatRow{{{1, location}, {2, offset}, {3, length}}}};
    return flat_file(added(constant, {2}, 0));
  }
  std::string why(const std::string& location, int64_t offset, int64_t length) {
    const auto network = import::read_mindspore(file(location, offset, length), folder_, {});
    return network.ok() ? "" : network.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(ExternalDataTest, IsReadBesideTheModel) {
  for (const int64_t length : {int64_t{-1}, int64_t{8}, int64_t{100}})
    EXPECT_EQ(floats_in(read(file("data.bin", 4, length), {}, folder_), 2), (std::vector<float>{1, 2}));
  EXPECT_NE(why("data.bin", 8, -1).find("exceed the file"), std::string::npos);
  EXPECT_NE(why("data.bin", -4, -1).find("exceed the file"), std::string::npos);
  EXPECT_NE(why("data.bin", 4, 7).find("is below 8"), std::string::npos);
  EXPECT_NE(why("other.bin", 0, -1).find("cannot be read"), std::string::npos);
  EXPECT_NE(why("/etc/hostname", 0, -1).find("not inside"), std::string::npos);
  EXPECT_NE(why("../../etc/hostname", 0, -1).find("."), std::string::npos);
  EXPECT_NE(refusal(file("data.bin", 4, -1)).find("has no folder"), std::string::npos);
}

// Replaces each number of the file by a huge one: reading fails or succeeds, with little memory and in
// bounds.
TEST(MsReader, SurvivesHugeNumbersInEveryPlace) {
  FlatRow weights = ms_constant({2, 3}, 32, Bytes{std::byte{0xe4}, std::byte{0x03}});
  weights.fields[7] = FlatRows{ms_quant(1, 0, 2)};
  const Bytes file = flat_file(connected(weights));
  for (const uint32_t value : {0x80000000u, 0x7fffffffu, 0xffffffffu, 0x7ffffff8u}) {
    for (size_t at = 0; at + 4 <= file.size(); ++at) {
      Bytes damaged = file;
      std::memcpy(damaged.data() + at, &value, sizeof value);
      static_cast<void>(import::load(damaged, {}));
    }
  }
  for (size_t size = 0; size < file.size(); ++size)
    static_cast<void>(import::read_mindspore(std::span(file).first(size), {}, {}));
}

TEST(MsReader, ConvertsOldConvolutions) {
  // Conv2D of the old schema: kernel width before height, pad mode 1 is same.
  const FlatRow conv{
      {{1, 1}, {4, 2}, {5, 3}, {6, 1}, {7, 2}, {8, int8_t{1}}, {13, 1}, {14, 1}, {16, int8_t{3}}}};
  const FlatRow root = ms_root(
      {ms_node(4, conv, {0, 1}, {2})},
      {ms_tensor("", {1, 5, 5, 1}), ms_constant({1, 3, 2, 1}, 43, Bytes(24)), ms_tensor("", {1, 3, 5, 1})},
      {0}, {2});
  const Network network = read(flat_file(root, ""));
  ASSERT_EQ(network.operations.size(), 1u);
  EXPECT_EQ(network.operations[0].type, Op::conv2d);
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{1, 3, 5, 1}));
}

TEST(MsReader, RefusesOldPrimitivesByName) {
  const FlatRow root =
      ms_root({ms_node(74, {}, {0}, {1})}, {ms_tensor("", {2}), ms_tensor("", {2})}, {0}, {1});
  EXPECT_NE(refusal(flat_file(root, "")).find("Upsample (74 of the old schema) is not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace nnrt::test
