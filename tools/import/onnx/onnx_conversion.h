// Converts the nodes of an ONNX graph to operations.
#pragma once

#include "tools/import/network/import_options.h"
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_functions.h"
#include "tools/import/onnx/onnx_nodes.h"

#include <span>
#include <unordered_set>

namespace nnrt::import::onnx {

// State shared by all graphs of a file.
struct Model {
  Model(const onnx_file::ModelProto& file, TensorData tensor_data, size_t file_size)
      : functions(file), data(std::move(tensor_data)), emitter(file_size) {}

  // A subgraph, shared by iterations or calls.
  struct Body {
    Nodes nodes;
    std::unordered_map<std::string, Value> constants;
  };

  Functions functions;
  TensorData data;
  Strings strings;
  Emitter emitter;
  NodeBudget node_budget;
  std::map<const onnx_file::GraphProto*, Body> bodies;
  size_t depth = 0;  // nesting depth of calls and bodies
};

// One error listing all unsupported operators in the graph and in the functions it calls.
Status check_operators(const onnx_file::GraphProto& graph, const Nodes& nodes, const Functions& functions);

// Both fail if the bytes are not an ONNX model with a graph. The message has all data of tensors.
Result<onnx_file::ModelProto> parse_onnx(std::span<const std::byte> file);
// Large data stay in the file.
Result<onnx_file::ModelFile> parse_onnx(const ByteSource& file);
// `size` bounds the constants that the reader creates. `failed` receives the position of the node that could
// not be converted, if that is the error.
Result<Network> convert(const onnx_file::ModelProto& model, TensorData data, size_t size,
                        const Options& options, int* failed = nullptr);
Result<int64_t> read_opset(const onnx_file::Messages<onnx_file::OperatorSet>& sets);
Result<int64_t> read_opset(const onnx_file::ModelProto& model);

// Errors are ConversionErrors, unless a function returns them.
class Conversion : public Bodies {
 public:
  // `outer` is the graph enclosing a body; the body may read its values.
  Conversion(const onnx_file::GraphProto& graph, const Nodes& nodes, int64_t opset, Model& model,
             Conversion* outer = nullptr)
      : graph_(graph),
        nodes_(nodes),
        opset_(opset),
        model_(model),
        emitter_(model.emitter),
        outer_(outer),
        done_(static_cast<size_t>(graph.node_size()), false) {}

  void add_constants();
  void add_inputs(const Options& options);
  Status convert_nodes();
  int position() const { return position_; }
  Network finish() &&;

  Result<Values> run_body(const onnx_file::GraphProto& body, const Values& inputs) override;

 private:
  void convert(int position);
  bool reads_strings(const Call& call) const;
  const NarrowFloat* narrow_result(const Call& call, TensorId made) const;
  void bind_outputs(Call& call, const onnx_file::NodeProto& node, const std::string& first, const Ids& made);
  Ids call_function(const onnx_file::FunctionProto& function, Call& call);
  Model::Body& read_body(const onnx_file::GraphProto& body);
  // Sets the names of the node that owns the body.
  void set_place(const std::string& origin, const Layer& layer) {
    origin_ = origin + ": ";
    layer_name_ = layer.name + "/";
    outermost_ = layer.node;
  }
  // Converts a body whose inputs are bound, and returns its outputs.
  Values run_inner(const Model::Body& body);
  Value* find(const std::string& name);
  // With the inputs from `first` on.
  Call prepare(const onnx_file::NodeProto& node, const Row& row, int first);
  Ids run(Call& call, int position, std::string& output);
  // Fuses a Relu, or a Clip to [0, 6], that is the value's only reader, and advances `value` past it.
  int8_t take_activation(std::string& value);
  // The QuantizeLinear that is the value's only reader, or -1.
  int quantizer(const std::string& value) const;
  bool is_quantized_value(const Call& call) const;
  void bind(const std::string& name, Value value);
  // Warns if the shape that the file declares is not that of the tensor.
  void compare_declared(const onnx_file::ValueInfo& output, TensorId id) const;
  Layer layer_of(int position) const;

  const onnx_file::GraphProto& graph_;
  const Nodes& nodes_;
  int64_t opset_;
  Model& model_;
  Emitter& emitter_;
  Conversion* outer_;
  std::string origin_, layer_name_;  // for a body: prefixes for the names of its nodes
  int outermost_ = -1;               // for a body: the position of the node in the outermost graph
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<std::string> absent_;  // function inputs that a call omits
  Ids inputs_;
  bool has_file_shapes_ = true;  // no input got another shape than the file declares
  List<bool> done_;
  int position_ = -1;  // of the node being converted
};

}  // namespace nnrt::import::onnx
