// An operator of a TensorFlow Lite file on its way into the network.
#pragma once

#include "tools/import/network/network_builder.h"

#include <tflite_generated.h>

#include <span>

namespace nnrt::import::tflite {

using format::Activation;
using format::BuiltinOperator;

// The numbers that an operator of OH_NN computes with where tensors are quantized.
enum class Numbers : uint8_t {
  any,        // it moves elements, or its operands are no floats
  quantized,  // it computes with quantized values
  real,       // it takes floats only: operands are dequantized before it, results quantized after it
  complex,    // it makes complex numbers, or floats of them
};

class Operator;

// The conversion of an operator: one function of a family, with the rest of the row.
struct Row {
  BuiltinOperator code;
  uint8_t min_inputs, max_inputs;
  Numbers numbers;
  Status (*convert)(Operator&);
  OH_NN_OperationType type{};
  OH_NN_TensorType role{};  // the parameter that the family speaks of
  std::string_view custom_name{};
};

inline constexpr uint8_t kMany = 255;

// The tensor that a tensor of the file became.
struct TensorSlot {
  TensorId id = 0;
  uint32_t quantized_dimension = 0;
  bool is_shifted = false;                 // it was UINT8 and became INT8
  bool is_output = false;                  // an output of the model
  bool has_rank = true;                    // false: the file has no rank; it may be a scalar, as in old files
  std::optional<TensorId> imaginary = {};  // complex numbers: `id` is the real part
};

// Graphs of the file that an operator runs.
class Bodies {
 public:
  virtual ~Bodies() = default;
  // Reads the graph in the operator's place. Returns its outputs.
  virtual Result<std::vector<TensorSlot>> run(int32_t graph, std::span<TensorSlot* const> inputs) = 0;
};

class Operator {
 public:
  // `inputs` and `outputs` are slots; a missing input is null.
  Operator(NetworkBuilder& builder, const format::Operator& table, const Row& row, Bodies& bodies,
           std::vector<TensorSlot*> inputs, std::vector<TensorSlot*> outputs);

  const Row& row() const { return row_; }
  NetworkBuilder& build() { return builder_; }
  const format::Operator& table() const { return table_; }
  Bodies& bodies() { return bodies_; }

  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  bool has(size_t input) const { return input < inputs_.size() && inputs_[input] != nullptr; }

  // The tensor as it is in the network. The row promises as many inputs; others ask has() first.
  TensorId input(size_t i) const { return inputs_[i]->id; }
  TensorId output(size_t i = 0) const { return outputs_[i]->id; }
  // Copies: what is added to the network moves its tensors.
  Tensor input_tensor(size_t i) const { return builder_.tensor(input(i)); }
  Tensor output_tensor(size_t i = 0) const { return builder_.tensor(output(i)); }
  const TensorSlot& input_slot(size_t i) const { return *inputs_[i]; }
  const TensorSlot& output_slot(size_t i = 0) const { return *outputs_[i]; }
  std::span<TensorSlot* const> input_slots() const { return inputs_; }

  // The input as row().numbers asks for it. `axis`: see NetworkBuilder::dequantize.
  Result<TensorId> operand(size_t i) { return operand(i, inputs_[i]->quantized_dimension); }
  Result<TensorId> operand(size_t i, uint32_t axis);
  Result<std::vector<TensorId>> operands();
  // The bias beside an input and the weights, input 1: INT32 or INT64 in steps of both of their scales, which
  // become floats where the operator computes with such.
  Result<TensorId> bias(size_t i, size_t input);
  // The tensor to which an operation is to write, as row().numbers asks for it.
  TensorId result(size_t i = 0);
  // The output is a tensor that is there already. Not for an output of the model.
  void replace(TensorId id, size_t output = 0) { outputs_[output]->id = id; }
  // The same for any output: one of the model is a copy, with the name that the file gives it.
  void deliver(const TensorSlot& made, size_t output = 0);

  // Values of an input that must be a constant of integers; `count` of them, if given.
  Result<std::vector<int64_t>> integers(size_t i, std::optional<size_t> count = {}) const;
  Result<int64_t> integer(size_t i) const;
  // The one value of an input that must be a constant of numbers.
  Result<float> real(size_t i) const;

  template <typename T>
  const T& options() const {
    const T* given = table_.builtin_options_as<T>();
    return given ? *given : *flatbuffers::GetRoot<T>(kEmptyTable);
  }

  // Adds row().type, or `type`, on these inputs, writing result().
  void emit(std::vector<TensorId> inputs, std::vector<Parameter> parameters = {});
  void emit(OH_NN_OperationType type, std::vector<TensorId> inputs, std::vector<Parameter> parameters = {});
  // The same with an activation, which becomes the parameter `role` or an operation of its own.
  Status emit_activated(std::vector<TensorId> inputs, std::vector<Parameter> parameters,
                        OH_NN_TensorType role, Activation activation);
  Status activate(Activation activation, TensorId from, TensorId to);
  // `to` becomes min(max(from, low), high).
  void clip(TensorId from, TensorId to, float low, float high);
  // A temporary FLOAT32 or, if `like` is of another type, of that.
  TensorId derive(OH_NN_OperationType type, std::vector<TensorId> inputs, TensorId like,
                  std::vector<Parameter> parameters = {});

  // Fails where values that are quantized to 16 bits are no operands for the operator: where they would have
  // to be requantized while they are moved, and for layers that have states of such.
  Status check_wide() const;
  // Quantizes what was written in floats; to be called once, at the end.
  void finish();

  // "CONV_2D (operator 12) needs a constant.": `what` is the end of the sentence.
  Error refuse(std::string_view what) const;
  Error damaged(std::string_view what) const;

 private:
  struct Pending {
    TensorId from, target;
  };
  alignas(8) static constexpr uint8_t kEmptyTable[] = {8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0};

  bool is_float() const;
  bool is_recurrent() const;
  bool is_wide() const;
  bool computes_floats() const {
    return row_.numbers == Numbers::real || (row_.numbers == Numbers::quantized && is_wide());
  }

  NetworkBuilder& builder_;
  const format::Operator& table_;
  const Row& row_;
  Bodies& bodies_;
  std::vector<TensorSlot*> inputs_, outputs_;
  std::vector<Pending> pending_;
};

inline bool is_quantized(const Tensor& tensor) { return !tensor.quantization.empty(); }

}  // namespace nnrt::import::tflite
