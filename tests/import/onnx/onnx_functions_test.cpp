#include "tests/import/onnx/onnx_model_writer.h"

#include <gtest/gtest.h>

#include <cstring>

namespace nnrt::test {
namespace {

using onnx_file::FunctionProto;

FunctionProto& add_function(OnnxModel& model, const std::string& name) {
  FunctionProto& function = *model.file.add_functions();
  function.set_name(name);
  function.set_domain("f");
  function.add_input("a");
  function.add_output("b");
  return function;
}

onnx_file::NodeProto& add_node(FunctionProto& function, const std::string& type, const std::string& input,
                               const std::string& output) {
  onnx_file::NodeProto& node = *function.add_node();
  node.set_op_type(type);
  node.add_input(input);
  node.add_output(output);
  return node;
}

OnnxModel calling(const std::string& name) {
  return OnnxModel().input("x", {2, 3}).node(name, {"x"}, {"y"}).domain("f");
}

TEST(OnnxFunctions, BecomeTheirNodes) {
  OnnxModel model = calling("F");
  FunctionProto& function = add_function(model, "F");
  add_node(function, "Abs", "a", "x");  // same name as a value outside
  add_node(function, "Neg", "x", "b");
  const import::Network network = model.network();
  EXPECT_EQ(operations(network), (std::vector{Op::abs, Op::neg}));
  EXPECT_EQ(network.operations[1].origin, "F (node 0): Neg (node 1)");
  const import::Layer& layer = network.layers.at(network.operations[1].layer.value());
  EXPECT_EQ(layer.op, "Neg");
  EXPECT_EQ(layer.name, "y/b");
}

TEST(OnnxFunctions, CallOthers) {
  OnnxModel model = calling("F");
  add_node(add_function(model, "F"), "G", "a", "b").set_domain("f");
  add_node(add_function(model, "G"), "Neg", "a", "b");
  const import::Network network = model.network();
  EXPECT_EQ(operations(network), std::vector{Op::neg});
}

// The slope of the LeakyRelu in the function.
float slope_of(const OnnxModel& model) {
  const auto network = model.read().value();
  return static_cast<float>(network.operations[0].attributes.real(Attr::slope));
}

TEST(OnnxFunctions, ReferToAttributesOfTheCall) {
  OnnxModel model = calling("F").with("slope", 0.25);
  FunctionProto& function = add_function(model, "F");
  function.add_attribute("slope");
  auto& attribute = *add_node(function, "LeakyRelu", "a", "b").add_attribute();
  attribute.set_name("alpha");
  attribute.set_ref_attr_name("slope");
  EXPECT_EQ(slope_of(model), 0.25f);
}

TEST(OnnxFunctions, UseDefaultAttributes) {
  OnnxModel model = calling("F");
  FunctionProto& function = add_function(model, "F");
  auto& given = *function.add_attribute_proto();
  given.set_name("slope");
  given.set_f(0.5f);
  auto& attribute = *add_node(function, "LeakyRelu", "a", "b").add_attribute();
  attribute.set_name("alpha");
  attribute.set_ref_attr_name("slope");
  EXPECT_EQ(slope_of(model), 0.5f);
}

TEST(OnnxFunctions, MayLackInputs) {
  OnnxModel model = calling("F");
  FunctionProto& function = add_function(model, "F");
  function.add_input("low");
  add_node(function, "Clip", "a", "b").add_input("low");
  const auto network = model.read();
  EXPECT_TRUE(network.ok()) << message(network);
}

TEST(OnnxFunctions, RejectRecursion) {
  OnnxModel model = calling("F");
  add_node(add_function(model, "F"), "F", "a", "b").set_domain("f");
  EXPECT_EQ(message(model.read()), "The function F calls itself, directly or indirectly.");
}

TEST(OnnxFunctions, NameUnsupportedOperators) {
  OnnxModel model = calling("F");
  add_node(add_function(model, "F"), "Bernoulli", "a", "b");
  EXPECT_EQ(message(model.read()),
            "The model has operators that OH_NN cannot express: Bernoulli (node 0) of F.");
}

TEST(OnnxFunctions, DoNotReadValuesAroundThem) {
  OnnxModel model = calling("F");
  add_node(add_function(model, "F"), "Neg", "x", "b");
  EXPECT_EQ(message(model.read()),
            "The value x is not defined. While converting Neg (node 0). While converting F (node 0).");
}

}  // namespace
}  // namespace nnrt::test
