// An ONNX node being converted to operations.
#pragma once

#include "core/base/text.h"
#include "tools/import/network/elements/narrow_float.h"
#include "tools/import/network/formulas.h"
#include "tools/import/onnx/onnx_attributes.h"
#include "tools/import/onnx/onnx_emitter.h"

#include <map>

namespace nnrt::import::onnx {

struct Row;
class Strings;
class TensorData;

// Scales, and optionally zero points, for blocks of elements along an axis.
struct BlockScales {
  TensorId scales = 0;
  std::optional<TensorId> zero_points{};
  int64_t size = 0;
};

// A value of the model. Results of QuantizeLinear and inputs of DequantizeLinear are stored as quantized INT8
// tensors (UINT8 minus 128); the tensor of the file's type is created only on demand.
struct Value {
  std::optional<TensorId> plain{};
  std::optional<TensorId> quantized{};
  bool dequantized = false;      // `plain` holds the dequantized values
  DType code_type = DType::i8;   // type in the file
  uint32_t axis = 0;             // channel axis of `quantized`
  DType real_type = DType::f32;  // type of dequantized values
  int bits = 0;                  // 2 or 4: values of such a type, stored in 8 bits
  // If set, `quantized` is an INT8 or UINT8 constant exactly as in the file.
  std::optional<BlockScales> blocks{};
  // The type in the file if it is BFLOAT16 or FLOAT8; `plain` is FLOAT32 then.
  const NarrowFloat* narrow = nullptr;
  // Set for a sequence, which has no tensor.
  std::optional<Ids> elements{};
};

using Values = List<Value>;

// Subgraph attributes and functions of the file, inlined in place of the node.
class Bodies {
 public:
  virtual ~Bodies() = default;
  // The graph may read names of enclosing graphs. Returns its outputs: tensors or sequences.
  virtual Result<Values> run_body(const onnx_file::GraphProto& body, const Values& inputs) = 0;
};

// A node's inputs and attributes, and the operations that replace it. An error ends the node at once, as a
// ConversionError: handlers need no check at each step.
class Call : public Formulas {
 public:
  Call(const Row& row, const onnx_file::NodeProto& node, int64_t opset, Emitter& emitter)
      : Formulas(emitter), attributes(node), row_(row), node_(node), opset_(opset), emitter_(emitter) {}

  const Row& row() const { return row_; }
  // The operator's, also within QLinear operators.
  std::string_view type() const;
  const onnx_file::NodeProto& node() const { return node_; }
  int64_t opset() const { return opset_; }
  Emitter& emitter() { return emitter_; }

