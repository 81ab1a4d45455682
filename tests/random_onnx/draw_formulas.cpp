// Operators the importer expands to formulas, nodes with bodies, and model functions.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

// tanh limits the argument to where the function is well-conditioned.
bool trigonometry(Draft& draft, const Drawn& x) {
  if (x.type != OnnxModel::kFloat32) return false;
  const auto type =
      draft.random.of<std::string>({"Tan", "Atan", "Asin", "Acos", "Sinh", "Cosh", "Asinh", "Atanh"});
  if (type == "Atan" || type == "Asinh") {
    draft.node(type, {x.name}, x.mapped(x.scale, 1));
    return true;
  }
  Drawn low = draft.node("Tanh", {x.name}, x.mapped(1, 1));
  low = draft.node("Mul", {low.name, draft.scalar(0.75)}, low.mapped(0.75, 0.75));
  draft.node(type, {low.name}, low.mapped(1.5, 3));
  return true;
}

bool shrink(Draft& draft, const Drawn& x) {
  draft.node("Shrink", {x.name}, x);
  draft.model.with("lambd", 0.25).with("bias", 0.25);
  return true;
}

bool group_norm(Draft& draft, const Drawn& x) {
  if (!x.is_image() || x.shape[1] % 2 != 0 || x.shape[1] < 4 || x.type != OnnxModel::kFloat32) return false;
  draft.node("GroupNormalization",
             {x.name, draft.floats({x.shape[1]}, 0.5, 1.5), draft.floats({x.shape[1]}, -0.5, 0.5)},
             x.mapped(1.5, 6));
  draft.model.with("num_groups", 2).with("epsilon", 0.1);
  return true;
}

// Dynamic 8-bit quantization and dequantization; the error is one step.
bool dynamic_quantization(Draft& draft, const Drawn& x) {
  if (x.type != OnnxModel::kFloat32 || x.rank() < 1) return false;
  Drawn quantized = x.mapped(128, 64), scale = x.mapped(x.scale / 64, 1), zero = quantized;
  quantized.type = zero.type = OnnxModel::kUint8;
  quantized.error = zero.error = 1.5;
  scale.shape = zero.shape = {};
  scale.open = zero.open = {};
  quantized.name = draft.fresh("quantized_");
  scale.name = draft.fresh("scale_");
  zero.name = draft.fresh("zero_");
  draft.nodes("DynamicQuantizeLinear", {x.name}, {quantized, scale, zero});
  Drawn made = x;
  made.error = x.error + x.scale / 25;
  const Drawn values = draft.node("Cast", {quantized.name}, x.mapped(128, 64));
  draft.model.with("to", 1);
  const Drawn back = draft.node("Mul", {values.name, scale.name}, made);
  draft.node("Tanh", {back.name}, back.mapped(1, 1));
  return true;
}

void add_node(onnx_file::GraphProto& graph, const std::string& type, const Names& inputs,
              const std::string& output) {
  onnx_file::NodeProto& node = *graph.add_node();
  node.set_op_type(type);
  for (const std::string& name : inputs) node.add_input(name);
  node.add_output(output);
}

void describe(onnx_file::ValueInfo& value, const std::string& name, int32_t type, const Dimensions& shape) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  auto& dimensions = *tensor.mutable_shape();
  for (const int64_t length : shape) dimensions.add_dim()->set_dim_value(length);
}

onnx_file::GraphProto& add_body(Draft& draft, const std::string& name) {
  onnx_file::NodeProto& node = *draft.model.graph().mutable_node(draft.model.graph().node_size() - 1);
  onnx_file::AttributeProto& attribute = *node.add_attribute();
  constexpr int32_t kGraph = 5;
  attribute.set_name(name);
  attribute.set_type(kGraph);
  attribute.mutable_g()->set_name(name);
  return *attribute.mutable_g();
}

// Both branches read x from outside.
bool branches(Draft& draft, const Drawn& x) {
  if (x.open) return false;
  std::string condition = draft.truths({});
  if (draft.random.one_in(2) && x.rank() > 0) {  // a dynamic condition, far from its threshold
    const std::string mean = draft.constant_node("ReduceMean", {x.name});
    draft.model.with("keepdims", 0);
    condition = draft.constant_node("Less", {mean, draft.scalar(draft.random.one_in(2) ? 1000 : -1000)});
  }
  const Drawn made = draft.node("If", {condition}, x.mapped(x.scale, 1));
  for (const bool positive : {true, false}) {
    onnx_file::GraphProto& body = add_body(draft, positive ? "then_branch" : "else_branch");
    const std::string name = made.name + (positive ? "_then" : "_else");
    add_node(body, positive ? "Relu" : "Neg", {x.name}, name);
    describe(*body.add_output(), name, x.type, x.shape);
  }
  return true;
}

