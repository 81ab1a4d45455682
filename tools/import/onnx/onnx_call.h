// One node of an ONNX model while it becomes operations.
#pragma once

#include "core/base/text.h"
#include "tools/import/network/parameters.h"
#include "tools/import/onnx/onnx_attributes.h"
#include "tools/import/onnx/onnx_emitter.h"

#include <map>

namespace nnrt::import::onnx {

struct Row;

// Graphs that nodes have as attributes, and functions of the file: they become operations in the place of
// the node that has or calls them.
class Bodies {
 public:
  virtual ~Bodies() = default;
  // The graph reads names of the graphs around it. Its outputs.
  virtual Result<Ids> run_body(const onnx_file::GraphProto& body, const Ids& inputs) = 0;
};

// The scales, and perhaps the zero points, of blocks of so many elements along an axis.
struct BlockScales {
  TensorId scales = 0;
  std::optional<TensorId> zero_points{};
  int64_t size = 0;
};

// A value of the model. One that QuantizeLinear made, or DequantizeLinear makes, exists as a quantized INT8
// tensor (UINT8 of the file minus 128); as what the model calls it only when somebody asks.
struct Value {
  std::optional<TensorId> plain{};
  std::optional<TensorId> quantized{};
  bool dequantized = false;      // plain has the dequantized values
  DType code_type = DType::i8;   // the type in the file
  uint32_t axis = 0;             // the axis of `quantized`, with several scales
  DType real_type = DType::f32;  // the type of dequantized values
  int bits = 0;                  // 4: the values of INT4 or UINT4, as those of 8 bits
  // Then `quantized` is a constant of INT8 or UINT8 as the file has it.
  std::optional<BlockScales> blocks{};
};

class Call {
 public:
  Call(const Row& row, const onnx_file::NodeProto& node, int64_t opset, Emitter& emitter)
      : attributes(node), row_(row), node_(node), opset_(opset), emitter_(emitter) {}

  const Row& row() const { return row_; }
  const std::string& type() const { return node_.op_type(); }
  const onnx_file::NodeProto& node() const { return node_; }
  int64_t opset() const { return opset_; }
  Emitter& emitter() { return emitter_; }

