#include "core/cache/graph_encoding.h"

#include "core/base/checksum.h"

#include <algorithm>
#include <array>

namespace nnrt {
namespace {

constexpr size_t kMinTensorBytes = 40, kMinNodeBytes = 29, kMinAttrBytes = 10;

void write(ByteWriter& writer, const Tensor& tensor) {
  writer.text(tensor.name);
  writer.put(tensor.dtype);
  writer.put(tensor.format);
  writer.list(std::span(tensor.shape));
  writer.list(std::span(tensor.quant.scales));
  writer.list(std::span(tensor.quant.zero_points));
  writer.put(uint8_t(tensor.quant.ties_to_even));
  writer.put(tensor.role);
  writer.put(uint8_t(tensor.is_constant()));
}

// Also returns whether it is a constant.
std::pair<Tensor, bool> read_tensor(ByteReader& reader) {
  Tensor tensor;
  tensor.name = reader.text();
  tensor.dtype = reader.choice(DType::f64);
  tensor.format = reader.choice(Format::nd);
  tensor.shape = reader.list<int64_t>();
  tensor.quant.scales = reader.list<double>();
  tensor.quant.zero_points = reader.list<int32_t>();
  tensor.quant.ties_to_even = reader.flag();
  tensor.role = reader.get<int32_t>();
  const bool is_constant = reader.flag();
  return {std::move(tensor), is_constant};
}

void write(ByteWriter& writer, const Attrs& attrs) {
  writer.put(uint64_t{attrs.all().size()});
  for (const auto& [attr, value] : attrs.all()) {
    writer.put(attr);
    writer.put(value.dtype);
    if (is_float(value.dtype)) {
      writer.list(std::span(value.floats));
    } else {
      writer.list(std::span(value.integers));
    }
  }
}

Attrs read_attrs(ByteReader& reader) {
  Attrs attrs;
  for (size_t left = reader.count(kMinAttrBytes); left > 0; --left) {
    const Attr attr = reader.choice(Attr::zoneout_hidden);
    AttrValue value{.dtype = reader.choice(DType::f64), .integers = {}, .floats = {}};
    if (is_float(value.dtype)) {
      value.floats = reader.list<double>();
    } else {
      value.integers = reader.list<int64_t>();
    }
    attrs.set(attr, std::move(value));
  }
  return attrs;
}

// Operator numbers take one byte, or 0xff and two more bytes if they do not fit; OpenHarmony's always fit.
constexpr uint8_t kLongNumber = 0xff;

void write(ByteWriter& writer, Op op) {
  const auto number = uint16_t(op);
  writer.put(uint8_t(std::min<uint16_t>(number, kLongNumber)));
  if (number >= kLongNumber) writer.put(number);
}

Op read_op(ByteReader& reader) {
  uint16_t number = reader.get<uint8_t>();
  if (number == kLongNumber) number = reader.get<uint16_t>();
  const std::optional<Op> op = op_from_number(number);
  if (!op) reader.fail("An operation has no type.");
  return op.value_or(Op{});
}

void write(ByteWriter& writer, const std::vector<Node>& nodes) {
  writer.put(uint64_t{nodes.size()});
  for (const Node& node : nodes) {
    write(writer, node.op);
    writer.list(std::span(node.inputs));
    writer.list(std::span(node.outputs));
    writer.put(node.position);
    write(writer, node.attrs);
  }
}

std::vector<Node> read_nodes(ByteReader& reader) {
  std::vector<Node> nodes(reader.count(kMinNodeBytes));
  for (Node& node : nodes) {
    node.op = read_op(reader);
    node.inputs = reader.list<TensorId>();
    node.outputs = reader.list<TensorId>();
    node.position = reader.get<uint32_t>();
    node.attrs = read_attrs(reader);
  }
  return nodes;
}

bool same(const std::vector<Node>& a, const std::vector<Node>& b) {
  return std::ranges::equal(a, b, [](const Node& x, const Node& y) {
    return x.op == y.op && x.inputs == y.inputs && x.outputs == y.outputs && x.position == y.position &&
           x.attrs == y.attrs;
  });
}

}  // namespace

Bytes encode_graph(const Graph& graph) {
  ByteWriter writer;
  writer.put(uint64_t{graph.tensors.size()});
  for (const Tensor& tensor : graph.tensors) write(writer, tensor);
  writer.list(std::span(graph.inputs));
  writer.list(std::span(graph.outputs));
  write(writer, graph.nodes);
  return writer.take();
}

ReadGraph read_graph(ByteReader& reader) {
  ReadGraph read;
  for (size_t left = reader.count(kMinTensorBytes); left > 0 && !reader.bad(); --left) {
    auto [tensor, is_constant] = read_tensor(reader);
    read.graph.tensors.push_back(std::move(tensor));
    read.is_constant.push_back(is_constant);
  }
  read.graph.inputs = reader.list<TensorId>();
  read.graph.outputs = reader.list<TensorId>();
  read.graph.nodes = read_nodes(reader);
  return read;
}

std::span<const Tensor> added_tensors(const Graph& graph, const Graph& lowered) {
  return std::span(lowered.tensors).subspan(graph.tensors.size());
}

void write_lowered(ByteWriter& writer, const Graph& graph, const Graph& lowered) {
  const auto added = added_tensors(graph, lowered);
  const bool is_same = added.empty() && same(graph.nodes, lowered.nodes);
  writer.put(uint8_t(is_same));
  if (is_same) return;
  writer.put(uint64_t{added.size()});
  for (const Tensor& tensor : added) write(writer, tensor);
  write(writer, lowered.nodes);
}

std::optional<ReadGraph> read_lowered(ByteReader& reader, const Graph& graph) {
  if (reader.flag()) return {};
  ReadGraph lowered{{graph.tensors, {}, graph.inputs, graph.outputs, {}}, {}};
  lowered.is_constant.resize(graph.tensors.size());
  for (size_t left = reader.count(kMinTensorBytes); left > 0 && !reader.bad(); --left) {
    auto [tensor, is_constant] = read_tensor(reader);
    lowered.graph.tensors.push_back(std::move(tensor));
    lowered.is_constant.push_back(is_constant);
  }
  lowered.graph.nodes = read_nodes(reader);
  return lowered;
}

ByteView constant_padding(uint64_t size) {
  static constexpr std::array<std::byte, kCacheAlignment> kZeros{};
  return ByteView(kZeros).first((kCacheAlignment - size % kCacheAlignment) % kCacheAlignment);
}

std::vector<TensorId> constants_in_file(std::span<const Tensor> tensors,
                                        const std::vector<bool>& is_constant) {
  std::vector<TensorId> order, large;
  for (TensorId id = 0; id < tensors.size(); ++id) {
    if (!is_constant[id]) continue;
    const size_t bytes = byte_size(tensors[id].dtype, tensors[id].shape).value_or(0);
    (bytes <= kSmallPart ? order : large).push_back(id);
  }
  order.insert(order.end(), large.begin(), large.end());
  return order;
}

std::vector<TensorId> constants_in_file(std::span<const Tensor> tensors) {
  std::vector<bool> is_constant;
  for (const Tensor& tensor : tensors) is_constant.push_back(tensor.is_constant());
  return constants_in_file(tensors, is_constant);
}

std::vector<StoredPart> stored_parts(std::span<const Pieces> parts) {
  std::vector<StoredPart> entries;
  for (const uint64_t sum : block_checksums(parts)) {
    uint64_t bytes = 0;
    for (const ByteView piece : parts[entries.size()]) bytes += piece.size();
    entries.push_back({bytes, sum});
  }
  return entries;
}

std::vector<StoredPart> stored_constants(std::span<const Tensor> tensors) {
  std::vector<Pieces> parts;
  for (const TensorId id : constants_in_file(tensors)) {
    const SharedBytes& data = tensors[id].data;
    parts.push_back({*data, constant_padding(data->size())});
  }
  return stored_parts(parts);
}

uint64_t identity(const Graph& graph) {
  return identity(encode_graph(graph), stored_constants(graph.tensors));
}

uint64_t identity(ByteView encoded, std::span<const StoredPart> constants) {
  const std::array pieces{encoded, std::as_bytes(constants)};
  return checksum(pieces);
}

}  // namespace nnrt
