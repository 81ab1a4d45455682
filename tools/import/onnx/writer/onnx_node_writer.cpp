#include "tools/import/onnx/writer/onnx_node_writer.h"

#include "core/base/bytes_of.h"
#include "core/base/element_types.h"
#include "core/writer/list.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/row_of.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace nnrt::import::onnx {
namespace {

Bytes element(double value, DType dtype) {
  return dispatch_dtype(
      dtype, [&]<typename T>(std::type_identity<T>) { return bytes_of(std::vector<T>{narrow<T>(value)}); });
}

const WriteRow* find_row(Op op) {
  return row_of<spatial_write_rows, elementwise_write_rows, data_movement_write_rows, other_write_rows>(op);
}

bool is_one_element(const nnrt::Shape& shape) { return shape.size() <= 1 && element_count(shape) == 1; }

// Whether the node can work on data that are already stored with the channels first.
bool follows_channels_first(const FileWriter& file, const nnrt::Node& node) {
  const nnrt::Graph& graph = file.graph();
  const bool is_cast = node.op == Op::quant_dtype_cast &&
                       graph.tensors[node.inputs[0]].quant.scales.size() <= 1 &&
                       graph.tensors[node.outputs[0]].quant.scales.size() <= 1;
  const bool is_pad = node.op == Op::pad && graph.tensors[node.inputs[1]].is_constant();
  if (schema(node.op).layout_dependent ||
      !(schema(node.op).is_elementwise() || node.op == Op::concat || is_cast || is_pad))
    return false;
  bool any = false;
  for (size_t i = 0; i < (is_pad ? 1 : node.inputs.size()); ++i) {
    const TensorId id = node.inputs[i];
    if (graph.tensors[id].is_constant() || is_one_element(graph.shapes[id])) continue;
    if (graph.shapes[id].size() != graph.shapes[node.outputs[0]].size() ||
        !file.has(id, Layout::channels_first))
      return false;
    any = true;
  }
  return any;
}

}  // namespace

NodeWriter::NodeWriter(FileWriter& file, const nnrt::Node& node, const WriteRow& row, Layout layout)
    : NodeAttributes(node), file_(file), node_(node), view_(file.view(node)), row_(row), layout_(layout) {}

nnrt::Shape NodeWriter::output_shape(size_t i) const {
  const nnrt::Shape& shape = view_.output_shape(i);
  return in_order(shape, order_of(layout_, shape.size()));
}

int64_t NodeWriter::axis(int64_t given) const {
  const auto count = static_cast<int64_t>(rank());
  const Integers order = order_of(layout_, rank());
  return std::ranges::find(order, given < 0 ? given + count : given) - order.begin();
}

std::string NodeWriter::in(size_t i) {
  const TensorId id = node_.inputs[i];
  const bool is_data = i == 0 || !schema(op()).layout_dependent;
  const nnrt::Tensor& tensor = file_.graph().tensors[id];
  if (layout_ == Layout::own || !is_data || is_one_element(view_.shape(i)))
    return file_.value(id, Layout::own);
  const size_t full = view_.output_shape(0).size();
  if (!tensor.is_constant() || tensor.shape.size() == full) return file_.value(id, layout_);
  nnrt::Shape shape(full - tensor.shape.size(), 1);
  shape.insert(shape.end(), tensor.shape.begin(), tensor.shape.end());
  const Integers order = order_of(layout_, full);
  const std::string made =
      file_.constant(tensor.name, tensor.dtype, in_order(shape, order), permuted(tensor, shape, order));
  if (!file_.is_quantized(id)) return made;
  const std::string real = temporary();
  file_.dequantize(made, tensor.quant, tensor.dtype, 0, real);
  return real;
}

std::string NodeWriter::as(size_t i, DType to) {
  return dtype(i) == to || file_.is_quantized(node_.inputs[i]) ? in(i) : cast(in(i), to);
}