  // Inputs. One that is left out by an empty name, or at the end, is absent.
  size_t input_count() const { return inputs.size(); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  // The tensor: quantized, if the node is computed on quantized values and input i takes part in that.
  Result<TensorId> input(size_t i);
  Result<Ids> all_inputs();
  // The value as the model calls it, whatever the node is computed on.
  Result<TensorId> plain_input(size_t i);
  // Contents of a constant; fails where it is none.
  Result<std::vector<int64_t>> integers(size_t i);
  Result<std::vector<double>> numbers(size_t i);
  // From the attribute, or else from the constant input (newer versions of many operators); empty if neither
  // is given.
  Result<std::vector<int64_t>> integers(std::string_view attribute, size_t i);
  // One element; nothing where only a run knows it.
  std::optional<double> known_number(TensorId id) const;
  // The graph that the node has under this name.
  Result<const onnx_file::GraphProto*> body(std::string_view name) const;
  // Input 1 of an operator of two inputs, as it broadcasts to input 0 today. Before opset 7 an attribute
  // named the dimension of input 0 along which its dimensions begin.
  Result<TensorId> second_operand();
  // Returns whether somebody reads output i.
  bool wants(size_t i) const { return i < wanted.size() && wanted[i]; }

  // Operations.
  Result<TensorId> emit(OH_NN_OperationType operation, const Ids& operands,
                        std::vector<Parameter> parameters = {}, const Outputs& outputs = {}) {
    return emitter_.emit(operation, operands, std::move(parameters), outputs);
  }
  // One of the operators of this runtime.
  Result<TensorId> emit(OH_NNRt_OperationType operation, const Ids& operands,
                        std::vector<Parameter> parameters = {}, const Outputs& outputs = {}) {
    return emit(static_cast<OH_NN_OperationType>(operation), operands, std::move(parameters), outputs);
  }
  // The fused activation, for an operation that has the parameter. Asked once; if never, an operation
  // follows.
  Parameter take_activation(OH_NN_TensorType role);
  bool is_quantized_call() const { return emitter_.target().has_value(); }
  const nnrt::Shape& shape(TensorId id) const { return emitter_.shape(id); }
  int64_t rank(TensorId id) const { return static_cast<int64_t>(emitter_.rank(id)); }

  // The shape of a tensor whose dimensions are the elements of `value`, which is no constant, as far as it is
  // known. Fails where not even the rank is.
  Result<nnrt::Shape> shape_from(TensorId value) const;

  Result<TensorId> cast(TensorId id, DType dtype);
  // A tensor with every element `value`, of the shape that `shape` holds, perhaps only in a run. Dimensions
  // may be 0. FLOAT32 has the number, and OH_NN arithmetic on the type.
  Result<TensorId> filled_as(DType dtype, TensorId shape, double value);
  Result<TensorId> reshape(TensorId id, const std::vector<int64_t>& target);
  Result<TensorId> transpose(TensorId id, const std::vector<int64_t>& order);
  // A constant beside `like`: of the same type, one element.
  TensorId number_like(TensorId like, double value) { return emitter_.number(emitter_.dtype(like), value); }
  // An axis counted from the front, in [0, rank).
  Result<int64_t> axis(int64_t axis, int64_t rank) const;
  Result<std::vector<int64_t>> axes(std::vector<int64_t> axes, int64_t rank) const;

  // Set by the reader.
  Bodies* bodies = nullptr;
  std::vector<Value*> inputs;
  std::vector<bool> wanted;
  int8_t activation = 0;  // R15: 1 RELU, 2 RELU6

  // Set by the handlers whose result is quantized, or stands for such a value, instead of the tensor that
  // they return.
  std::optional<Value> result;

  const Attributes attributes;

 private:
  const Row& row_;
  const onnx_file::NodeProto& node_;
  int64_t opset_;
  Emitter& emitter_;
};

// The value as the model calls it; made if it was not asked for before.
Result<TensorId> plain_of(Emitter& emitter, Value& value);

// An error of the file, and one of what OH_NN can say.
template <typename... Parts>
Error damaged(const Parts&... parts) {
  return {Code::invalid_file, cat(parts...)};
}

inline Result<Ids> single(Result<TensorId> made) {
  NNRT_ASSIGN(const TensorId id, std::move(made));
  return Ids{id};
}

// The bias of a convolution or full connection; zeros if input `input` is absent. Quantized INT32, if the
// node is computed on quantized values.
Result<TensorId> bias_of(Call& call, size_t input, TensorId x, TensorId weights, int64_t channels);

// ScatterElements' and ScatterND's "reduction", as the parameter of OH_NN has it.
Result<int8_t> scatter_reduction(Call& call);

// An LSTM (4 gates), GRU (3) or RNN (1) as the operations of each step, for what OH_NN's layers do not have:
// sequences of different lengths, peepholes, bounds, other functions of gates. The number of steps is known.
Result<Ids> recurrent_steps(Call& call, int64_t gates);

// Makes the operations; returns the tensors of the node's outputs, at least those that are wanted.
using Handler = Result<Ids> (*)(Call&);

inline constexpr int kNoQuantizedInputs = 0;
inline constexpr int kAllInputsQuantized = -1;

struct Row {
  std::string_view type;
  Handler handler = nullptr;
  OH_NN_OperationType operation{};
  int quantized =
      kNoQuantizedInputs;  // the number of first inputs that take part, if computed on quantized values
  bool activates = false;  // has a fused activation
  std::string_view domain{};
};

// The rows of each family.
std::vector<Row> unary_rows();
std::vector<Row> activation_rows();
std::vector<Row> binary_rows();
std::vector<Row> data_movement_rows();
std::vector<Row> concat_slice_rows();
std::vector<Row> slice_rows();
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
std::vector<Row> conditional_rows();
std::vector<Row> control_flow_rows();
std::vector<Row> einsum_rows();
std::vector<Row> tfidf_rows();
std::vector<Row> pool_inverse_rows();
std::vector<Row> attention_rows();
std::vector<Row> block_quantized_rows();
std::vector<Row> fused_rows();
std::vector<Row> integer_matmul_rows();
std::vector<Row> skip_norm_rows();
std::vector<Row> training_rows();
std::vector<Row> choice_rows();
std::vector<Row> loss_rows();
std::vector<Row> signal_rows();
std::vector<Row> trigonometry_rows();

using RowKey = std::pair<std::string_view, std::string_view>;  // type, domain
const std::map<RowKey, Row>& all_rows();

// Null if the operator is not supported. The empty domain is ONNX's own.
const Row* find_row(std::string_view type, std::string_view domain);

}  // namespace nnrt::import::onnx
