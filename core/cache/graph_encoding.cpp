#include "core/cache/graph_encoding.h"

#include "core/base/checksum.h"

#include <algorithm>
#include <array>

namespace nnrt {

template <>
inline constexpr auto kMembers<Quant> = std::tuple(&Quant::scales, &Quant::zero_points, &Quant::ties_to_even);
template <>
inline constexpr auto kMembers<Tensor> = std::tuple(&Tensor::name, &Tensor::dtype, &Tensor::format,
                                                    &Tensor::shape, &Tensor::quant, &Tensor::role);
template <>
inline constexpr auto kLast<Attr> = Attr::zoneout_hidden;
template <>
struct Stored<AttrValue> {
  static void put(ByteWriter& writer, const AttrValue& value) {
    writer.put(value.dtype);
    is_float(value.dtype) ? writer.put(value.floats) : writer.put(value.integers);
  }
  static AttrValue get(ByteReader& reader) {
    AttrValue value{.dtype = reader.get<DType>(), .integers = {}, .floats = {}};
    if (is_float(value.dtype)) {
      value.floats = reader.list<double>();
    } else {
      value.integers = reader.list<int64_t>();
    }
    return value;
  }
};
template <>
struct Stored<Attrs> {
  static void put(ByteWriter& writer, const Attrs& attrs) { writer.put(attrs.all()); }
  static Attrs get(ByteReader& reader) {
    Attrs attrs;
    for (auto& [attr, value] : reader.get<std::vector<std::pair<Attr, AttrValue>>>())
      attrs.set(attr, std::move(value));
    return attrs;
  }
};
// Operator numbers take one byte, or 0xff and two more bytes if they do not fit; OpenHarmony's always fit.
template <>
struct Stored<Op> {
  static constexpr uint8_t kLongNumber = 0xff;

  static void put(ByteWriter& writer, const Op& op) {
    const auto number = uint16_t(op);
    writer.put(uint8_t(std::min<uint16_t>(number, kLongNumber)));
    if (number >= kLongNumber) writer.put(number);
  }
  static Op get(ByteReader& reader) {
    uint16_t number = reader.get<uint8_t>();
    if (number == kLongNumber) number = reader.get<uint16_t>();
    const std::optional<Op> op = op_from_number(number);
    if (!op) reader.fail("An operation has no type.");
    return op.value_or(Op{});
  }
};
template <>
inline constexpr auto kMembers<Node> = std::tuple(&Node::op, &Node::inputs, &Node::outputs, &Node::position,
                                                  &Node::attrs);

namespace {

void write(ByteWriter& writer, std::span<const Tensor> tensors) {
  writer.put(uint64_t{tensors.size()});
  for (const Tensor& tensor : tensors)
    writer.put(std::pair<const Tensor&, bool>(tensor, tensor.is_constant()));
}

// Appends them.
void read_tensors(ByteReader& reader, ReadGraph& read) {
  for (auto& [tensor, is_constant] : reader.get<std::vector<std::pair<Tensor, bool>>>()) {
    read.graph.tensors.push_back(std::move(tensor));
    read.is_constant.push_back(is_constant);
  }
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
  write(writer, graph.tensors);
  writer.put(graph.inputs);
  writer.put(graph.outputs);
  writer.put(graph.nodes);
  return writer.take();
}

ReadGraph read_graph(ByteReader& reader) {
  ReadGraph read;
  read_tensors(reader, read);
  read.graph.inputs = reader.list<TensorId>();
  read.graph.outputs = reader.list<TensorId>();
  read.graph.nodes = reader.get<std::vector<Node>>();
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
  write(writer, added);
  writer.put(lowered.nodes);
}

std::optional<ReadGraph> read_lowered(ByteReader& reader, const Graph& graph) {
  if (reader.flag()) return {};
  ReadGraph lowered{{graph.tensors, {}, graph.inputs, graph.outputs, {}}, {}};
  lowered.is_constant.resize(graph.tensors.size());
  read_tensors(reader, lowered);
  lowered.graph.nodes = reader.get<std::vector<Node>>();
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
