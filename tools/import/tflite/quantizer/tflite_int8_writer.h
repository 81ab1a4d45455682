// Writes a TensorFlow Lite model whose planned operators run on INT8, with QUANTIZE and DEQUANTIZE at the
// boundaries. Model inputs and outputs keep their types.
#pragma once

#include "tools/import/tflite/quantizer/tflite_quantizable.h"

#include <functional>
#include <map>

namespace nnrt::import::tflite {

class Int8Writer {
 public:
  using CodingOf = std::function<Int8Coding(const std::string& source)>;

  // Both must outlive the writer.
  Int8Writer(const FloatModel& model, const QuantizationPlan& plan, CodingOf coding_of);

  std::string write() &&;
  // The tensor of a quantized value in the written file.
  int32_t quantized(const std::string& value) const { return quantized_.at(tensor_of(value)); }

 private:
  format::SubGraphT& graph() { return *written_.subgraphs[0]; }
  format::TensorT& tensor(int32_t number) { return *graph().tensors[static_cast<size_t>(number)]; }

  void find_float_uses();
  void choose_tensors();
  void write_operator(size_t position);
  void write_quantized(const QuantizableNode& node, format::OperatorT& op);
  void write_weights(const Int8Operator& row, format::OperatorT& op, float input_scale);
  int32_t write_operand(const Int8Operator& row, const QuantizableNode& node, int32_t number);
  void write_conversion(format::BuiltinOperator code, int32_t from, int32_t to);

  // Replaces a float constant; reuses its tensor if nothing else reads it.
  int32_t replace_constant(int32_t number, format::TensorType type, const void* data, size_t size);
  int32_t add_copy(int32_t number, const std::string& suffix);
  void set_coding(int32_t number, std::vector<float> scales, std::vector<int64_t> zero_points, size_t axis);
  void set_coding(int32_t number, const Int8Coding& coding);
  uint32_t code_number(format::BuiltinOperator code, int32_t version);
  void clear_unread_buffers();

  Int8Coding coding_of(int32_t number) const { return coding_of_(plan_.sources.at(value_name(number))); }
  bool is_quantized(int32_t number) const { return quantized_.contains(number); }

  const FloatModel& model_;
  const QuantizationPlan& plan_;
  CodingOf coding_of_;
  format::ModelT written_;
  std::vector<std::unique_ptr<format::OperatorT>> operators_;
  std::unordered_map<int, const QuantizableNode*> by_position_;
  std::unordered_set<int32_t> float_uses_;  // values also needed as float
  std::unordered_map<int32_t, size_t> readers_;
  std::map<int32_t, int32_t> quantized_;  // by tensor of the float model
};

}  // namespace nnrt::import::tflite
