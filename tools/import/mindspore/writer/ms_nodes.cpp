#include "tools/import/mindspore/writer/ms_nodes.h"

#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "core/passes/layout/nhwc_layout.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/row_of.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;

int64_t activation_code(int64_t activation) {
  constexpr ActivationType kCodes[] = {ActivationType::none, ActivationType::relu, ActivationType::relu6};
  return static_cast<int64_t>(kCodes[activation]);
}

std::vector<Integers> pairs_of(const Integers& flat) {
  std::vector<Integers> pairs;
  for (size_t i = 0; i + 1 < flat.size(); i += 2) pairs.push_back({flat[i], flat[i + 1]});
  return pairs;
}

FieldValue field_value(const AttrValue& value, FieldType type) {
  const bool is_real = is_float(value.dtype);
  const Integers integers = is_real ? Integers() : value.integers;
  switch (type) {
    case FieldType::real:
      return static_cast<float>(is_real ? value.floats[0] : static_cast<double>(integers[0]));
    case FieldType::reals: return Reals(value.floats.begin(), value.floats.end());
    case FieldType::integers32:
    case FieldType::integers64: return integers;
    case FieldType::lists: return pairs_of(integers);
    default: return integers[0];
  }
}

void set_field(Primitive& primitive, const FieldRow& field, const AttrValue& value) {
  const bool is_activation = field.attr == Attr::activation;
  primitive.set(field.name,
                is_activation ? activation_code(value.integers.at(0)) : field_value(value, field.type));
}

// INT64 values that determine shapes, as INT32. Every dimension fits; bounds beyond are clamped.
uint32_t narrowed(NodeWriter& writer, uint32_t id) {
  const SourceTensor& wide = writer.tensor(id);
  std::vector<int32_t> values(wide.data->size() / sizeof(int64_t));
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t value = 0;
    std::memcpy(&value, wide.data->data() + i * sizeof value, sizeof value);
    values[i] = static_cast<int32_t>(
        std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
  }
  return writer.add_constant(DType::i32, wide.dims, bytes_of(values));
}

void narrow_values(NodeWriter& writer, const OpSchema& schema) {
  for (size_t i = 0; i < writer.inputs.size(); ++i) {
    const InputRow& row = schema.inputs[std::min(i, schema.inputs.size() - 1)];
    const SourceTensor& tensor = writer.tensor(writer.inputs[i]);
    if (row.value && tensor.has_data() && tensor.type_id == kTypeInt64)
      writer.inputs[i] = narrowed(writer, writer.inputs[i]);
  }
}

// Inputs that MindSpore Lite needs as constants.
void check_constants(const NodeWriter& writer, const OpSchema& schema) {
  static const std::map<Op, size_t> inputs{
      {Op::gather, 2}, {Op::scatter_nd, 2}, {Op::sparse_to_dense, 2}, {Op::top_k, 1}, {Op::transpose, 1}};
  const auto found = inputs.find(schema.op);
  if (found != inputs.end() && !writer.integers(found->second))
    fail(unsupported("The ", schema.inputs[found->second].name, " of ", schema.name, " is not constant."));
}

// MindSpore quantizes nodes, not tensors.
int quant_type_of(const nnrt::Graph& graph, const nnrt::Node& node) {
  const auto is_quantized = [&](TensorId id) { return !graph.tensors[id].quant.empty(); };
  const bool any =
      std::ranges::any_of(node.inputs, is_quantized) || std::ranges::any_of(node.outputs, is_quantized);
  return any ? kQuantAll : kQuantNone;
}

// Null if no primitive has this meaning.
const WriteRow* find_row(Op op) {
  return row_of<spatial_write_rows, elementwise_write_rows, data_movement_write_rows, other_write_rows>(op);
}

}  // namespace

SourceTensor source_tensor(const nnrt::Graph& graph, TensorId id) {
  const nnrt::Tensor& tensor = graph.tensors[id];
  SourceTensor made;
  made.name = tensor.name;
  made.type_id = type_id_of(tensor.dtype);
  made.dims = tensor.is_constant() ? tensor.shape : graph.shapes[id];
  made.format = tensor.format == Format::nchw ? kNchw : kNhwc;
  made.data = tensor.data;
  for (size_t i = 0; i < tensor.quant.scales.size(); ++i) {
    // Entries of UINT8 tensors are those of the INT8 tensor with the same values.
    const int32_t shift = tensor.dtype == DType::u8 ? 128 : 0;
    made.quant.push_back({.scale = tensor.quant.scales[i],
                          .zero_point = tensor.quant.zero_points[i] - shift,
                          .bits = static_cast<int32_t>(8 * size_of(tensor.dtype)),
                          .inited = true});
  }
  return made;
}

