// Lowers one MindSpore node to core nodes.
#pragma once

#include "core/base/text.h"
#include "core/writer/common_nodes.h"
#include "mindspore/lower/lower_values.h"
#include "mindspore/schema/enumerations.h"

#include <optional>
#include <span>

namespace nnrt::mindspore {

class Lowering;
using LowerFunction = void (*)(Lowering&);

inline constexpr uint8_t kMany = 255;

// How a primitive is lowered: a function shared by a family, with its arguments.
struct LoweringRow {
  PrimitiveType type{};
  uint8_t min_inputs = 1, max_inputs = 1;
  LowerFunction lower = nullptr;
  Op op{};
};

// An error ends the node, as a ConversionError.
class Lowering {
 public:
  Lowering(LowerValues& values, const SourceGraph& source, const SourceNode& node, const LoweringRow& row)
      : graph(values.graph()),
        primitive(*node.primitive),
        values_(values),
        source_(source),
        node_(node),
        row_(row) {}

  GraphWriter& graph;
  const Primitive& primitive;

  Op op() const { return row_.op; }
  bool is_from_builders() const { return source_.is_from_builders; }
  size_t input_count() const { return node_.inputs.size(); }
  size_t output_count() const { return node_.outputs.size(); }
  bool has(size_t i) const { return i < input_count(); }
  const SourceTensor& source(size_t i) const { return source_.tensors[node_.inputs[i]]; }
  const SourceTensor& result_source(size_t i = 0) const { return source_.tensors[node_.outputs[i]]; }

  // An input. A constant is converted if the node computes on another dtype: quantized or half-precision
  // weights of a node with float data become FLOAT32.
  Value in(size_t i);
  // The same as floats, whatever the node's data is.
  Value real_in(size_t i);
  List<Value> inputs(size_t first = 0);
  // The elements of a constant input of integers or booleans; empty if it is not constant.
  std::optional<Integers> integers(size_t i);
  // Fails the node unless the input is constant; `what` names it: "axes".
  Integers constant_integers(size_t i, std::string_view what);
  // An input of integers that decides a shape, as a vector.
  Value shape_in(size_t i);
  // Of a constant FLOAT32 or INT32 input: all elements, or the only one.
  std::optional<Reals> reals(size_t i);
  std::optional<float> real(size_t i);

  // The operator's parameters that the primitive has fields for, except the activation and empty lists.
  Settings settings() const;

  // The dtype, quantization and shape of a result as the graph declares them.
  ResultType declared(size_t i = 0) const;

  // Emits a node whose result is intermediate. Operators without quantized kernels compute in float.
  Value emit(Op op, List<Value> inputs, const Settings& settings = {});
  // Emits a node with these results of the source node, from `first` on.
  void emit_results(Op op, List<Value> inputs, const Settings& settings = {}, size_t first = 0,
                    size_t count = 1);
  void emit_result(List<Value> inputs, const Settings& settings = {}) {
    emit_results(op(), std::move(inputs), settings);
  }
  // Like emit_results(), followed by the activation of the primitive, fused if possible.
  void emit_activated(Op op, List<Value> inputs, Settings settings = {});

  // Sets a result; quantized and converted as declared if it is a float of a quantized result.
  void set(size_t i, Value value);
  const List<std::optional<Value>>& results() const { return results_; }

  // Ends the node.
  [[noreturn]] void fail(Error error) const { nnrt::fail(std::move(error)); }
  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail(unsupported(parts...));
  }

 private:
  Value result_of(Op op, List<Value> inputs, const Settings& settings, ResultType type);
  List<Value> emit_typed(Op op, List<Value> inputs, const Settings& settings, List<ResultType> types);
  bool computes_floats() const;

  LowerValues& values_;
  const SourceGraph& source_;
  const SourceNode& node_;
  const LoweringRow& row_;
  List<std::optional<Value>> results_ = List<std::optional<Value>>(output_count());
};

// The activation of a value, as separate nodes.
Value activate(Lowering& op, const Value& value, ActivationType type, float alpha, float min, float max,
               bool approximate);

// Emits the row's operator on all inputs, with the primitive's parameters.
inline void lower_plain(Lowering& op) { op.emit_result(op.inputs(), op.settings()); }

// Of a TypeId, or of an OH_NN_DataType: its numbers are below all of TypeId.
constexpr DType dtype_of_number(int64_t number) {
  return number > 0 && number < kDTypeCount ? DType(number) : dtype_of(number);
}

// Operators that read quantized values as they are.
bool takes_codes(Op op);

// Null for a primitive that is not supported.
const LoweringRow* find_lowering(PrimitiveType type);

// The rows of each family.
std::span<const LoweringRow> elementwise_lowerings();
std::span<const LoweringRow> activation_lowerings();
std::span<const LoweringRow> spatial_lowerings();
std::span<const LoweringRow> matmul_lowerings();
std::span<const LoweringRow> normalization_lowerings();
std::span<const LoweringRow> reduction_lowerings();
std::span<const LoweringRow> shape_lowerings();
std::span<const LoweringRow> data_movement_lowerings();
std::span<const LoweringRow> slicing_lowerings();
std::span<const LoweringRow> index_lowerings();
std::span<const LoweringRow> creation_lowerings();
std::span<const LoweringRow> recurrent_lowerings();
std::span<const LoweringRow> detection_lowerings();

}  // namespace nnrt::mindspore
