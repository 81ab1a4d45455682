// Nodes of the core graph as primitives of MindSpore Lite.
#pragma once

#include "core/writer/list.h"
#include "mindspore/model/source_graph.h"
#include "tools/import/network/node_attributes.h"

#include <optional>

namespace nnrt::import::mindspore {

using nnrt::mindspore::Primitive;
using nnrt::mindspore::PrimitiveType;
using nnrt::mindspore::SourceGraph;
using nnrt::mindspore::SourceNode;
using nnrt::mindspore::SourceTensor;

// A tensor of the graph as a tensor of the file.
SourceTensor source_tensor(const nnrt::Graph& graph, TensorId id);

// A node being written. Tensors of the file are numbered as those of the graph; others follow. Errors are
// ConversionErrors.
class NodeWriter : public NodeAttributes {
 public:
  NodeWriter(const nnrt::Graph& graph, const nnrt::Node& node, SourceGraph& file);

  const nnrt::Tensor& input(size_t i) const { return graph_.tensors[node_.inputs[i]]; }
  const nnrt::Tensor& output(size_t i = 0) const { return graph_.tensors[node_.outputs[i]]; }
  const nnrt::Shape& shape(size_t i) const { return graph_.shapes[node_.inputs[i]]; }
  Format format() const { return graph_.format_of(node_); }

  // The tensors of the primitive, initially those of the node.
  std::vector<uint32_t> inputs, outputs;

  uint32_t add_constant(DType dtype, nnrt::Shape shape, Bytes data);
  uint32_t add_integers(const std::vector<int64_t>& values);
  // Those of products of input 0 with the weights.
  void set_bias_scales();
  // The values of an input, if it is constant.
  std::optional<std::vector<int64_t>> integers(size_t i) const;
  // A tensor like `id` with another shape, to be written by a node.
  uint32_t add_like(uint32_t id, nnrt::Shape shape);
  uint32_t add(SourceTensor tensor);
  const SourceTensor& tensor(uint32_t id) const { return file_.tensors[id]; }
  SourceTensor& tensor(uint32_t id) { return file_.tensors[id]; }
  void write(Primitive primitive, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs);
  // Runs the primitive on copies of the data with the channels last.
  void write_with_last_channels(Primitive primitive);

 private:
  const nnrt::Graph& graph_;
  const nnrt::Node& node_;
  SourceGraph& file_;
  std::string name_;
};

// Fields that are no attributes, and tensors in another order.
using WriteFunction = void (*)(NodeWriter&, Primitive&);

struct FixedField {
  std::string_view field;
  int64_t value = 0;
};

struct WriteRow {
  Op op{};
  PrimitiveType type{};
  WriteFunction write = nullptr;
  std::vector<FixedField> fixed = {};
};

std::vector<WriteRow> spatial_write_rows();
std::vector<WriteRow> elementwise_write_rows();
std::vector<WriteRow> data_movement_write_rows();
std::vector<WriteRow> other_write_rows();

// Appends the nodes of the file that compute the node. Fails if it has a parameter that no field can express.
Status write_node(const nnrt::Graph& graph, const nnrt::Node& node, SourceGraph& file);

}  // namespace nnrt::import::mindspore
