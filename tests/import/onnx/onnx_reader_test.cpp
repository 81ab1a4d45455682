#include "tests/import/onnx/onnx_model_writer.h"
#include "tests/support/temporary_folder.h"
#include "tools/import/network/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace nnrt::test {
namespace {

OnnxModel relu() { return OnnxModel().input("x", {2, 3}).node("Relu", {"x"}).output("y"); }

TEST(OnnxReader, KeepsTensorNames) {
  const import::Network network = relu().network();
  EXPECT_EQ(operations(network), std::vector{Op::relu});
  EXPECT_EQ(network.tensors[network.inputs[0]].name, "x");
  EXPECT_EQ(network.tensors[network.outputs[0]].name, "y");
  EXPECT_EQ(network.operations[0].origin, "Relu (node 0)");
}

// An unnamed node gets the name of its output.
TEST(OnnxReader, RecordsSourceNodes) {
  OnnxModel model = OnnxModel().input("x", {2, 3}).node("Neg", {"x"}, {"n"});
  model.file.mutable_graph()->mutable_node(0)->set_name("/neg");
  const import::Network network =
      model.node("HardSwish", {"n"}, {"h"}).node("Abs", {"h"}).output("y").network();
  std::vector<std::string> labels;
  for (const import::Operation& operation : network.operations)
    labels.push_back(import::label_of(network.layers.at(operation.layer.value())));
  EXPECT_EQ(labels.front(), "Neg /neg");
  EXPECT_EQ(labels.at(1), "HardSwish h");
  EXPECT_EQ(labels.back(), "Abs y");
  const import::TensorId between = network.operations[0].outputs[0];
  EXPECT_EQ(network.tensors[between].name, "n");
}

TEST(OnnxReader, NamesUnsupportedOperators) {
  OnnxModel model = relu();
  model.node("Multinomial", {"y"}, {"a"}).node("Bernoulli", {"a"}, {"b"}).output("b");
  const auto network = model.read();
  EXPECT_EQ(message(network),
            "The model has operators that OH_NN cannot express: Multinomial (node 1), Bernoulli (node 2).");
}

TEST(OnnxReader, IgnoresUnusedNodes) { EXPECT_TRUE(relu().node("Bernoulli", {"x"}, {"unread"}).read().ok()); }

TEST(OnnxReader, NamesThePlaceOfAnError) {
  const auto network =
      OnnxModel().input("x", {2, 3}).node("Softmax", {"x"}).with("axis", 2).output("y").read();
  EXPECT_EQ(message(network), "Axis (2) is outside [-2, 2). While converting Softmax (node 0).");
}

TEST(OnnxReader, FillsOpenDimensionsAlone) {
  OnnxModel model = OnnxModel().input("x", {-1, 3, -1}).node("Neg", {"x"}).output("y");
  import::Options options;
  options.open_dimensions = {{"", {5, 4, 6}}, {"unknown", {1}}};
  const import::Network filled = model.network(options);
  EXPECT_EQ(filled.tensors[filled.inputs[0]].shape, (import::Shape{5, 3, 6}));
  options.open_dimensions = {{"x", {5, 4}}};
  const import::Network other_rank = model.network(options);
  EXPECT_EQ(other_rank.tensors[other_rank.inputs[0]].shape, (import::Shape{-1, 3, -1}));
}

TEST(OnnxReader, RefusesEveryTruncatedFile) {
  const std::string bytes = relu().floats("w", {2}, {1, 2}).file.serialize();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(import::read_onnx(std::as_bytes(std::span(bytes)).first(size), {}, {}).ok()) << size;
  }
}

TEST(OnnxReader, RejectsCycles) {
  const auto network = OnnxModel().node("Neg", {"a"}, {"b"}).node("Neg", {"b"}, {"a"}).output("b").read();
  EXPECT_EQ(message(network), "The graph has a cycle: Neg (node 0).");
}

TEST(OnnxReader, TakesNodesInAnyOrder) {
  const import::Network network =
      OnnxModel().input("x", {2}).node("Neg", {"a"}).node("Abs", {"x"}, {"a"}).output("y").network();
  EXPECT_EQ(operations(network), (std::vector{Op::abs, Op::neg}));
}

TEST(OnnxReader, RefusesAValueWithTwoSources) {
  const auto network = relu().node("Neg", {"x"}).read();
  EXPECT_EQ(message(network), "The value y is defined twice: Relu (node 0) and Neg (node 1).");
}

TEST(OnnxReader, RefusesAValueWithoutSource) {
  const auto network = OnnxModel().input("x", {2}).node("Add", {"x", "w"}).output("y").read();
  EXPECT_EQ(message(network), "The value w is not defined. While converting Add (node 0).");
}

TEST(OnnxReader, RejectsUnknownOpsets) {
  const auto network = OnnxModel(0).input("x", {2}).node("Relu", {"x"}).output("y").read();
  EXPECT_EQ(message(network), "The opset (0) is outside [1, 27].");
}

