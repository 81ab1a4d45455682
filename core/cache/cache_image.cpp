#include "core/cache/cache_image.h"

#include "core/base/text.h"
#include "core/cache/block_checksum.h"
#include "core/cache/deferred_constants.h"
#include "core/cache/graph_encoding.h"
#include "core/device/cache_traits.h"
#include "core/graph/subgraph.h"
#include "core/memory/piece_writer.h"

#include <algorithm>
#include <iterator>

namespace nnrt {
namespace {

// The chosen device, followed by the devices of other partitions.
std::vector<const Device*> devices_of(const CompiledModel& model) {
  std::vector<const Device*> devices{model.device};
  for (const CompiledModel::Partition& partition : model.partitions) {
    if (std::ranges::find(devices, partition.device) == devices.end()) devices.push_back(partition.device);
  }
  return devices;
}

Result<std::vector<SharedBytes>> made_by(const PreparedModel& model, const GraphPtr& graph) {
  if (const auto* exporter = dynamic_cast<const PieceExporter*>(&model)) return exporter->export_pieces();
  NNRT_ASSIGN(Bytes bytes, model.export_cache(graph));
  return std::vector<SharedBytes>{std::make_shared<const Bytes>(std::move(bytes))};
}

// Also returns the devices' data, by partition.
Result<std::vector<std::vector<SharedBytes>>> write_partitions(ByteWriter& writer, const CompiledModel& model,
                                                               const std::vector<const Device*>& devices) {
  std::vector<std::vector<SharedBytes>> all_made;
  writer.put(uint64_t{model.partitions.size()});
  Subgraphs subgraphs(*model.lowered);
  for (const CompiledModel::Partition& partition : model.partitions) {
    NNRT_ASSIGN(std::vector<SharedBytes> made,
                made_by(*partition.model, subgraphs.cut(partition.nodes).graph));
    all_made.push_back(std::move(made));
    writer.put(static_cast<uint8_t>(std::ranges::find(devices, partition.device) - devices.begin()));
    writer.list(std::span(partition.nodes));
    writer.text(partition.device->cache_key());
  }
  return all_made;
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

struct Body {
  ByteWriter writer;  // positioned for the table
  std::vector<std::vector<SharedBytes>> made;
};

Result<Body> make_body(const CompiledModel& model, ByteView graph) {
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
  NNRT_ASSIGN(std::vector<std::vector<SharedBytes>> made, write_partitions(writer, model, devices));
  writer.align(kCacheAlignment);
  return Body{std::move(writer), std::move(made)};
}

std::vector<Pieces> pieces_of(std::span<const std::vector<SharedBytes>> made) {
  std::vector<Pieces> parts;
  for (const std::vector<SharedBytes>& pieces : made) {
    parts.emplace_back();
    for (const SharedBytes& piece : pieces) parts.back().push_back(*piece);
  }
  return parts;
}

}  // namespace

Result<CacheImage> make_image(const CompiledModel& model, uint32_t version) {
  for (const GraphPtr& it : {model.graph, model.lowered}) NNRT_TRY(ensure_read(*it));
  const Bytes graph = encode_graph(*model.graph);
  const auto added = added_tensors(*model.graph, *model.lowered);
  std::vector<StoredPart> table = stored_constants(model.graph->tensors);
  CacheImage image;
  image.device = model.device->info().id;
  image.header.version = version;
  image.header.model = identity(graph, table);
  std::ranges::copy(stored_constants(added), std::back_inserter(table));
  image.header.constants = static_cast<uint32_t>(table.size());

  NNRT_ASSIGN(Body body, make_body(model, graph));
  image.header.made = static_cast<uint32_t>(body.made.size());
  std::ranges::copy(stored_parts(pieces_of(body.made)), std::back_inserter(table));
  body.writer.bytes(std::as_bytes(std::span(table)));
  const auto bytes = std::make_shared<const Bytes>(body.writer.take());
  image.header.body = bytes->size();
  image.header.body_checksum = block_checksum(*bytes);
  image.pieces.resize(1);  // for the header
  image.pieces.emplace_back(bytes);
  for (const std::span<const Tensor> tensors : {std::span(model.graph->tensors), added}) {
    for (const TensorId id : constants_in_file(tensors)) {
      image.pieces.push_back(tensors[id].data);
      image.pieces.push_back(borrowed(constant_padding(tensors[id].data->size())));
    }
  }
  for (std::vector<SharedBytes>& made : body.made) std::ranges::move(made, std::back_inserter(image.pieces));
  image.header.length = kHeaderBytes + total_size(std::span(image.pieces).subspan(1));
  image.pieces[0] = std::make_shared<const Bytes>(image.header.encode());
  return image;
}

}  // namespace nnrt
