// ONNX files made by tests.
#pragma once

#include "tools/import/onnx/onnx.pb.h"
#include "tools/import/onnx/reader.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace nnrt::test {

using Names = std::vector<std::string>;
using Dimensions = std::vector<int64_t>;

class OnnxModel {
 public:
  explicit OnnxModel(int64_t opset = 13) { file.add_opset_import()->set_version(opset); }

  onnx_file::GraphProto& graph() { return *file.mutable_graph(); }

  OnnxModel& node(const std::string& type, const Names& inputs, const Names& outputs) {
    onnx_file::NodeProto& made = *graph().add_node();
    made.set_op_type(type);
    for (const std::string& name : inputs) made.add_input(name);
    for (const std::string& name : outputs) made.add_output(name);
    return *this;
  }
  // Of the node that was added last.
  OnnxModel& with(const std::string& name, const Dimensions& values) {
    onnx_file::AttributeProto& attribute = add_attribute(name);
    for (const int64_t value : values) attribute.add_ints(value);
    return *this;
  }
  OnnxModel& with(const std::string& name, int64_t value) {
    add_attribute(name).set_i(value);
    return *this;
  }

  // A dimension of -1 is unknown.
  OnnxModel& input(const std::string& name, const Dimensions& shape, int32_t type = kFloat32) {
    onnx_file::ValueInfo& made = *graph().add_input();
    made.set_name(name);
    made.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    for (const int64_t length : shape) {
      auto& dimension = *made.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
      if (length >= 0) dimension.set_dim_value(length);
    }
    return *this;
  }
  OnnxModel& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }

  onnx_file::TensorProto& constant(const std::string& name, int32_t type, const Dimensions& shape,
                                   const std::string& raw) {
    onnx_file::TensorProto& made = *graph().add_initializer();
    made.set_name(name);
    made.set_data_type(type);
    for (const int64_t length : shape) made.add_dims(length);
    made.set_raw_data(raw);
    return made;
  }
  OnnxModel& floats(const std::string& name, const Dimensions& shape, const std::vector<float>& values) {
    constant(name, kFloat32, shape,
             std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
    return *this;
  }
  OnnxModel& integers(const std::string& name, const Dimensions& values) {
    constant(name, kInt64, {static_cast<int64_t>(values.size())},
             std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t)));
    return *this;
  }
  OnnxModel& codes(const std::string& name, const Dimensions& shape, const std::vector<int8_t>& values) {
    constant(name, kInt8, shape, std::string(values.begin(), values.end()));
    return *this;
  }

  Result<import::Network> read(const import::Options& options = {},
                               const std::filesystem::path& folder = {}) const {
    const std::string bytes = file.SerializeAsString();
    return import::read_onnx(std::as_bytes(std::span(bytes)), folder, options);
  }

  static constexpr int32_t kFloat32 = 1, kInt8 = 3, kInt64 = 7;
  onnx_file::ModelProto file;

 private:
  onnx_file::AttributeProto& add_attribute(const std::string& name) {
    onnx_file::AttributeProto& attribute = *graph().mutable_node(graph().node_size() - 1)->add_attribute();
    attribute.set_name(name);
    return attribute;
  }
};

// The operators in order.
inline std::vector<OH_NN_OperationType> operations(const import::Network& network) {
  std::vector<OH_NN_OperationType> types;
  for (const import::Operation& operation : network.operations) types.push_back(operation.type);
  return types;
}

inline std::string message(const Result<import::Network>& network) {
  return network.ok() ? "" : network.error().message;
}

}  // namespace nnrt::test
