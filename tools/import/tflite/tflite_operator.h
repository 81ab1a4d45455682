// A TensorFlow Lite operator being read into the network.
#pragma once

#include "core/base/text.h"
#include "tools/import/network/formulas.h"

#include <tflite_generated.h>

#include <span>

namespace nnrt::import::tflite {

using format::Activation;
using format::BuiltinOperator;

// How an OH_NN operator handles quantized tensors.
enum class Numbers : uint8_t {
  any,        // data movement, or no float operands
  quantized,  // computes on quantized values
  real,       // floats only: operands are dequantized, results quantized
  complex,    // produces complex numbers, or floats from them
};

class Operator;
class NodeWriter;

// How an operator is converted: a function shared by a family, with its arguments.
struct Row {
  BuiltinOperator code;
  uint8_t min_inputs, max_inputs;
  Numbers numbers;
  void (*convert)(Operator&);
  Op type{};
  void (*write)(NodeWriter&) = nullptr;  // writes nodes of the type; null: another row does, or nothing can
  std::string_view custom_name{};
};

inline constexpr uint8_t kMany = 255;

// For operators of OH_NN that only the writer maps to this one.
constexpr Row written(BuiltinOperator code, Op type, Numbers numbers, void (*write)(NodeWriter&)) {
  return {code, 0, 0, numbers, nullptr, type, write};
}

// The network tensor of a file tensor.
struct TensorSlot {
  TensorId id = 0;
  uint32_t quantized_dimension = 0;
  Quantization integers = {};  // scale of an INT32 tensor, which only QUANTIZE and DEQUANTIZE read
  bool is_shifted = false;     // was UINT8, became INT8
  bool is_output = false;      // a model output
  bool has_rank = true;        // false: no rank in the file; may be a scalar in old files
  std::optional<TensorId> imaginary = {};  // complex: `id` is the real part
  bool is_state = false;                   // of a hosted graph: kept from run to run
  std::optional<TensorId> next = {};       // the state after a run, if an operator writes it
};

// Subgraphs that an operator runs.
class Bodies {
 public:
  virtual ~Bodies() = default;
  // Inlines the graph and returns its outputs.
  virtual List<TensorSlot> run(int32_t graph, std::span<TensorSlot* const> inputs) = 0;
};

// An error ends the operator at once, as a ConversionError: converters need no check at each step.
class Operator : public Formulas {
 public:
  // `inputs` and `outputs` are slots; a missing input is null.
  Operator(NetworkBuilder& builder, const format::Operator& table, const Row& row, Bodies& bodies,
           List<TensorSlot*> inputs, List<TensorSlot*> outputs);

  const Row& row() const { return row_; }
  NetworkBuilder& build() { return builder_; }
  const format::Operator& table() const { return table_; }
  Bodies& bodies() { return bodies_; }

  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  bool has(size_t input) const { return input < inputs_.size() && inputs_[input] != nullptr; }

  // The network tensor.
  TensorId input(size_t i) const { return input_slot(i).id; }
  TensorId output(size_t i = 0) const { return output_slot(i).id; }
  // Copies, because additions to the network move its tensors.
  Tensor input_tensor(size_t i) const { return builder_.tensor(input(i)); }
  Tensor output_tensor(size_t i = 0) const { return builder_.tensor(output(i)); }
  TensorSlot& input_slot(size_t i) const;
  TensorSlot& output_slot(size_t i = 0) const;
  std::span<TensorSlot* const> input_slots() const { return inputs_; }

