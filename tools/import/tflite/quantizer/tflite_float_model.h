// A float TensorFlow Lite model prepared for quantization: FLOAT16, INT8 and sparse weights become dense
// FLOAT32 constants.
#pragma once

#include "core/base/result.h"
#include "tools/import/quantizer/value_coding.h"
#include "tools/import/tflite/tflite_node_writer.h"

#include <tflite_generated.h>

#include <memory>
#include <string>

namespace nnrt::import::tflite {

class FloatModel {
 public:
  // Fails if the file is damaged or already quantized.
  static Result<FloatModel> read(const std::string& file);

  const format::ModelT& model() const { return *model_; }
  // The main graph; others are bodies of its operators.
  const format::SubGraphT& graph() const { return *model_->subgraphs[0]; }
  const format::TensorT& tensor(int32_t number) const {
    return *graph().tensors[static_cast<size_t>(number)];
  }
  size_t operator_count() const { return graph().operators.size(); }
  const format::OperatorT& operator_at(size_t position) const { return *graph().operators[position]; }
  format::BuiltinOperator code_of(const format::OperatorT& op) const;
  // "CONV_2D"
  std::string operator_name(const format::OperatorT& op) const;

  // A negative number is a missing operand: neither float nor constant.
  bool is_float(int32_t number) const;
  bool is_constant(int32_t number) const;
  // The elements of a FLOAT32 constant.
  FloatConstant floats(int32_t number) const;

  std::string file() const;

 private:
  // `file` is the file the model was read from.
  Status make_constants_dense(const format::Model& file, size_t file_size);
  void remove_densify();
  Status check_numbers() const;
  Status check_is_float() const;
  void make_weights_float();
  // Makes the tensor a constant with the shape of `like`.
  void make_float(int32_t number, const format::TensorT& like, const std::vector<float>& values);
  void drop_unknown_options();

  std::unique_ptr<format::ModelT> model_;
};

}  // namespace nnrt::import::tflite
