#include "core/cache/cache_image.h"

#include "core/base/checksum.h"
#include "core/base/text.h"
#include "core/cache/graph_encoding.h"
#include "core/graph/subgraph.h"

#include <algorithm>
#include <array>

namespace nnrt {
namespace {

SharedBytes shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }

// Pads with zeros to the next aligned offset.
void pad(std::vector<SharedBytes>& pieces, uint64_t size) {
  static constexpr std::array<std::byte, kCacheAlignment> kZeros{};
  static const auto owner = std::make_shared<const int>();
  const size_t count = (kCacheAlignment - size % kCacheAlignment) % kCacheAlignment;
  if (count > 0) pieces.emplace_back(owner, ByteView(kZeros).first(count));
}

// The chosen device, followed by the devices of other partitions.
std::vector<const Device*> devices_of(const CompiledModel& model) {
  std::vector<const Device*> devices{model.device};
  for (const CompiledModel::Partition& partition : model.partitions) {
    if (std::ranges::find(devices, partition.device) == devices.end()) devices.push_back(partition.device);
  }
  return devices;
}

Status write_partitions(ByteWriter& writer, const CompiledModel& model,
                        const std::vector<const Device*>& devices) {
  writer.put(uint64_t{model.partitions.size()});
  Subgraphs subgraphs(*model.lowered);
  for (const CompiledModel::Partition& partition : model.partitions) {
    NNRT_ASSIGN(const Bytes made, partition.model->export_cache(subgraphs.cut(partition.nodes).graph));
    writer.put(static_cast<uint8_t>(std::ranges::find(devices, partition.device) - devices.begin()));
    writer.list(std::span(partition.nodes));
    writer.text(partition.device->cache_key());
    writer.put(uint64_t{made.size()});
    writer.align(made_alignment(made.size()));
    writer.bytes(made);
  }
  return {};
}

void write_placement(ByteWriter& writer, const CompiledModel& model,
                     const std::vector<const Device*>& devices) {
  writer.text(model.choice);
  for (const PlacedNode& node : model.placement) {
    const auto at = std::ranges::find(
        devices, node.device, [](const Device* device) -> const std::string& { return device->info().name; });
    writer.put(static_cast<uint8_t>(at == devices.end() ? 0 : at - devices.begin()));
    writer.text(node.reason);
  }
}

Result<Bytes> make_body(const CompiledModel& model, ByteView graph) {
  ByteWriter writer;
  const std::vector<const Device*> devices = devices_of(model);
  writer.put(uint8_t(model.float16));
  writer.put(uint64_t{devices.size()});
  for (const Device* device : devices) {
    writer.put(uint64_t{device->info().id});
    writer.text(device->info().name);
  }
  writer.bytes(graph);
  write_lowered(writer, *model.graph, *model.lowered);
  write_placement(writer, model, devices);
  NNRT_TRY(write_partitions(writer, model, devices));
  writer.align(kCacheAlignment);
  return writer.take();
}

}  // namespace

Result<CacheImage> make_image(const CompiledModel& model, uint32_t version) {
  const Bytes graph = encode_graph(*model.graph);
  NNRT_ASSIGN(Bytes body, make_body(model, graph));

  CacheImage image;
  image.device = model.device->info().id;
  image.header.version = version;
  image.header.model = identity(graph, *model.graph);
  image.header.body = body.size();
  image.header.body_checksum = checksum(body);
  image.header.length = kHeaderBytes + body.size();
  for (const Tensor& tensor : model.graph->tensors) {
    if (!tensor.is_constant()) continue;
    image.pieces.push_back(tensor.data);
    pad(image.pieces, tensor.data->size());
  }
  std::vector<ByteView> constants;
  for (const SharedBytes& piece : image.pieces) {
    constants.push_back(*piece);
    image.header.length += piece->size();
  }
  image.header.constants_checksum = checksum(constants);
  const std::array head{shared(image.header.encode()), shared(std::move(body))};
  image.pieces.insert(image.pieces.begin(), head.begin(), head.end());
  return image;
}

}  // namespace nnrt