  // The input as row().numbers requires it. `axis`: see NetworkBuilder::dequantize.
  TensorId operand(size_t i) { return operand(i, input_slot(i).quantized_dimension); }
  TensorId operand(size_t i, uint32_t axis);
  List<TensorId> operands();
  // The bias: INT32 or INT64 in units of the input's and the weights' scales, converted to float if the
  // operator computes in float.
  TensorId bias(size_t i, size_t input, size_t weights = 1);
  // The tensor an operation must write, as row().numbers requires it.
  TensorId result(size_t i = 0);
  // Makes the output an existing tensor. Not for model outputs.
  void replace(TensorId id, size_t output = 0) { output_slot(output).id = id; }
  // Whether the input is state that the operator continues; otherwise it starts with zeros.
  bool keeps_state(size_t i) const { return has(i) && input_slot(i).is_state; }
  void set_next_state(size_t i, TensorId id) { input_slot(i).next = id; }
  // For any output: a model output becomes a copy with the file's name.
  void deliver(const TensorSlot& made, size_t output = 0);

  // A constant of type INT32 or INT64.
  TensorId numbers(OH_NN_DataType type, const Shape& shape, const List<int64_t>& values) {
    if (type == OH_NN_INT64) return builder_.constant<int64_t>(shape, values);
    return builder_.constant<int32_t>(shape, List<int32_t>(values.begin(), values.end()));
  }
  // Values of a constant integer input; exactly `count` if given.
  List<int64_t> integers(size_t i, std::optional<size_t> count = {}) const;
  int64_t integer(size_t i) const { return integers(i, 1)[0]; }
  // A constant scalar input.
  float real(size_t i) const;

  template <typename T>
  const T& options() const {
    const T* given = table_.builtin_options_as<T>();
    return given ? *given : *flatbuffers::GetRoot<T>(kEmptyTable);
  }

  // Emits row().type or `type` on these inputs, writing result().
  void write(List<TensorId> inputs, const Settings& settings = {}) {
    write(row_.type, std::move(inputs), settings);
  }
  void write(Op type, List<TensorId> inputs, const Settings& settings = {}) {
    write_to(result(), type, std::move(inputs), settings);
  }
  void write_to(TensorId target, Op type, List<TensorId> inputs, const Settings& settings = {}) {
    builder_.operation(type, std::move(inputs), {target}, settings);
  }
  // Like write(), with an activation that is fused or a separate operation.
  void write_activated(List<TensorId> inputs, Settings settings, Activation activation) {
    write_activated(std::move(inputs), std::move(settings), activation, result());
  }
  void write_activated(List<TensorId> inputs, Settings settings, Activation activation, TensorId target);
  void activate(Activation activation, TensorId from, TensorId to);
  using Formulas::clip;
  // to = min(max(from, low), high)
  void clip(TensorId from, TensorId to, float low, float high);
  Shape shape(TensorId id) const { return builder_.tensor(id).shape; }
  size_t rank(TensorId id) const { return shape(id).size(); }
  // Fails if the dimension does not exist or is unknown.
  int32_t length(TensorId id, size_t dimension) const;

  // Fails if the operator does not support its 16-bit quantized operands: several scales, or data movement
  // that would requantize them.
  void check_wide() const;
  // Quantizes results written in float; call once, at the end.
  void finish();

  // "CONV_2D (operator 12) needs a constant.": `what` is the end of the sentence.
  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... what) const {
    fail({Code::unsupported, cat(builder_.origin(), " ", what..., ".")});
  }
  template <typename... Parts>
  [[noreturn]] void damaged(const Parts&... what) const {
    fail({Code::invalid_file, cat(builder_.origin(), " ", what..., ".")});
  }

 private:
  struct Pending {
    TensorId from, target;
  };
  alignas(8) static constexpr uint8_t kEmptyTable[] = {8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0};

  bool is_float() const;
  bool is_wide() const;
  bool computes_floats() const {
    return row_.numbers == Numbers::real || (row_.numbers == Numbers::quantized && is_wide());
  }

  const format::Operator& table_;
  const Row& row_;
  Bodies& bodies_;
  List<TensorSlot*> inputs_, outputs_;
  List<Pending> pending_;
};

inline bool is_quantized(const Tensor& tensor) { return !tensor.quantization.empty(); }

}  // namespace nnrt::import::tflite