// A constant number of iterations carries x and collects a result per iteration.
bool rounds(Draft& draft, const Drawn& x) {
  if (x.open || x.rank() > 3) return false;
  const int64_t count = draft.random.between(1, 4);
  const std::string trips =
      draft.raw("m", OnnxModel::kInt64, {}, {reinterpret_cast<const char*>(&count), sizeof count});
  Drawn last = x.mapped(x.scale, 1), all = last;
  all.shape.insert(all.shape.begin(), count);
  if (!Draft::fits(all.shape)) return false;
  last.name = draft.fresh("last_");
  all.name = draft.fresh("all_");
  const std::string factor = draft.scalar(0.5);
  draft.nodes("Loop", {trips, "", x.name}, {last, all});
  onnx_file::GraphProto& body = add_body(draft, "body");
  const std::string prefix = last.name + "_";
  describe(*body.add_input(), prefix + "i", OnnxModel::kInt64, {});
  describe(*body.add_input(), prefix + "going", OnnxModel::kBool, {});
  describe(*body.add_input(), prefix + "x", x.type, x.shape);
  add_node(body, "Identity", {prefix + "going"}, prefix + "on");
  add_node(body, "Mul", {prefix + "x", factor}, prefix + "y");
  add_node(body, "Abs", {prefix + "y"}, prefix + "z");
  describe(*body.add_output(), prefix + "on", OnnxModel::kBool, {});
  describe(*body.add_output(), prefix + "y", x.type, x.shape);
  describe(*body.add_output(), prefix + "z", x.type, x.shape);
  return true;
}

// A model function with an attribute reference.
bool function(Draft& draft, const Drawn& x) {
  if (x.type != OnnxModel::kFloat32) return false;
  onnx_file::ModelProto& file = draft.model.file;
  if (file.functions_size() == 0) {
    onnx_file::FunctionProto& made = *file.add_functions();
    made.set_name("Scaled");
    made.set_domain("test");
    made.add_input("x");
    made.add_output("y");
    made.add_attribute("slope");
    made.add_opset_import()->set_version(Draft::kOpset);
    onnx_file::NodeProto& leaky = *made.add_node();
    leaky.set_op_type("LeakyRelu");
    leaky.add_input("x");
    leaky.add_output("between");
    onnx_file::AttributeProto& alpha = *leaky.add_attribute();
    alpha.set_name("alpha");
    alpha.set_type(1);
    alpha.set_ref_attr_name("slope");
    onnx_file::NodeProto& neg = *made.add_node();
    neg.set_op_type("Neg");
    neg.add_input("between");
    neg.add_output("y");
  }
  draft.node("Scaled", {x.name}, x);
  draft.model.domain("test").with("slope", 0.25);
  return true;
}

bool centered(Draft& draft, const Drawn& x) {
  if (x.open || x.rank() == 0) return false;
  Drawn made = x;
  for (int64_t& length : made.shape) length = std::max<int64_t>(1, length + draft.random.between(-2, 2));
  if (!Draft::fits(made.shape)) return false;
  draft.node("CenterCropPad", {x.name, draft.integers(made.shape)}, made);
  return true;
}

bool equation(Draft& draft, const Drawn& x) {
  if (x.rank() < 2 || x.open || x.type != OnnxModel::kFloat32) return false;
  const int64_t inner = x.shape.back(), columns = draft.random.between(1, 4);
  const double bound = 1.7 / std::sqrt(static_cast<double>(inner));
  Drawn made = x.mapped(x.scale, 2);
  made.shape.back() = columns;
  const bool broadcasts = x.rank() > 2 && draft.random.one_in(2);
  Dimensions operand(broadcasts ? x.rank() - 2 : 0, 1);
  operand.insert(operand.end(), {inner, columns});
  draft.node("Einsum", {x.name, draft.floats(operand, -bound, bound)}, made);
  draft.model.with("equation", std::string(broadcasts ? "...ai,...ij->...aj" : "...i,ij->...j"));
  return true;
}

}  // namespace

std::vector<Drawer> composed_drawers() {
  return {{1, centered}, {1, equation},   {2, trigonometry},
          {1, shrink},   {1, group_norm}, {1, dynamic_quantization},
          {1, branches}, {1, rounds},     {1, function}};
}

}  // namespace nnrt::test
