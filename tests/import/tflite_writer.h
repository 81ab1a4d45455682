// Writes small TensorFlow Lite files for tests, and runs them on the CPU device.
#pragma once

#include "tools/import/network/import_options.h"
#include "tools/import/network/network.h"

#include <gtest/gtest.h>
#include <tflite_generated.h>

#include <functional>
#include <string>
#include <vector>

namespace nnrt::test {

using import::Bytes;
using import::Shape;

namespace format = import::tflite::format;
using format::BuiltinOperator;
using format::TensorType;

// A tensor and, if it is an input, a constant or expected, its stored values.
struct Operand {
  TensorType type;
  Shape shape;
  std::vector<double> values;
  std::vector<float> scales{};
  std::vector<int64_t> zero_points{};
  int32_t quantized_dimension = 0;
  bool is_constant = false;
  Shape signature{};
};

inline Operand floats(Shape shape, std::vector<double> values) {
  return {TensorType::FLOAT32, std::move(shape), std::move(values)};
}
inline Operand ints(Shape shape, std::vector<double> values) {
  return {TensorType::INT32, std::move(shape), std::move(values)};
}
inline Operand longs(Shape shape, std::vector<double> values) {
  return {TensorType::INT64, std::move(shape), std::move(values)};
}
inline Operand bools(Shape shape, std::vector<double> values) {
  return {TensorType::BOOL, std::move(shape), std::move(values)};
}
inline Operand int8(Shape shape, std::vector<double> quantized, float scale, int64_t zero_point) {
  return {TensorType::INT8, std::move(shape), std::move(quantized), {scale}, {zero_point}};
}
inline Operand uint8(Shape shape, std::vector<double> quantized, float scale, int64_t zero_point) {
  return {TensorType::UINT8, std::move(shape), std::move(quantized), {scale}, {zero_point}};
}
inline Operand constant(Operand operand) {
  operand.is_constant = true;
  return operand;
}

using SetOptions = std::function<void(format::OperatorT&)>;
template <typename T>
SetOptions with(T options) {
  return [options](format::OperatorT& op) { op.builtin_options.Set(T(options)); };
}
// With one member set.
template <typename T, typename Member>
SetOptions with(Member T::*member, const std::type_identity_t<Member>& value) {
  T options;
  options.*member = value;
  return with(options);
}
inline SetOptions keep_dims(bool keep) { return with(&format::ReducerOptionsT::keep_dims, keep); }
inline SetOptions concatenation(int32_t axis, format::Activation activation = format::Activation::NONE) {
  format::ConcatenationOptionsT options;
  options.axis = axis;
  options.activation = activation;
  return with(options);
}

class TfliteWriter {
 public:
  TfliteWriter();

  // Returns the tensor's number.
  int32_t tensor(const Operand& operand, const std::string& name = {});
  int32_t input(const Operand& operand, const std::string& name = {});
  void output(int32_t tensor) { graph().outputs.push_back(tensor); }
  void add(BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
           const SetOptions& set = {});
  void add_custom(const std::string& name, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                  std::vector<uint8_t> options);

  // Starts another graph, which receives all further tensors and operators; 0 is the first one.
  int32_t begin_graph();
  void return_to(int32_t graph) { current_ = static_cast<size_t>(graph); }

  format::ModelT& model() { return model_; }
  format::SubGraphT& graph() { return *model_.subgraphs[current_]; }
  Bytes finish();

 private:
  format::ModelT model_;
  size_t current_ = 0;
};

// A file with one operator: non-constant operands become inputs, and all results outputs.
Bytes one_operator(BuiltinOperator code, const SetOptions& set, const std::vector<Operand>& operands,
                   const std::vector<Operand>& results);
// The same for a custom operator.
Bytes custom_operator(const std::string& name, const std::vector<Operand>& operands,
                      const std::vector<Operand>& results, std::vector<uint8_t> options);

// Runs a file and returns the results as numbers. An error ends the test.
std::vector<std::vector<double>> run(const Bytes& file, const std::vector<Operand>& operands,
                                     const std::vector<Operand>& results,
                                     const import::Options& options = {});

// Runs a file, and fails the test unless its results have the values of `results`.
void check_run(const Bytes& file, const std::vector<Operand>& operands, const std::vector<Operand>& results,
               const import::Options& options = {}, double tolerance = 0);

// The network of a file; an error ends the test.
nnrt::import::Network network_of(const Bytes& file, const import::Options& options = {});
std::vector<Op> operations(const import::Network& network);
// Why the file is refused; empty if it is read.
std::string refusal(const Bytes& file, const import::Options& options = {});

// A table of operators with operands and expected results.
struct OperatorCase {
  const char* name;
  BuiltinOperator code;
  std::vector<Operand> operands, results;
  SetOptions set;
};
inline OperatorCase op_case(const char* name, BuiltinOperator code, std::vector<Operand> operands,
                            std::vector<Operand> results, SetOptions set = {}) {
  return {name, code, std::move(operands), std::move(results), std::move(set)};
}
void check_case(const OperatorCase& it);
inline std::string case_name(const testing::TestParamInfo<OperatorCase>& info) { return info.param.name; }

}  // namespace nnrt::test
