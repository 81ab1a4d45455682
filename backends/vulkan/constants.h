// The constants of a prepared model on the device: tensors as they are, and in the forms that kernels want.
#pragma once

#include "backends/vulkan/memory.h"
#include "backends/vulkan/region.h"
#include "core/byte_io.h"
#include "core/graph.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Not thread safe. A region is final when it is given; its bytes are there after upload().
class Constants {
 public:
  explicit Constants(const DevicePlan& plan);

  const Region& raw(TensorId tensor, const SharedBytes& data);
  // A number that packed_region() understands. `pack` is called once for each (tensor, form).
  uint32_t packed(TensorId tensor, std::string_view form, const std::function<Bytes()>& pack);
  const Region& packed_region(uint32_t id) const { return packed_[id]; }

  // Moves what is new to the device: into memory shared with it, or through staging.
  Status upload(const ContextPtr& context);
  std::vector<VkBuffer> buffers() const;  // Region::index counts them

  // All that was uploaded, read back from the device; the data of tensors below `graph_tensors` only by their
  // number.
  Status write(const ContextPtr& context, size_t graph_tensors, ByteWriter& writer) const;
  // Takes the place of what was written; nothing is packed again. To be uploaded while the reader's bytes are
  // there. Makes the reader bad where something is out of place.
  void read(const Graph& graph, ByteReader& reader);
  std::vector<uint64_t> sizes() const;  // of the buffers

 private:
  struct Piece {
    uint64_t offset = 0, bytes = 0;
    std::optional<TensorId> tensor;  // whose data it is, as it is
    SharedBytes data;                // until it is uploaded
  };
  struct Chunk {
    uint64_t bytes = 0;
    std::vector<Piece> pieces;
    DeviceBuffer buffer;
  };

  Region place(SharedBytes data, std::optional<TensorId> tensor = std::nullopt);
  void read_piece(const Graph& graph, ByteReader& reader, Chunk& chunk) const;
  void read_chunk(const Graph& graph, ByteReader& reader);
  static Status upload(const ContextPtr& context, Chunk& chunk);

  const uint64_t alignment_, chunk_limit_;
  std::map<TensorId, Region> raw_;
  std::map<std::pair<TensorId, std::string>, uint32_t> ids_;
  std::vector<Region> packed_;
  std::vector<Chunk> chunks_;
  size_t uploaded_ = 0;  // chunks
};

}  // namespace nnrt::vulkan
