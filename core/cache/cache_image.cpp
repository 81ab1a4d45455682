#include "core/cache/cache_image.h"

#include "core/base/checksum.h"
#include "core/base/text.h"
#include "core/cache/graph_encoding.h"
#include "core/graph/subgraph.h"

#include <algorithm>
#include <iterator>

namespace nnrt {
namespace {

SharedBytes shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }

// Bytes that live as long as the program.
SharedBytes forever(ByteView bytes) {
  static const auto owner = std::make_shared<const int>();
  return {owner, bytes};
}

// Builds the body as a list of pieces, so that large ones are not copied.
class BodyWriter : public ByteWriter {
 public:
  // Pads with zeros to a multiple of `alignment` from the beginning of the body.
  void align(size_t alignment) {
    const uint64_t at = before_ + size();
    pad_to(size() + (alignment - at % alignment) % alignment);
  }
  void append(Bytes large) {
    flush();
    before_ += large.size();
    pieces_.push_back(shared(std::move(large)));
  }
  std::vector<SharedBytes> finish() {
    flush();
    return std::move(pieces_);
  }

 private:
  void flush() {
    before_ += size();
    pieces_.push_back(shared(take()));
  }

  std::vector<SharedBytes> pieces_;
  uint64_t before_ = 0;  // bytes in the pieces
};

uint64_t total(std::span<const SharedBytes> pieces) {
  uint64_t size = 0;
  for (const SharedBytes& piece : pieces) size += piece->size();
  return size;
}

uint64_t checksum_of(std::span<const SharedBytes> pieces) {
  std::vector<ByteView> views;
  for (const SharedBytes& piece : pieces) views.push_back(*piece);
  return checksum(views);
}

// The chosen device, followed by the devices of other partitions.
std::vector<const Device*> devices_of(const CompiledModel& model) {
  std::vector<const Device*> devices{model.device};
  for (const CompiledModel::Partition& partition : model.partitions) {
    if (std::ranges::find(devices, partition.device) == devices.end()) devices.push_back(partition.device);
  }
  return devices;
}

Status write_partitions(BodyWriter& writer, const CompiledModel& model,
                        const std::vector<const Device*>& devices) {
  writer.put(uint64_t{model.partitions.size()});
  Subgraphs subgraphs(*model.lowered);
  for (const CompiledModel::Partition& partition : model.partitions) {
    NNRT_ASSIGN(Bytes made, partition.model->export_cache(subgraphs.cut(partition.nodes).graph));
    writer.put(static_cast<uint8_t>(std::ranges::find(devices, partition.device) - devices.begin()));
    writer.list(std::span(partition.nodes));
    writer.text(partition.device->cache_key());
    writer.put(uint64_t{made.size()});
    writer.align(made_alignment(made.size()));
    writer.append(std::move(made));
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
  BodyWriter writer;
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
  const Bytes graph = encode_graph(*model.graph);
  const std::vector<StoredConstant> constants = stored_constants(*model.graph);
  NNRT_ASSIGN(std::vector<SharedBytes> body, make_body(model, graph, constants));

  CacheImage image;
  image.device = model.device->info().id;
  image.header.version = version;
  image.header.model = identity(graph, constants);
  image.header.body = total(body);
  image.header.body_checksum = checksum_of(body);
  image.header.constants = constants.size();
  image.pieces.resize(1);  // for the header
  std::ranges::move(body, std::back_inserter(image.pieces));
  for (const Tensor& tensor : model.graph->tensors) {
    if (!tensor.is_constant()) continue;
    image.pieces.push_back(tensor.data);
    image.pieces.push_back(forever(constant_padding(tensor.data->size())));
  }
  image.header.length = kHeaderBytes + total(std::span(image.pieces).subspan(1));
  image.pieces[0] = shared(image.header.encode());
  return image;
}

}  // namespace nnrt