Names NodeWriter::all_inputs() {
  Names names;
  for (size_t i = 0; i < input_count(); ++i) names.push_back(in(i));
  return names;
}

std::string NodeWriter::weights(size_t i, const Integers& order) {
  const TensorId id = node_.inputs[i];
  const nnrt::Tensor& tensor = file_.graph().tensors[id];
  if (!tensor.is_constant()) {
    if (tensor.quant.scales.size() > 1) refuse("computed weights with a scale per channel");
    return derive("Transpose", {file_.value(id, Layout::own)}, {{"perm", order}});
  }
  const std::string made = file_.constant(tensor.name, tensor.dtype, in_order(tensor.shape, order),
                                          permuted(tensor, tensor.shape, order));
  if (tensor.quant.empty()) return made;
  const std::string real = temporary();
  file_.dequantize(made, tensor.quant, tensor.dtype, std::ranges::find(order, 0) - order.begin(), real);
  return real;
}

std::string NodeWriter::bias(size_t i, size_t weights) {
  if (i >= input_count()) return {};
  const TensorId id = node_.inputs[i];
  const nnrt::Tensor& tensor = file_.graph().tensors[id];
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (tensor.is_constant() && std::ranges::all_of(*tensor.data, is_zero)) return {};
  if (!is_quantized(0)) return file_.value(id, Layout::own);
  Quant quant{view_.input(weights).quant.scales, view_.input(weights).quant.zero_points};
  for (double& scale : quant.scales) scale *= view_.input(0).quant.scales[0];
  const std::string made = temporary();
  file_.dequantize(file_.stored(id, Layout::own), quant, DType::i32, 0, made);
  return made;
}

std::string NodeWriter::by_channel(size_t i) {
  const nnrt::Shape& shape = view_.shape(i);
  if (rank() < 3 || is_one_element(shape)) return in(i);
  Integers target(rank() - 1, 1);
  target[0] = -1;
  return derive("Reshape", {in(i), vector(target)});
}

std::optional<Integers> NodeWriter::known_integers(size_t i) const {
  return i < input_count() ? view_.integers(i) : std::nullopt;
}

Integers NodeWriter::integers(size_t i) const {
  const auto found = known_integers(i);
  if (!found)
    refuse(cat("a computed ", schema(op()).inputs[std::min(i, schema(op()).inputs.size() - 1)].name));
  return *found;
}

std::string NodeWriter::as_int64(size_t i, bool as_vector) {
  const nnrt::Tensor& tensor = view_.input(i);
  if (const auto known = known_integers(i)) {
    const nnrt::Shape vector{static_cast<int64_t>(known->size())};
    return file_.constant(tensor.name, DType::i64, as_vector ? vector : tensor.shape, bytes_of(*known));
  }
  const std::string wide = as(i, DType::i64);
  return as_vector && view_.shape(i).size() != 1 ? derive("Reshape", {wide, vector({-1})}) : wide;
}

std::string NodeWriter::vector(const Integers& values) {
  return file_.constant(outputs[0] + "_list", DType::i64, {static_cast<int64_t>(values.size())},
                        bytes_of(values));
}

std::string NodeWriter::scalar(double value, DType dtype) {
  if (dtype != DType::f16) return file_.constant(outputs[0] + "_number", dtype, {}, element(value, dtype));
  return cast(file_.constant(outputs[0] + "_number", DType::f32, {}, element(value, DType::f32)), dtype);
}

std::string NodeWriter::temporary() { return file_.new_name(outputs[0] + "_part"); }

std::string NodeWriter::derive(const char* type, const Names& inputs,
                               const std::vector<Attribute>& attributes) {
  const std::string made = temporary();
  file_.add(type, inputs, {made}, attributes);
  return made;
}

void NodeWriter::write_to(size_t output, const char* type, const Names& inputs,
                          const std::vector<Attribute>& attributes) {
  file_.add(type, inputs, {outputs[output]}, attributes);
}