TEST(OnnxReader, NeedsAnOpsetUnlessTheFormatHadNone) {
  OnnxModel model = OnnxModel().input("x", {2}).node("Relu", {"x"}).output("y");
  *model.file.mutable_opset_import() = {};
  EXPECT_EQ(message(model.read()), "The file declares no opset.");
  model.file.set_ir_version(2);
  EXPECT_TRUE(model.read().ok()) << message(model.read());
}

TEST(OnnxReader, ReadsOldOpsets) {
  const auto same = OnnxModel(1).input("x", {2}).node("Softplus", {"x"}).output("y").read();
  EXPECT_TRUE(same.ok()) << message(same);
  const auto other = OnnxModel(3).input("x", {2}).node("Concat", {"x", "x"}).output("y").read();
  EXPECT_EQ(message(other),
            "Concat as it was before opset 4 is not supported. While converting Concat (node 0).");
}

TEST(OnnxReader, RejectsShortData) {
  OnnxModel model = OnnxModel().input("x", {2}).node("Add", {"x", "w"}).output("y");
  model.constant("w", OnnxModel::kFloat32, {2}, "1234567");
  EXPECT_EQ(message(model.read()), "Shape [2] takes 8 bytes, not 7. While reading tensor w.");
}

TEST(OnnxReader, RejectsHugeShapes) {
  for (const Dimensions& shape :
       {Dimensions{1 << 30, 1 << 30, 1 << 30}, Dimensions{-1}, Dimensions{int64_t{1} << 40}}) {
    OnnxModel model = OnnxModel().input("x", {2}).node("Add", {"x", "w"}).output("y");
    model.constant("w", OnnxModel::kFloat32, shape, "");
    EXPECT_EQ(model.read().error().code, Code::invalid_file);
  }
}

TEST(OnnxReader, RejectsHugeConstantOfShape) {
  const auto network =
      OnnxModel().integers("s", {1 << 20, 1 << 20}).node("ConstantOfShape", {"s"}).output("y").read();
  EXPECT_FALSE(network.ok());
}

TEST(OnnxReader, TakesShapesOfInputsFromTheCaller) {
  OnnxModel model = OnnxModel().input("x", {-1, 3}).node("Relu", {"x"}).output("y");
  const import::Network network = model.network({.input_shapes = {{"x", {5, 3}}}});
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{5, 3}));
  EXPECT_EQ(message(model.read({.input_shapes = {{"x", {5}}}})),
            "The rank of the given shape [5] of input x is not that of [-1, 3].");
}

TEST(OnnxReader, CopiesInputsToOutputs) {
  const import::Network network =
      OnnxModel().input("x", {2, 3}).node("Identity", {"x"}).output("y").network();
  EXPECT_EQ(operations(network), std::vector{Op::reshape});
}

TEST(OnnxReader, LimitsTotalConstantBytes) {
  OnnxModel model = OnnxModel().integers("s", {1 << 22});
  for (int i = 0; i < 100; ++i) {  // 16 MiB each
    const std::string name = "c" + std::to_string(i);
    model.node("ConstantOfShape", {"s"}, {name}).output(name);
  }
  const auto network = model.read();
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().code, Code::unsupported);
  EXPECT_NE(message(network).find("The file's constants take "), std::string::npos) << message(network);
}

TEST(OnnxReader, RuntimeErrorsAreFileErrors) {
  OnnxModel model =
      OnnxModel().input("x", {2, 3}).integers("s", {4, 5}).node("Reshape", {"x", "s"}).output("y");
  EXPECT_EQ(model.read().error().code, Code::invalid_file);
}

TEST(OnnxReader, RefusesToQuantizeToWideIntegers) {
  OnnxModel model = OnnxModel().input("x", {2}).floats("s", {}, {0.5f});
  model.constant("z", OnnxModel::kInt32, {}, std::string(4, '\0'));
  model.node("QuantizeLinear", {"x", "s", "z"}).output("y");
  EXPECT_EQ(message(model.read()),
            "Quantized values of type INT32 are not supported. While converting QuantizeLinear (node 0).");
}

TEST(OnnxReader, RejectsDynamicRank) {
  OnnxModel reshaped = OnnxModel().input("x", {2, 3}).input("s", {-1}, OnnxModel::kInt64);
  reshaped.node("Reshape", {"x", "s"}).output("y");
  EXPECT_EQ(message(reshaped.read()),
            "The rank of the result is not known: the shape (s) is itself of shape [-1]. "
            "While converting Reshape (node 0).");
  EXPECT_TRUE(reshaped.read({.input_shapes = {{"s", {3}}}}).ok());
  OnnxModel filled = OnnxModel().input("s", {-1}, OnnxModel::kInt64);
  filled.node("ConstantOfShape", {"s"}).output("y");
  EXPECT_FALSE(filled.read().ok());
}

