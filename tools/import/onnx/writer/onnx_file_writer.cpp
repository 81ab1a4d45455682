#include "tools/import/onnx/writer/onnx_file_writer.h"

#include "core/base/text.h"
#include "core/base/transpose.h"
#include "tools/import/network/core_network.h"

#include <algorithm>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kIrVersion = 8;

// As in AttributeProto.AttributeType.
enum AttributeType : int32_t { real = 1, integer = 2, text = 3, reals = 6, integers = 7 };

struct SetValue {
  onnx_file::AttributeProto& made;

  void operator()(int64_t value) const {
    made.set_type(integer);
    made.set_i(value);
  }
  void operator()(float value) const {
    made.set_type(real);
    made.set_f(value);
  }
  void operator()(const std::string& value) const {
    made.set_type(text);
    made.set_s(value);
  }
  void operator()(const Integers& values) const {
    made.set_type(integers);
    for (const int64_t value : values) made.add_ints(value);
  }
  void operator()(const std::vector<float>& values) const {
    made.set_type(reals);
    for (const float value : values) made.add_floats(value);
  }
};

}  // namespace

Integers order_of(Layout layout, size_t rank) {
  if (layout == Layout::channels_first) return to_channels_first(rank);
  Integers order(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

nnrt::Shape in_order(const nnrt::Shape& shape, const Integers& order) {
  nnrt::Shape made;
  for (const int64_t d : order) made.push_back(shape[static_cast<size_t>(d)]);
  return made;
}

Bytes permuted(const nnrt::Tensor& constant, const nnrt::Shape& shape, const Integers& order) {
  return transposed(*constant.data, shape, {order.begin(), order.end()}, size_of(constant.dtype));
}

int32_t type_of(DType dtype) {
  constexpr int8_t kNumbers[kDTypeCount] = {1, 9, 3, 5, 6, 7, 2, 4, 12, 13, 10, 1, 11};
  return kNumbers[static_cast<size_t>(dtype)];
}

FileWriter::FileWriter(const nnrt::Graph& graph) : graph_(graph) {
  for (const nnrt::Tensor& tensor : graph.tensors)
    constants_.push_back(tensor.is_constant() ? tensor.data->data() : nullptr);
  for (const auto* ids : {&graph.inputs, &graph.outputs})
    for (const TensorId id : *ids) name_of(id);  // keep theirs
  for (const TensorId id : graph.inputs) define(id, Layout::own);
}

std::string FileWriter::new_name(const std::string& wanted) {
  std::string name = wanted.empty() ? "tensor" : wanted;
  for (int i = 1; !taken_.insert(name).second; ++i) name = cat(wanted, '_', i);
  return name;
}

const std::string& FileWriter::name_of(TensorId id) {
  std::string& name = names_[id];
  if (name.empty()) name = new_name(graph_.tensors[id].name);
  return name;
}

void FileWriter::add(const char* type, Names inputs, Names outputs, const std::vector<Attribute>& attributes,
                     int since) {
  onnx_file::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(type);
  node.set_name(new_name(node_name_.empty() ? outputs[0] + "_" + type : node_name_));
  for (std::string& input : inputs) node.add_input(std::move(input));
  for (std::string& output : outputs) node.add_output(std::move(output));
  for (const Attribute& attribute : attributes) {
    onnx_file::AttributeProto& made = *node.add_attribute();
    made.set_name(attribute.name);
    std::visit(SetValue{made}, attribute.value);
  }
  opset_ = std::max(opset_, since);
}

std::string FileWriter::constant(const std::string& name, DType dtype, const nnrt::Shape& shape,
                                 ByteView data) {
  onnx_file::TensorProto& made = *model_.mutable_graph()->add_initializer();
  made.set_name(new_name(name));
  made.set_data_type(type_of(dtype));
  for (const int64_t length : shape) made.add_dims(length);
  made.set_raw_data(data.data(), data.size());
  return made.name();
}

std::string FileWriter::stored(TensorId id, Layout layout) {
  if (has(id, layout)) return stored_[at(layout)].at(id);
  const nnrt::Tensor& tensor = graph_.tensors[id];
  const size_t rank = tensor.is_constant() ? tensor.shape.size() : graph_.shapes[id].size();
  if (tensor.is_constant()) {
    const Integers order = order_of(layout, rank);
    const std::string made = layout == Layout::own
                                 ? constant(name_of(id), tensor.dtype, tensor.shape, *tensor.data)
                                 : constant(name_of(id), tensor.dtype, in_order(tensor.shape, order),
                                            permuted(tensor, tensor.shape, order));
    return stored_[at(layout)][id] = made;
  }
  const Layout other = layout == Layout::own ? Layout::channels_first : Layout::own;
  const Integers order = layout == Layout::own ? to_channels_last(rank) : to_channels_first(rank);
  const std::string from = stored(id, other), to = define(id, layout);
  add("Transpose", {from}, {to}, {{"perm", order}});
  return to;
}

std::string FileWriter::value(TensorId id, Layout layout) {
  if (!is_quantized(id)) return stored(id, layout);
  std::string& name = values_[at(layout)][id];
  if (name.empty()) {
    name = new_name(name_of(id) + "_dequantized");
    const nnrt::Tensor& tensor = graph_.tensors[id];
    dequantize(stored(id, layout), tensor.quant, tensor.dtype, 0, name);
  }
  return name;
}

std::string FileWriter::define(TensorId id, Layout layout) {
  const std::string& name = name_of(id);
  return stored_[at(layout)][id] = layout == Layout::own ? name : new_name(name + "_channels_first");
}

bool FileWriter::follows_transpose(const nnrt::Node& transpose) {
  const TensorId from = transpose.inputs[0], to = transpose.outputs[0];
  const auto order = view(transpose).integers(1);
  const size_t rank = graph_.shapes[from].size();
  if (!order || rank < 3 || graph_.tensors[from].quant != graph_.tensors[to].quant) return false;
  const bool is_output = std::ranges::count(graph_.outputs, to) > 0;
  if (*order == to_channels_first(rank) && has(from, Layout::channels_first) && !is_output) {
    stored_[at(Layout::own)][to] = stored(from, Layout::channels_first);
    return true;
  }
  if (*order != to_channels_last(rank)) return false;
  stored_[at(Layout::channels_first)][to] = stored(from, Layout::own);
  return true;
}

Names FileWriter::coding(const Quant& quant, DType dtype, const std::string& name) {
  Names& made = codings_[{quant.scales, quant.zero_points}][dtype];
  if (!made.empty()) return made;
  const nnrt::Shape shape =
      quant.scales.size() == 1 ? nnrt::Shape() : nnrt::Shape{static_cast<int64_t>(quant.scales.size())};
  const std::vector<float> scales(quant.scales.begin(), quant.scales.end());
  made = {constant(name + "_scale", DType::f32, shape, std::as_bytes(std::span(scales)))};
  if (dtype == DType::i32) return made;
  std::vector<uint8_t> zeros;
  for (const int32_t zero : quant.zero_points) zeros.push_back(static_cast<uint8_t>(zero));
  made.push_back(constant(name + "_zero_point", dtype, shape, std::as_bytes(std::span(zeros))));
  return made;
}

void FileWriter::quantize(const std::string& from, const Quant& quant, DType dtype, int64_t axis,
                          const std::string& to) {
  const Names codes = coding(quant, dtype, to);
  add("QuantizeLinear", {from, codes[0], codes[1]}, {to}, {{"axis", axis}});
}

void FileWriter::dequantize(const std::string& from, const Quant& quant, DType dtype, int64_t axis,
                            const std::string& to) {
  Names inputs = coding(quant, dtype, from);
  inputs.insert(inputs.begin(), from);
  add("DequantizeLinear", inputs, {to}, {{"axis", axis}});
}

void FileWriter::add_value(onnx_file::ValueInfo& info, TensorId id) {
  info.set_name(name_of(id));
  onnx_file::TensorType& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(type_of(graph_.tensors[id].dtype));
  onnx_file::TensorShape& shape = *type.mutable_shape();
  for (const int64_t length : graph_.shapes[id]) {
    onnx_file::Dimension& dimension = *shape.add_dim();
    if (length >= 0) dimension.set_dim_value(length);
  }
}

Result<std::string> FileWriter::finish() {
  constexpr size_t kLimit = (size_t{1} << 31) - 1;
  onnx_file::GraphProto& graph = *model_.mutable_graph();
  node_name_.clear();
  for (const TensorId id : graph_.outputs) stored(id, Layout::own);
  for (const TensorId id : graph_.inputs) add_value(*graph.add_input(), id);
  for (const TensorId id : graph_.outputs) add_value(*graph.add_output(), id);
  graph.set_name("main");
  model_.set_ir_version(kIrVersion);
  model_.add_opset_import()->set_version(opset_);
  if (model_.byte_size() > kLimit)
    return unsupported("The model has ", model_.byte_size(),
                       " bytes, but an .onnx file without external data holds at most 2 GiB.");
  return model_.serialize();
}

}  // namespace nnrt::import::onnx
