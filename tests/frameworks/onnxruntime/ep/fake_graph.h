// Builds graphs of the fake node by node. Values are FLOAT32.
#pragma once

#include "tests/frameworks/onnxruntime/ep/fake_ort.h"

#include <algorithm>

namespace nnrt::ep {

class FakeGraph {
 public:
  FakeGraph& input(const std::string& name, std::vector<int64_t> shape) {
    graph_.inputs.push_back(value(name, std::move(shape)));
    return *this;
  }
  FakeGraph& output(const std::string& name, std::vector<int64_t> shape) {
    graph_.outputs.push_back(value(name, std::move(shape)));
    return *this;
  }
  FakeGraph& constant(const std::string& name, std::vector<float> values) {
    OrtValueInfo* const made = value(name, {static_cast<int64_t>(values.size())});
    made->is_constant = true;
    made->value = {made->type.tensor, std::move(values)};
    graph_.constants.push_back(made);
    return *this;
  }
  // An empty name omits an input. Values that are not declared yet have the shape of the first input.
  FakeGraph& node(const std::string& type, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs) {
    OrtNode& made = graph_.nodes.emplace_back();
    made.type = type;
    made.name = type + std::to_string(graph_.nodes.size());
    made.graph = &graph_;
    for (const std::string& name : inputs) made.inputs.push_back(name.empty() ? nullptr : find(name));
    const auto shape = made.inputs.empty() ? std::vector<int64_t>() : made.inputs[0]->type.tensor.shape;
    for (const std::string& name : outputs) {
      OrtValueInfo* const known = find(name);
      made.outputs.push_back(known != nullptr ? known : value(name, shape));
    }
    return *this;
  }
  FakeGraph& attribute(const std::string& name, OrtOpAttrType type, std::string bytes) {
    graph_.nodes.back().attributes.push_back({name, type, std::move(bytes), {}});
    return *this;
  }
  template <typename T>
  FakeGraph& attribute(const std::string& name, OrtOpAttrType type, const std::vector<T>& values) {
    return attribute(name, type,
                     std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }

  OrtValueInfo* find(const std::string& name) {
    const auto found = std::ranges::find(graph_.values, name, &OrtValueInfo::name);
    return found == graph_.values.end() ? nullptr : &*found;
  }
  OrtNode& last() { return graph_.nodes.back(); }
  OrtGraph& graph() { return graph_; }

 private:
  OrtValueInfo* value(const std::string& name, std::vector<int64_t> shape) {
    if (OrtValueInfo* const known = find(name)) return known;
    OrtValueInfo& made = graph_.values.emplace_back();
    made.name = name;
    made.type.tensor = {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, std::move(shape)};
    return &made;
  }

  OrtGraph graph_;
};

}  // namespace nnrt::ep
