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

// Not thread safe. A region is final when it is given; its bytes are there after upload(). What was packed
// has buffers of its own: these are stored as they are, and a device that shares the host's memory works on
// the stored bytes where they lie.
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

  // All of them, read back where they were uploaded; the data of tensors below `graph_tensors` only by their
  // number.
  Status write(const ContextPtr& context, size_t graph_tensors, ByteWriter& writer) const;
  // Takes the place of what was written; nothing is packed again. `cached` is what the reader reads. Makes
  // the reader bad where something is out of place.
  void read(const Graph& graph, const SharedBytes& cached, ByteReader& reader);
  std::vector<uint64_t> sizes() const;  // of the buffers

 private:
  struct Piece {
    uint64_t offset = 0, bytes = 0;
    std::optional<TensorId> tensor;  // whose data it is, as it is
    SharedBytes data;                // until it is uploaded
  };
  struct Chunk {
    bool packed = false;
    uint64_t bytes = 0;
    std::vector<Piece> pieces;
    SharedBytes image;  // all of it in whole pages, where it was stored so; until it is uploaded
    DeviceBuffer buffer;
  };

  Region place(SharedBytes data, std::optional<TensorId> tensor = std::nullopt);
  Chunk& chunk_for(bool packed, uint64_t bytes);
  Piece read_tensor(const Graph& graph, ByteReader& reader) const;
  void read_image(const SharedBytes& cached, ByteReader& reader, Chunk& chunk) const;
  void append(Piece piece, Chunk& chunk, ByteReader& reader) const;
  static Status upload(const ContextPtr& context, Chunk& chunk);

  const uint64_t alignment_, chunk_limit_;
  std::map<TensorId, Region> raw_;
  std::map<std::pair<TensorId, std::string>, uint32_t> ids_;
  std::vector<Region> packed_;
  std::vector<Chunk> chunks_;
  size_t uploaded_ = 0;  // chunks
};

}  // namespace nnrt::vulkan
