// Builds ONNX files for tests.
#pragma once

#include "tools/import/onnx/messages/onnx_messages.h"
#include "tools/import/onnx/onnx_reader.h"

#include <gtest/gtest.h>

#include <concepts>
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

  OnnxModel& node(const std::string& type, const Names& inputs, const Names& outputs = {"y"}) {
    onnx_file::NodeProto& made = *graph().add_node();
    made.set_op_type(type);
    for (const std::string& name : inputs) made.add_input(name);
    for (const std::string& name : outputs) made.add_output(name);
    return *this;
  }
  // Sets the domain of the last node.
  OnnxModel& domain(const std::string& name) {
    graph().mutable_node(graph().node_size() - 1)->set_domain(name);
    return *this;
  }
  // Sets an attribute of the last node.
  OnnxModel& with(const std::string& name, const Dimensions& values) {
    onnx_file::AttributeProto& attribute = add_attribute(name, kIntegers);
    for (const int64_t value : values) attribute.add_ints(value);
    return *this;
  }
  template <std::integral Integer>
  OnnxModel& with(const std::string& name, Integer value) {
    add_attribute(name, kInteger).set_i(value);
    return *this;
  }
  OnnxModel& with(const std::string& name, double value) {
    add_attribute(name, kReal).set_f(static_cast<float>(value));
    return *this;
  }
  OnnxModel& with(const std::string& name, const std::string& value) {
    add_attribute(name, kText).set_s(value);
    return *this;
  }

  // A dimension of -1 is unknown.
  OnnxModel& input(const std::string& name, const Dimensions& shape, int32_t type = kFloat32) {
    describe(*graph().add_input(), name, shape, type);
    return *this;
  }
  // The output of a model without these is "y".
  OnnxModel& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  OnnxModel& output(const std::string& name, const Dimensions& shape, int32_t type) {
    describe(*graph().add_output(), name, shape, type);
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
  OnnxModel& quantized(const std::string& name, const Dimensions& shape, const std::vector<int8_t>& values) {
    constant(name, kInt8, shape, std::string(values.begin(), values.end()));
    return *this;
  }

  Result<import::Network> read(const import::Options& options = {},
                               const std::filesystem::path& folder = {}) const {
    OnnxModel model = *this;
    if (file.graph().output_size() == 0) model.output("y");
    const std::string bytes = model.file.serialize();
    return import::read_onnx(std::as_bytes(std::span(bytes)), folder, options);
  }

  // Ends the test if the model is refused.
  nnrt::import::Network network(const import::Options& options = {},
                                const std::filesystem::path& folder = {}) const {
    return read(options, folder).value();
  }

  // As in TensorProto.DataType.
  static constexpr int32_t kFloat32 = 1, kUint8 = 2, kInt8 = 3, kInt32 = 6, kInt64 = 7, kBool = 9,
                           kFloat16 = 10;
  onnx_file::ModelProto file;

 private:
  // As in AttributeProto.AttributeType.
  static constexpr int32_t kReal = 1, kInteger = 2, kText = 3, kIntegers = 7;

  static void describe(onnx_file::ValueInfo& value, const std::string& name, const Dimensions& shape,
                       int32_t type) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    auto& dimensions = *tensor.mutable_shape();
    for (const int64_t length : shape) {
      auto& dimension = *dimensions.add_dim();
      if (length >= 0) dimension.set_dim_value(length);
    }
  }

  onnx_file::AttributeProto& add_attribute(const std::string& name, int32_t type) {
    onnx_file::AttributeProto& attribute = *graph().mutable_node(graph().node_size() - 1)->add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }
};

// The operators in order.
inline std::vector<Op> operations(const import::Network& network) {
  std::vector<Op> types;
  for (const import::Operation& operation : network.operations) types.push_back(operation.type);
  return types;
}

inline std::string message(const Result<import::Network>& network) {
  return network.ok() ? "" : network.error().message;
}

}  // namespace nnrt::test
