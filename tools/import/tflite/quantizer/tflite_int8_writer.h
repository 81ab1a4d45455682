// Writes a TensorFlow Lite model whose planned operators run on INT8, with QUANTIZE and DEQUANTIZE at the
// boundaries.
#pragma once

#include "tools/import/quantizer/int8_rewriter.h"
#include "tools/import/tflite/quantizer/tflite_quantizable.h"

namespace nnrt::import::tflite {

class Int8Writer final : public Int8File {
 public:
  // `model` must outlive the writer.
  explicit Int8Writer(const FloatModel& model) : model_(model), written_(model.model()) {}

  size_t copy(size_t number, const std::string& suffix) override;
  void set_coding(size_t number, const Int8Coding& coding) override;
  void set_constant(size_t number, const CodedTensor& coded) override;
  void add_conversion(size_t from, size_t to) override;
  void add_node(size_t position, const Tensors& inputs, const Tensors& outputs, bool is_quantized) override;
  std::string finish() &&;

 private:
  format::SubGraphT& graph() { return *written_.subgraphs[0]; }
  format::TensorT& tensor(size_t number) { return *graph().tensors[number]; }
  void set_scales(size_t number, std::vector<float> scales, int8_t zero_point, size_t axis);
  uint32_t code_number(format::BuiltinOperator code, int32_t version);
  void clear_unread_buffers();

  const FloatModel& model_;
  format::ModelT written_;
  std::vector<std::unique_ptr<format::OperatorT>> operators_;
};

}  // namespace nnrt::import::tflite
