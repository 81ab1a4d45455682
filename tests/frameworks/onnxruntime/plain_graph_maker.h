// Builds a framework's graph node by node.
#pragma once

#include "tools/plugins/onnxruntime/graph/groups.h"

#include <deque>

namespace nnrt::ep {

class HostGraphMaker {
 public:
  HostGraphMaker() { graph_.opsets[""] = 13; }

  HostGraphMaker& input(const std::string& name, const Dimensions& shape) {
    graph_.inputs.push_back(name);
    return value(name, shape);
  }
  HostGraphMaker& output(const std::string& name) {
    graph_.outputs.push_back(name);
    return *this;
  }
  // Declares a FLOAT32 value; -1: unknown.
  HostGraphMaker& value(const std::string& name, const Dimensions& shape) {
    HostValue& made = graph_.values[name];
    made.info.set_name(name);
    auto& type = *made.info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(1);
    type.mutable_shape();
    for (const int64_t length : shape) {
      auto& dimension = *type.mutable_shape()->add_dim();
      if (length >= 0) dimension.set_dim_value(length);
    }
    return *this;
  }
  HostGraphMaker& constant(const std::string& name, const Dimensions& shape, std::vector<float> values) {
    value(name, shape);
    HostValue& made = graph_.values[name];
    made.is_constant = true;
    made.constant.set_name(name);
    made.constant.set_data_type(1);
    *made.constant.mutable_dims() = shape;
    made.constant.set_payload(static_cast<uint32_t>(graph_.data.size()));
    data_.push_back(std::move(values));
    graph_.data.push_back(std::as_bytes(std::span(data_.back())));
    return *this;
  }
  HostGraphMaker& node(const std::string& type, std::vector<std::string> inputs,
                       std::vector<std::string> outputs) {
    HostNode& made = graph_.nodes.emplace_back();
    made.proto.set_op_type(type);
    made.proto.set_name(type + std::to_string(graph_.nodes.size()));
    *made.proto.mutable_input() = std::move(inputs);
    *made.proto.mutable_output() = std::move(outputs);
    return *this;
  }

  HostGraph& graph() { return graph_; }

 private:
  HostGraph graph_;
  std::deque<std::vector<float>> data_;
};

}  // namespace nnrt::ep
