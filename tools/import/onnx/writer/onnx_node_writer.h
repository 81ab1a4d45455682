// A node of the core graph being written as nodes of an ONNX model.
#pragma once

#include "core/base/text.h"
#include "tools/import/network/node_attributes.h"
#include "tools/import/onnx/writer/onnx_file_writer.h"

#include <span>

namespace nnrt::import::onnx {

struct WriteRow;

class NodeWriter : public NodeAttributes {
 public:
  NodeWriter(FileWriter& file, const nnrt::Node& node, const WriteRow& row, Layout layout);

  const WriteRow& row() const { return row_; }
  Op op() const { return node_.op; }
  const NodeView& view() const { return view_; }
  size_t input_count() const { return view_.input_count(); }
  DType dtype(size_t i = 0) const { return view_.dtype(i); }
  // Shapes in the layout of the node. Unknown dimensions are -1.
  nnrt::Shape shape(size_t i = 0) const { return in_order(view_.shape(i), order_of(layout_, rank(i))); }
  nnrt::Shape output_shape(size_t i = 0) const;
  size_t rank(size_t i = 0) const { return view_.shape(i).size(); }
  // An axis in the layout of the node, in [0, rank).
  int64_t axis(int64_t given) const;
  Layout layout() const { return layout_; }
  bool is_quantized(size_t i = 0) const { return file_.is_quantized(node_.inputs[i]); }

  // The value of an input, in the layout of the node if it is the data or an operand of the same rank.
  std::string in(size_t i);
  std::string as(size_t i, DType dtype);
  Names all_inputs();
  // A constant weight in another order, or a Transpose of a computed one. Scales belong to dimension 0.
  std::string weights(size_t i, const Integers& order);
  // Empty if it is all zeros.
  std::string bias(size_t i, size_t weights);
  // A vector with a value per channel, as an operand of the data.
  std::string by_channel(size_t i);

  // The values of a constant input. Throws if it is computed.
  Integers integers(size_t i) const;
  std::optional<Integers> known_integers(size_t i) const;
  // An integer input as INT64.
  std::string as_int64(size_t i, bool as_vector = false);
  std::string vector(const Integers& values);
  std::string scalar(double value, DType dtype);
  std::string temporary();

  // Writes a node with one new result.
  std::string derive(const char* type, const Names& inputs, const std::vector<Attribute>& attributes = {});
  // Writes the node of the result, and its activation.
  void write(const char* type, const Names& inputs, std::vector<Attribute> attributes = {}, int since = 18);
  void write_to(size_t output, const char* type, const Names& inputs,
                const std::vector<Attribute>& attributes = {});
  void write_nodes(const char* type, const Names& inputs, const Names& results,
                   const std::vector<Attribute>& attributes) {
    file_.add(type, inputs, results, attributes);
  }
  // Brings the value to the shape and dtype of the output.
  void write_reshaped(const std::string& from, size_t output = 0);
  void write_cast(const std::string& from, DType dtype, size_t output);
  std::string cast(const std::string& from, DType dtype);
  // Rounds a value to the codes of an input or the output, between two nodes of a quantized operator.
  std::string rounded(const std::string& from, const Quant& quant);
  // Names of the results, before quantization.
  Names outputs;

  FileWriter& file() { return file_; }
  [[noreturn]] void refuse(std::string_view what) const;

 private:
  FileWriter& file_;
  const nnrt::Node& node_;
  NodeView view_;
  const WriteRow& row_;
  Layout layout_;
};

struct MappedAttribute {
  Attr attr{};
  const char* name;
};

using WriteFunction = void (*)(NodeWriter&);
// The operator with the same operands.
void write_plain(NodeWriter& node);

struct WriteRow {
  Op op{};
  const char* type = nullptr;
  WriteFunction write = write_plain;
  std::vector<MappedAttribute> mapped = {};
  int since = 18;
};

std::vector<WriteRow> elementwise_write_rows();
std::vector<WriteRow> data_movement_write_rows();
std::vector<WriteRow> spatial_write_rows();
std::vector<WriteRow> other_write_rows();

// Appends the nodes that compute the node. Fails if ONNX cannot express it.
Status write_node(FileWriter& file, const nnrt::Node& node);

}  // namespace nnrt::import::onnx
