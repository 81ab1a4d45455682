// Writes the model in QDQ form: QuantizeLinear and DequantizeLinear around quantized nodes.
#pragma once

#include "tools/import/onnx/quantizer/prepared_graph.h"
#include "tools/import/quantizer/quantization_plan.h"

namespace nnrt::import::onnx {

class QdqWriter {
 public:
  // All arguments must outlive the writer.
  QdqWriter(const PreparedGraph& graph, const FloatGraph& nodes, const QuantizationPlan& plan,
            const CodingOf& coding_of);

  const onnx_file::ModelProto& write();
  // Names in the written model, by value.
  const std::unordered_map<std::string, std::string>& dequantized() const { return dequantized_; }

 private:
  std::string new_name(const std::string& wanted);
  void choose_names();
  void write_constants(const QuantizableNode& node, onnx_file::NodeProto& written);
  void write_weights(const QuantizableNode& node, onnx_file::NodeProto& written);
  void write_bias(const std::vector<float>& bias, std::vector<float> scales, float input_scale, bool has_axis,
                  onnx_file::NodeProto& written);
  std::string write_constant_operand(const std::string& name);
  void write_pair(const std::string& value);
  void write_node(int position);

  onnx_file::TensorProto& add_initializer(const std::string& name, int32_t type,
                                          const std::vector<int64_t>& shape, const void* bytes, size_t size);
  onnx_file::NodeProto& add_linear(const char* type, std::vector<std::string> inputs,
                                   const std::string& output, std::optional<size_t> axis = {});
  // Writes scale and zero point initializers and returns their names.
  std::vector<std::string> write_coding(const std::string& source);

  const PreparedGraph& graph_;
  const FloatGraph& floats_;
  const QuantizationPlan& plan_;
  const CodingOf& coding_of_;
  onnx_file::ModelProto model_;
  onnx_file::Messages<onnx_file::NodeProto> nodes_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::string> plain_, dequantized_;   // by value
  std::unordered_map<std::string, std::vector<std::string>> codings_;  // by source
  std::unordered_map<std::string, std::string> constant_operands_;
  std::unordered_map<size_t, const QuantizableNode*> by_position_;
};

}  // namespace nnrt::import::onnx
