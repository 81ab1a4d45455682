#include "networks/onnx_graph.h"

#include <cstring>

namespace bench {
namespace {

// As in AttributeProto.AttributeType.
constexpr int32_t kFloat = 1, kInteger = 2, kIntegers = 7;

// As exporters do: small constants stay in the model, and large ones are page-aligned.
constexpr size_t kMinExternalBytes = 1024, kLargeBytes = 1 << 20, kPageBytes = 4096;
constexpr int32_t kExternal = 1;  // TensorProto.DataLocation

void describe(nnrt::onnx_file::ValueInfo& value, const std::string& name, OnnxType type,
              const std::vector<int64_t>& shape) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int32_t>(type));
  for (const int64_t size : shape) tensor.mutable_shape()->add_dim()->set_dim_value(size);
}

}  // namespace

OnnxGraph::OnnxGraph(const std::string& name) {
  model_.set_ir_version(9);
  model_.add_opset_import()->set_version(20);
  model_.mutable_graph()->set_name(name);
}

nnrt::onnx_file::AttributeProto& OnnxGraph::Node::attribute(const char* name, int32_t type) {
  auto& attribute = *proto_.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

OnnxGraph::Node& OnnxGraph::Node::set(const char* name, int64_t value) {
  attribute(name, kInteger).set_i(value);
  return *this;
}

OnnxGraph::Node& OnnxGraph::Node::set(const char* name, float value) {
  attribute(name, kFloat).set_f(value);
  return *this;
}

OnnxGraph::Node& OnnxGraph::Node::set(const char* name, const std::vector<int64_t>& values) {
  auto& made = attribute(name, kIntegers);
  for (const int64_t value : values) made.add_ints(value);
  return *this;
}

OnnxGraph::Node OnnxGraph::node(std::string_view type, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
  auto& proto = *model_.mutable_graph()->add_node();
  proto.set_op_type(std::string(type));
  proto.set_name(fresh(type));
  for (const std::string& name : inputs) proto.add_input(name);
  for (const std::string& name : outputs) proto.add_output(name);
  return Node(proto);
}

void OnnxGraph::constant(const std::string& name, OnnxType type, const std::vector<int64_t>& shape,
                         std::string bytes) {
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(static_cast<int32_t>(type));
  for (const int64_t size : shape) tensor.add_dims(size);
  tensor.set_raw_data(std::move(bytes));
}

std::string OnnxGraph::integers(const std::string& name, const std::vector<int64_t>& values) {
  std::string bytes(values.size() * sizeof(int64_t), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  constant(name, OnnxType::i64, {static_cast<int64_t>(values.size())}, std::move(bytes));
  return name;
}

void OnnxGraph::input(const std::string& name, OnnxType type, const std::vector<int64_t>& shape) {
  describe(*model_.mutable_graph()->add_input(), name, type, shape);
}

void OnnxGraph::output(const std::string& name, OnnxType type, const std::vector<int64_t>& shape) {
  describe(*model_.mutable_graph()->add_output(), name, type, shape);
}

OnnxGraph& OnnxGraph::externalize(const std::string& location, std::string& data) {
  for (auto& tensor : *model_.mutable_graph()->mutable_initializer()) {
    const std::string& bytes = tensor.raw_data();
    if (bytes.size() < kMinExternalBytes) continue;
    if (bytes.size() >= kLargeBytes) data.resize((data.size() + kPageBytes - 1) / kPageBytes * kPageBytes);
    const auto add = [&](const char* key, const std::string& value) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", location);
    add("offset", std::to_string(data.size()));
    add("length", std::to_string(bytes.size()));
    tensor.set_data_location(kExternal);
    data += bytes;
    tensor.clear_raw_data();
  }
  return *this;
}

std::string OnnxGraph::fresh(std::string_view what) {
  std::string name(what);
  return name.append("_").append(std::to_string(made_++));
}

}  // namespace bench
