// Turns the nodes of an ONNX graph into operations.
#pragma once

#include "tools/import/network/import_options.h"
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/onnx_nodes.h"

#include <filesystem>

namespace nnrt::import::onnx {

// One error for all operators that are not supported.
Status check_operators(const onnx_file::GraphProto& graph, const Nodes& nodes);

class Conversion {
 public:
  Conversion(const onnx_file::GraphProto& graph, const Nodes& nodes, int64_t opset, size_t file_size)
      : graph_(graph),
        nodes_(nodes),
        opset_(opset),
        emitter_(file_size),
        done_(static_cast<size_t>(graph.node_size()), false) {}

  Status add_constants(const std::filesystem::path& folder);
  Status add_inputs(const Options& options);
  Status convert_nodes();
  Result<Network> finish() &&;

 private:
  Status convert(int position);
  Result<Value*> find(const std::string& name);
  // With the inputs from `first` on.
  Result<Call> prepare(const onnx_file::NodeProto& node, const Row& row, int first);
  Result<Ids> run(Call& call, int position, std::string& output);
  // Follows the value to a Relu, or a Clip to [0, 6], that alone reads it, and goes on behind it.
  int8_t take_activation(std::string& value);
  // The QuantizeLinear that alone reads the value; -1 if there is none.
  int quantizer(const std::string& value) const;
  bool is_quantized_value(const Call& call) const;
  void bind(const std::string& name, Value value);

  const onnx_file::GraphProto& graph_;
  const Nodes& nodes_;
  int64_t opset_;
  Emitter emitter_;
  std::unordered_map<std::string, Value> values_;
  Ids inputs_;
  std::vector<bool> done_;
};

}  // namespace nnrt::import::onnx
