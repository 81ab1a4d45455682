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

uint64_t checksum_of(std::span<const SharedBytes> pieces) {
  Pieces body;
  for (const SharedBytes& piece : pieces) body.push_back(*piece);
  return block_checksums({&body, 1})[0];
}

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

Status write_partitions(PieceWriter& writer, const CompiledModel& model,
                        const std::vector<const Device*>& devices) {
  writer.put(uint64_t{model.partitions.size()});
  Subgraphs subgraphs(*model.lowered);
  for (const CompiledModel::Partition& partition : model.partitions) {
    NNRT_ASSIGN(std::vector<SharedBytes> made,
                made_by(*partition.model, subgraphs.cut(partition.nodes).graph));
    const uint64_t bytes = total_size(made);
    writer.put(static_cast<uint8_t>(std::ranges::find(devices, partition.device) - devices.begin()));
    writer.list(std::span(partition.nodes));
    writer.text(partition.device->cache_key());
    writer.put(bytes);
    writer.align(made_alignment(bytes));
    for (SharedBytes& piece : made) writer.append(std::move(piece));
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

Result<std::vector<SharedBytes>> make_body(const CompiledModel& model, ByteView graph,
                                           std::span<const StoredConstant> constants) {
  PieceWriter writer;
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
  writer.bytes(std::as_bytes(constants));
  return writer.finish();
}

}  // namespace

Result<CacheImage> make_image(const CompiledModel& model, uint32_t version) {
  for (const GraphPtr& it : {model.graph, model.lowered}) NNRT_TRY(ensure_read(*it));
  const Bytes graph = encode_graph(*model.graph);
  const auto added = added_tensors(*model.graph, *model.lowered);
  std::vector<StoredConstant> constants = stored_constants(model.graph->tensors);
  CacheImage image;
  image.device = model.device->info().id;
  image.header.version = version;
  image.header.model = identity(graph, constants);
  std::ranges::copy(stored_constants(added), std::back_inserter(constants));
  image.header.constants = constants.size();

  NNRT_ASSIGN(std::vector<SharedBytes> body, make_body(model, graph, constants));
  image.header.body = total_size(body);
  image.header.body_checksum = checksum_of(body);
  image.pieces.resize(1);  // for the header
  std::ranges::move(body, std::back_inserter(image.pieces));
  for (const std::span<const Tensor> tensors : {std::span(model.graph->tensors), added}) {
    for (const Tensor& tensor : tensors) {
      if (!tensor.is_constant()) continue;
      image.pieces.push_back(tensor.data);
      image.pieces.push_back(borrowed(constant_padding(tensor.data->size())));
    }
  }
  image.header.length = kHeaderBytes + total_size(std::span(image.pieces).subspan(1));
  image.pieces[0] = std::make_shared<const Bytes>(image.header.encode());
  return image;
}

}  // namespace nnrt