TEST(OnnxReader, RefusesShapesOfOtherTypesThanIndices) {
  constexpr int kInt8 = 3;
  OnnxModel model = OnnxModel().input("x", {2, 3}).input("s", {2}, kInt8);
  EXPECT_EQ(message(model.node("Expand", {"x", "s"}).output("y").read()),
            "The shape (s) is INT8, not INT64. While converting Expand (node 0).");
}

TEST(OnnxReader, RequiresShapeOfUnrankedInput) {
  OnnxModel model = OnnxModel().input("x", {}).node("Relu", {"x"}).output("y");
  EXPECT_TRUE(model.read().ok());  // a scalar
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(message(model.read()), "The file does not give the rank of input x: its shape must be given.");
  EXPECT_TRUE(model.read({.input_shapes = {{"x", {2, 3}}}}).ok());
}

TEST(OnnxReader, OutputsMayBeInputsAndConstants) {
  OnnxModel model = OnnxModel().input("x", {2}).floats("c", {3}, {7, 8, 9}).output("x").output("c");
  const import::Network network = model.network();
  EXPECT_EQ(operations(network), (std::vector{Op::reshape, Op::reshape}));
}

TEST(OnnxReader, ReportsInvalidCallerShapes) {
  OnnxModel model = OnnxModel().input("x", {-1, 3}).node("Relu", {"x"}).output("y");
  EXPECT_EQ(model.read({.input_shapes = {{"x", {5}}}}).error().code, Code::invalid_parameter);
  EXPECT_EQ(model.read({.input_shapes = {{"x", {-2, 3}}}}).error().code, Code::invalid_parameter);
}

TEST(OnnxReader, ZeroInCallerShapeIsDynamic) {
  OnnxModel model = OnnxModel().input("x", {-1, 3}).node("Relu", {"x"}).output("y");
  const import::Network network = model.network({.input_shapes = {{"x", {0, 3}}}});
  EXPECT_EQ(network.tensors[network.inputs[0]].shape, (import::Shape{-1, 3}));
}

class ExternalData : public testing::Test {
 protected:
  ExternalData() : folder_(temporary_.path()) {
    std::filesystem::create_directories(folder_ / "model");
    const float values[] = {0, 3, 5};
    for (const auto& path : {folder_ / "model" / "weights.bin", folder_ / "outside.bin"}) {
      std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(values), sizeof values);
    }
    std::error_code error;
    std::filesystem::create_symlink(folder_ / "outside.bin", folder_ / "model" / "link.bin", error);
  }

  Result<import::Network> read(const std::string& location, const std::string& offset,
                               const std::string& length) {
    OnnxModel model = OnnxModel().input("x", {2}).node("Add", {"x", "w"}).output("y");
    onnx_file::TensorProto& tensor = model.constant("w", OnnxModel::kFloat32, {2}, "");
    tensor.clear_raw_data();
    tensor.set_data_location(1);
    for (const auto& [key, value] :
         {std::pair("location", location), {"offset", offset}, {"length", length}}) {
      onnx_file::Entry& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return model.read(options_, folder_ / "model");
  }

  TemporaryFolder temporary_;
  std::filesystem::path folder_;
  import::Options options_;
};

TEST_F(ExternalData, ComesFromAFileBesideTheModel) {
  const auto network = read("weights.bin", "4", "8").value();
  const auto& tensors = network.tensors;
  const auto weights =
      std::ranges::find_if(tensors, [](const import::Tensor& tensor) { return tensor.data != nullptr; });
  EXPECT_EQ(*reinterpret_cast<const float*>(weights->data->data()), 3.0f);
}

TEST_F(ExternalData, StaysBelowTheFolderOfTheModel) {
  for (const std::string& location : {std::string("../outside.bin"), (folder_ / "outside.bin").string(),
                                      std::string("link.bin"), std::string("."), std::string()}) {
    EXPECT_NE(message(read(location, "0", "8")).find("is not inside the model's folder."), std::string::npos)
        << location;
  }
}

TEST_F(ExternalData, FollowsLinksIntoAllowedFolders) {
  options_.external_folders = {folder_ / "nowhere", folder_};
  EXPECT_TRUE(read("link.bin", "0", "8").ok());
}

TEST_F(ExternalData, StaysInsideTheFile) {
  EXPECT_FALSE(read("weights.bin", "8", "8").ok());
  EXPECT_FALSE(read("weights.bin", "18446744073709551615", "8").ok());
  EXPECT_FALSE(read("weights.bin", "-1", "8").ok());
  EXPECT_FALSE(read("weights.bin", "0", "12").ok());
  EXPECT_FALSE(read("missing.bin", "0", "8").ok());
}

}  // namespace
}  // namespace nnrt::test