NodeWriter::NodeWriter(const nnrt::Graph& graph, const nnrt::Node& node, SourceGraph& file)
    : NodeAttributes(node),
      inputs(node.inputs.begin(), node.inputs.end()),
      outputs(node.outputs.begin(), node.outputs.end()),
      graph_(graph),
      node_(node),
      file_(file),
      name_(cat(short_name(node.op), "-", file.nodes.size())) {}

uint32_t NodeWriter::add(SourceTensor tensor) {
  if (tensor.name.empty()) tensor.name = cat(name_, "/", file_.tensors.size());
  file_.tensors.push_back(std::move(tensor));
  return static_cast<uint32_t>(file_.tensors.size() - 1);
}

uint32_t NodeWriter::add_constant(DType dtype, nnrt::Shape shape, Bytes data) {
  SourceTensor tensor;
  tensor.type_id = type_id_of(dtype);
  tensor.dims = std::move(shape);
  tensor.format = kNhwc;
  tensor.data = std::make_shared<const Bytes>(std::move(data));
  return add(std::move(tensor));
}

uint32_t NodeWriter::add_integers(const std::vector<int64_t>& values) {
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return add_constant(DType::i32, {static_cast<int64_t>(values.size())}, bytes_of(narrow));
}

void NodeWriter::set_bias_scales() {
  if (inputs.size() < 3 || tensor(inputs[0]).quant.empty()) return;
  std::vector<QuantEntry> entries = tensor(inputs[1]).quant;
  for (QuantEntry& entry : entries) {
    entry.scale *= tensor(inputs[0]).quant[0].scale;
    entry.bits = 32;
  }
  tensor(inputs[2]).quant = std::move(entries);
}

void NodeWriter::write(Primitive primitive, std::vector<uint32_t> read, std::vector<uint32_t> written) {
  SourceNode node;
  node.name = cat(primitive.row().name, "-", file_.nodes.size());
  node.primitive = std::move(primitive);
  node.inputs = std::move(read);
  node.outputs = std::move(written);
  node.quant_type = quant_type_of(graph_, node_);
  file_.nodes.push_back(std::move(node));
}

std::optional<std::vector<int64_t>> NodeWriter::integers(size_t i) const {
  return constant_integers(graph_, node_, i);
}

uint32_t NodeWriter::add_like(uint32_t id, nnrt::Shape shape) {
  SourceTensor made = tensor(id);
  made.name.clear();
  made.data = nullptr;
  made.dims = std::move(shape);
  return add(std::move(made));
}

void NodeWriter::write_with_last_channels(Primitive primitive) {
  const size_t rank = shape(0).size();
  const std::vector<int64_t> to_last = to_channels_last(rank), to_first = to_channels_first(rank);
  const auto last_channels = [&](uint32_t id) {
    nnrt::Shape permuted;
    for (const int64_t d : to_last) permuted.push_back(tensor(id).dims[static_cast<size_t>(d)]);
    const uint32_t made = add_like(id, std::move(permuted));
    tensor(made).format = kNhwc;
    return made;
  };
  std::vector<uint32_t> read = inputs, written;
  read[0] = last_channels(inputs[0]);
  write(Primitive(PrimitiveType::transpose), {inputs[0], add_integers(to_last)}, {read[0]});
  for (const uint32_t id : outputs) written.push_back(last_channels(id));
  write(std::move(primitive), read, written);
  for (size_t i = 0; i < outputs.size(); ++i)
    write(Primitive(PrimitiveType::transpose), {written[i], add_integers(to_first)}, {outputs[i]});
}

Status write_node(const nnrt::Graph& graph, const nnrt::Node& node, SourceGraph& file) {
  return converting([&] {
    const WriteRow* row = find_row(node.op);
    if (row == nullptr) fail(unsupported("MindSpore Lite has no primitive for ", short_name(node.op), "."));
    const OpSchema& schema = nnrt::schema(node.op);
    NodeWriter writer(graph, node, file);
    if (schema.outputs[0].sums && writer.output().dtype == DType::i32)
      fail(unsupported("An .ms file cannot express INT32 sums of INT8 products."));
    Primitive primitive(row->type);
    for (const FieldRow& field : primitive.row().fields)
      if (field.attr && writer.has(*field.attr)) set_field(primitive, field, writer.attribute(*field.attr));
    for (const FixedField& fixed : row->fixed) primitive.set(fixed.field, fixed.value);
    check_constants(writer, schema);
    narrow_values(writer, schema);
    if (row->write != nullptr) row->write(writer, primitive);
    if (schema.inputs.size() > 2 && schema.inputs[1].per_channel) writer.set_bias_scales();
    const bool is_first = node.op == Op::resize
                              ? writer.shape(0)[3] != writer.tensor(writer.outputs[0]).dims[3]
                              : channels_of(graph, node) == Channels::first;
    if (is_first) {
      writer.write_with_last_channels(std::move(primitive));
    } else {
      writer.write(std::move(primitive), writer.inputs, writer.outputs);
    }
    required(writer.check_attributes("an .ms file"));
  });
}

}  // namespace nnrt::import::mindspore