  // Inputs omitted by an empty name, or at the end, are absent.
  size_t input_count() const { return inputs.size(); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  Value& value(size_t i) const;  // fails if the input is absent
  // The tensor; quantized if the node runs on quantized values and input i is one of them.
  TensorId input(size_t i);
  Ids all_inputs();
  // The value as declared in the model, even if the node runs on quantized values.
  TensorId plain_input(size_t i);
  // Contents of a constant; fails for other tensors.
  List<int64_t> integers(size_t i);
  List<double> numbers(size_t i);
  // From the attribute, or from the constant input that replaced it in newer opsets; empty if neither is
  // present.
  List<int64_t> integers(std::string_view attribute, size_t i);
  // The node's subgraph of this name.
  const onnx_file::GraphProto& body(std::string_view name) const;
  // Input 1 of a binary operator, ready to broadcast to input 0. Before opset 7, an attribute gave the
  // dimension of input 0 at which its dimensions start.
  TensorId second_operand();
  // Returns whether output i is used.
  bool wants(size_t i) const { return i < wanted.size() && wanted[i]; }
  // The length of output i along an axis, if it is a graph output and the file has its shape.
  std::optional<int64_t> declared_length(size_t i, int axis) const;
  // Returns whether input i is a graph input, and the file leaves the length along the axis open.
  bool is_open_in_file(size_t i, int axis) const;
  // The fused activation, for an operation that has the parameter. If never called, a separate operation
  // follows.
  AttrSetting take_activation() { return {Attr::activation, std::exchange(activation, int8_t{0})}; }
  bool is_quantized_call() const { return emitter_.target().has_value(); }

  const Tensor& tensor(TensorId id) const { return emitter_.tensor(id); }
  bool is_constant(TensorId id) const { return emitter_.is_constant(id); }
  DType dtype(TensorId id) const { return emitter_.dtype(id); }
  Dims shape(TensorId id) const { return emitter_.shape(id); }
  int64_t rank(TensorId id) const { return static_cast<int64_t>(emitter_.rank(id)); }
  // Fails if the length is not known.
  int64_t length(TensorId id, int64_t axis) const;
  // Normalizes an axis to [0, rank).
  int64_t axis(int64_t axis, int64_t rank) const;
  List<int64_t> axes(List<int64_t> axes, int64_t rank) const;
  // The shape whose dimensions are the elements of a non-constant `value`, as far as known. Fails if the rank
  // is unknown.
  Dims shape_from(TensorId value) const;
  std::optional<List<int64_t>> known_integers(TensorId id) const { return emitter_.known_integers(id); }
  std::optional<List<double>> known_numbers(TensorId id) const { return emitter_.known_numbers(id); }
  // A single known element; empty if it is dynamic.
  std::optional<double> known_number(TensorId id) const;

  TensorId constant(DType dtype, Dims shape, Bytes bytes) {
    return emitter_.constant(dtype, std::move(shape), std::move(bytes));
  }
  TensorId constant(DType dtype, const Dims& shape, const List<double>& values);
  // A constant whose element i is `value(i)`. Checks the budget first.
  template <typename Value>
  TensorId indices(DType dtype, const Dims& shape, const Value& value);
  TensorId filled(DType dtype, const Dims& shape, double value) {
    return emitter_.filled(dtype, shape, value);
  }
  // A tensor filled with `value` whose shape may be dynamic. Dimensions may be 0. The number must be exact in
  // FLOAT32, and OH_NN must have arithmetic on the dtype.
  TensorId filled_as(DType dtype, TensorId shape, double value);

  // Set by the reader.
  Bodies* bodies = nullptr;
  TensorData* data = nullptr;
  Strings* strings = nullptr;
  List<Value*> inputs;
  List<bool> wanted;
  const onnx_file::Messages<onnx_file::ValueInfo>*graph_inputs = nullptr, *graph_outputs = nullptr;
  int8_t activation = 0;  // R15: 1 RELU, 2 RELU6

  // Set by handlers whose result is quantized, or represents such a value, instead of the returned tensor.
  std::optional<Value> result;
  // The outputs that are sequences, by number; the returned tensors of these mean nothing.
  std::map<size_t, Ids> sequences;

  const Attributes attributes;

 private:
  const Row& row_;
  const onnx_file::NodeProto& node_;
  int64_t opset_;
  Emitter& emitter_;
};

// The value as declared in the model, created on first use.
TensorId plain_of(Emitter& emitter, Value& value);

// The outputs of a body as those of the node.
Ids outputs_of(Call& call, const Values& made);

// Errors: a damaged file, and something OH_NN cannot express.
template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

// The dimensions [begin, end).
List<int64_t> axes_between(int64_t begin, int64_t end);

// Emits the operations and returns the tensors of the node's outputs, at least the used ones.
using Handler = Ids (*)(Call&);

inline constexpr int kNoQuantizedInputs = 0;
inline constexpr int kAllInputsQuantized = -1;

struct Row {
  std::string_view type;
  Handler handler = nullptr;
  Op operation{};
  int quantized = kNoQuantizedInputs;  // the number of leading inputs that are quantized operands
  bool activates = false;              // supports a fused activation
  std::string_view domain{};
  size_t required = 1;  // the number of leading inputs that must be there
};

// An operator of ONNX Runtime's own domain.
constexpr Row runtime_row(std::string_view type, Handler handler) {
  return {type, handler, {}, kNoQuantizedInputs, false, "com.microsoft"};
}

// Runs the node's handler, whose ConversionErrors become errors.
Result<Ids> run_handler(Call& call);

// The rows of each family.
std::vector<Row> unary_rows();
std::vector<Row> activation_rows();
std::vector<Row> binary_rows();
std::vector<Row> data_movement_rows();
std::vector<Row> concat_slice_rows();
std::vector<Row> creation_rows();
std::vector<Row> reduce_rows();
std::vector<Row> norm_rows();
std::vector<Row> convolution_rows();
std::vector<Row> pool_rows();
std::vector<Row> matmul_rows();
std::vector<Row> recurrent_rows();
std::vector<Row> index_rows();
std::vector<Row> element_index_rows();
std::vector<Row> resize_rows();
std::vector<Row> sampling_rows();
std::vector<Row> quantized_rows();
std::vector<Row> control_flow_rows();
std::vector<Row> einsum_rows();
std::vector<Row> attention_rows();
std::vector<Row> block_quantized_rows();
std::vector<Row> fused_rows();
std::vector<Row> group_query_rows();
std::vector<Row> integer_matmul_rows();
std::vector<Row> skip_norm_rows();
std::vector<Row> choice_rows();
std::vector<Row> sequence_rows();
std::vector<Row> state_rows();
std::vector<Row> signal_rows();
std::vector<Row> trigonometry_rows();

using RowKey = std::pair<std::string_view, std::string_view>;  // type, domain
const std::map<RowKey, Row>& all_rows();

template <typename Value>
TensorId Call::indices(DType dtype, const Dims& shape, const Value& value) {
  const std::optional<size_t> bytes = nnrt::byte_size(DType::f64, shape);
  if (!bytes) fail(unsupported("A constant of shape ", to_string(shape), " is too large."));
  required(emitter_.budget().take(*bytes));
  List<double> values;
  for (size_t i = 0; i < *bytes / sizeof(double); ++i)
    values.push_back(static_cast<double>(value(static_cast<int64_t>(i))));
  return constant(dtype, shape, values);
}

// Null if the operator is not supported. ONNX's own domain is empty.
const Row* find_row(std::string_view type, std::string_view domain);

}  // namespace nnrt::import::onnx