void NodeWriter::write(const char* type, const Names& inputs, std::vector<Attribute> attributes, int since) {
  for (const auto& [attr, name] : row_.mapped) {
    if (!has(attr)) continue;
    const AttrValue& value = attribute(attr);
    if (is_float(value.dtype)) {
      attributes.push_back({name, static_cast<float>(value.floats.at(0))});
    } else {
      attributes.push_back({name, attr == Attr::axis ? axis(value.integers.at(0)) : value.integers.at(0)});
    }
  }
  const int64_t activation = has(Attr::activation) ? integer(Attr::activation) : 0;
  const std::string result = activation == 0 ? outputs[0] : temporary();
  file_.add(type, inputs, {result}, attributes, std::max(since, row_.since));
  if (activation == 1) write_to(0, "Relu", {result});
  if (activation == 2) {
    const DType type_of_result = is_quantized() ? DType::f32 : view_.output(0).dtype;
    write_to(0, "Clip", {result, scalar(0, type_of_result), scalar(6, type_of_result)});
  }
}

void NodeWriter::write_reshaped(const std::string& from, size_t output) {
  nnrt::Shape shape = output_shape(output);
  const auto unknown = std::ranges::count(shape, int64_t{-1});
  if (unknown > 1) refuse("a result of unknown shape");
  write_to(output, "Reshape", {from, vector({shape.begin(), shape.end()})});
}

std::string NodeWriter::cast(const std::string& from, DType dtype) {
  return derive("Cast", {from}, {{"to", int64_t{type_of(dtype)}}});
}

void NodeWriter::write_cast(const std::string& from, DType dtype, size_t output) {
  write_to(output, "Cast", {from}, {{"to", int64_t{type_of(dtype)}}});
}

std::string NodeWriter::rounded(const std::string& from, const Quant& quant) {
  const std::string codes = temporary(), made = temporary();
  file_.quantize(from, quant, DType::i8, 0, codes);
  file_.dequantize(codes, quant, DType::i8, 0, made);
  return made;
}

void NodeWriter::refuse(std::string_view what) const {
  throw ConversionError(unsupported("ONNX has no ", short_name(op()), " with ", what, "."));
}

void write_plain(NodeWriter& node) { node.write(node.row().type, node.all_inputs()); }

Status write_node(FileWriter& file, const nnrt::Node& node) {
  const nnrt::Graph& graph = file.graph();
  if (node.op == Op::transpose && file.follows_transpose(node)) return {};
  const bool is_first = channels_of(graph, node) == Channels::last || follows_channels_first(file, node);
  const Layout layout = is_first ? Layout::channels_first : Layout::own;
  Names stored;  // also of a node that is refused, for those that follow
  for (const TensorId id : node.outputs) stored.push_back(file.define(id, layout));
  const WriteRow* const row = find_row(node.op);
  if (row == nullptr) return unsupported("ONNX has no operator for ", short_name(node.op), ".");
  if (schema(node.op).outputs[0].sums && graph.tensors[node.outputs[0]].dtype == DType::i32)
    return unsupported("ONNX has no INT32 sums of INT8 products.");
  if (has_unknown_channels(graph, node))
    return unsupported("ONNX has no ", short_name(node.op), " of values with a scale per channel.");
  const auto is_coded = [&](size_t i) {
    return file.is_quantized(node.outputs[i]) && node.op != Op::quant_dtype_cast;
  };
  NodeWriter writer(file, node, *row, layout);
  for (size_t i = 0; i < stored.size(); ++i)
    writer.outputs.push_back(is_coded(i) ? file.new_name(stored[i] + "_float") : stored[i]);
  row->write(writer);
  for (size_t i = 0; i < stored.size(); ++i) {
    const nnrt::Tensor& tensor = graph.tensors[node.outputs[i]];
    if (is_coded(i)) file.quantize(writer.outputs[i], tensor.quant, tensor.dtype, 0, stored[i]);
  }
  return writer.check_attributes("ONNX");
}

}  // namespace nnrt::import::onnx
