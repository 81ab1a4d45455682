#include "tools/import/onnx/onnx_functions.h"

namespace nnrt::import::onnx {
namespace {

using onnx_file::AttributeProto;
using onnx_file::FunctionProto;
using onnx_file::NodeProto;
using AttributesByName = std::map<std::string_view, const AttributeProto*>;

// The call's attributes, with the function's defaults.
AttributesByName attributes_of(const FunctionProto& function, const NodeProto& call) {
  AttributesByName given;
  for (const AttributeProto& attribute : function.attribute_proto()) given[attribute.name()] = &attribute;
  for (const AttributeProto& attribute : call.attribute()) given[attribute.name()] = &attribute;
  return given;
}

// Replaces attribute references, including those in nested bodies. Unset ones are dropped.
Status resolve(NodeProto& node, const AttributesByName& given, ConstantBudget& budget) {
  onnx_file::Messages<AttributeProto> resolved;
  for (AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.ref_attr_name().empty()) {
      if (attribute.has_g()) {
        for (NodeProto& inner : *attribute.mutable_g()->mutable_node()) {
          NNRT_TRY(resolve(inner, given, budget));
        }
      }
      resolved.add(std::move(attribute));
      continue;
    }
    const auto found = given.find(attribute.ref_attr_name());
    if (found == given.end()) continue;
    NNRT_TRY(budget.take(found->second->byte_size()));
    AttributeProto& taken = resolved.add();
    taken = *found->second;
    taken.set_name(attribute.name());
  }
  node.mutable_attribute()->swap(resolved);
  return {};
}

}  // namespace

Functions::Functions(const onnx_file::ModelProto& model) {
  for (const FunctionProto& function : model.functions())
    functions_.emplace(Name(function.domain(), function.name(), function.overload()), &function);
}

const FunctionProto* Functions::find(const NodeProto& node) const {
  const auto found = functions_.find(Name(node.domain(), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

Result<const onnx_file::GraphProto*> Functions::body(const FunctionProto& function, const NodeProto& call,
                                                     ConstantBudget& budget) {
  const bool has_attributes = function.attribute_size() > 0 || function.attribute_proto_size() > 0;
  std::unique_ptr<onnx_file::GraphProto>& body =
      bodies_[has_attributes ? static_cast<const void*>(&call) : &function];
  if (body) return body.get();
  NNRT_TRY(budget.take(function.byte_size()));
  auto made = std::make_unique<onnx_file::GraphProto>();
  for (const std::string& name : function.input()) made->add_input()->set_name(name);
  for (const std::string& name : function.output()) made->add_output()->set_name(name);
  *made->mutable_node() = function.node();
  const AttributesByName given = attributes_of(function, call);
  for (NodeProto& node : *made->mutable_node()) {
    NNRT_TRY(resolve(node, given, budget));
  }
  body = std::move(made);
  return body.get();
}

}  // namespace nnrt::import::onnx
