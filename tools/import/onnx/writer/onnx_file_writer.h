// An ONNX model being written from a core graph.
#pragma once

#include "core/graph/graph.h"
#include "core/schema/node_view.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <array>
#include <map>
#include <set>
#include <variant>

namespace nnrt::import::onnx {

using Names = std::vector<std::string>;
using Integers = std::vector<int64_t>;

struct Attribute {
  const char* name;
  std::variant<int64_t, float, std::string, Integers, std::vector<float>> value;
};

// ONNX has channels before the spatial dimensions. A tensor whose channels are last may be stored in either
// order, or in both.
enum class Layout : uint8_t { own, channels_first };

// For each dimension of the layout, the tensor's dimension.
Integers order_of(Layout layout, size_t rank);
nnrt::Shape in_order(const nnrt::Shape& shape, const Integers& order);
// Values in another order of the dimensions.
Bytes permuted(const nnrt::Tensor& constant, const nnrt::Shape& shape, const Integers& order);

// The number in TensorProto.DataType.
int32_t type_of(DType dtype);

class FileWriter {
 public:
  explicit FileWriter(const nnrt::Graph& graph);

  const nnrt::Graph& graph() const { return graph_; }
  NodeView view(const nnrt::Node& node) const { return {graph_, node, graph_.shapes, constants_}; }
  bool is_quantized(TensorId id) const {
    const nnrt::Tensor& tensor = graph_.tensors[id];
    return !tensor.quant.empty() && size_of(tensor.dtype) == 1 && tensor.dtype != DType::boolean;
  }
  // Whether a node has written the tensor in this layout.
  bool has(TensorId id, Layout layout) const { return stored_[at(layout)].contains(id); }

  std::string new_name(const std::string& wanted);
  // Nodes that follow have names like this one.
  void set_node_name(const std::string& name) { node_name_ = name; }
  // `since`: the opset that introduced the operator.
  void add(const char* type, Names inputs, Names outputs, const std::vector<Attribute>& attributes = {},
           int since = kOpset);
  std::string constant(const std::string& name, DType dtype, const nnrt::Shape& shape, ByteView data);

  // The tensor as it is stored, and as operators read it: quantized tensors are dequantized.
  std::string stored(TensorId id, Layout layout);
  std::string value(TensorId id, Layout layout);
  // The name of a tensor that a node writes.
  std::string define(TensorId id, Layout layout);
  // A TRANSPOSE of data that are stored in the other layout too needs no node. Returns whether this is one.
  bool follows_transpose(const nnrt::Node& transpose);
  void quantize(const std::string& from, const Quant& quant, DType dtype, int64_t axis,
                const std::string& to);
  void dequantize(const std::string& from, const Quant& quant, DType dtype, int64_t axis,
                  const std::string& to);

  // Fails if the file would exceed the format's 2 GiB.
  Result<std::string> finish();

 private:
  using ByTensor = std::map<TensorId, std::string>;
  static constexpr int kOpset = 18;

  static size_t at(Layout layout) { return static_cast<size_t>(layout); }
  const std::string& name_of(TensorId id);
  // Scale and zero point.
  Names coding(const Quant& quant, DType dtype, const std::string& name);
  void add_value(onnx_file::ValueInfo& info, TensorId id);

  const nnrt::Graph& graph_;
  std::vector<const std::byte*> constants_;
  onnx_file::ModelProto model_;
  std::set<std::string> taken_;
  ByTensor names_;
  std::array<ByTensor, 2> stored_, values_;  // by layout
  std::map<std::pair<std::vector<double>, std::vector<int32_t>>, std::map<DType, Names>> codings_;
  std::string node_name_;
  int opset_ = kOpset;
};

}  // namespace nnrt::import::onnx
