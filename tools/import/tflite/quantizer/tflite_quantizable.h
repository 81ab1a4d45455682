// Describes a TensorFlow Lite model to the quantizer.
#pragma once

#include "tools/import/quantizer/quantizable_model.h"
#include "tools/import/tflite/quantizer/tflite_float_model.h"

namespace nnrt::import::tflite {

// What TensorFlow Lite's INT8 specification requires of an operator.
struct Int8Operator {
  format::BuiltinOperator code;
  int32_t version;  // first version with INT8 operands
  Int8Form form;
};

// Null if there is none.
const Int8Operator* find_int8_operator(format::BuiltinOperator code);

FloatGraph float_graph(const FloatModel& model);

}  // namespace nnrt::import::tflite
