// The constants of a prepared model on the device: tensors as they are, and in the forms that kernels want.
#pragma once

#include "backends/vulkan/memory/buffer_region.h"
#include "backends/vulkan/memory/device_buffer.h"
#include "core/base/byte_io.h"
#include "core/graph/graph.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Not thread safe. A region is final when it is given; its bytes are there after upload(). Packed constants
// have buffers of their own: a device that shares the host's memory works on stored bytes where they lie.
class Constants {
 public:
  explicit Constants(const DevicePlan& plan);

  const BufferRegion& raw(TensorId tensor, const SharedBytes& data);
  // A number that packed_region() understands. `pack` is called once for each (tensor, form), unless it was
  // read(). A constant that was read must have this length (0: not known); it must be known if kernels may
  // leave their buffers.
  uint32_t packed(TensorId tensor, std::string_view form, const std::function<Bytes()>& pack,
                  uint64_t bytes = 0);
  const BufferRegion& packed_region(uint32_t id) const { return packed_[id].region; }

  // Moves what is new to the device: into memory shared with it, or through staging.
  Status upload(const ContextPtr& context);
  uint64_t bytes() const;                 // in all buffers
  std::vector<VkBuffer> buffers() const;  // Region::index counts them
  // Returns whether all that was uploaded lies in memory that the host has as well.
  bool are_shared() const;

  // Writes the packed constants, which are read back if they were uploaded.
  Status write(const ContextPtr& context, ByteWriter& writer) const;
  // Reads what was written, before anything is placed. `cached` is what the reader reads. Makes the reader
  // bad if something is out of order.
  void read(const SharedBytes& cached, ByteReader& reader);

 private:
  using Key = std::pair<TensorId, std::string>;
  struct Packed {
    Key key;
    BufferRegion region;
    uint64_t bytes = 0;       // exactly
    bool was_stored = false;  // nobody here made it
  };
  struct Piece {
    uint64_t offset = 0, bytes = 0;
    SharedBytes data;  // until it is uploaded
  };
  struct Chunk {
    bool packed = false;
    uint64_t bytes = 0;
    std::vector<Piece> pieces;
    SharedBytes image;       // all of it in whole pages, where it was stored so; until it is uploaded
    bool is_stored = false;  // takes nothing more
    DeviceBuffer buffer;
  };

  // Buffers of which each holds as many pieces, one behind the other, as the device allows.
  struct Layout {
    std::vector<uint64_t> buffers;  // their bytes
    std::vector<BufferRegion> pieces;
  };

  BufferRegion place(SharedBytes data, bool packed);
  Chunk& chunk_for(bool packed, uint64_t bytes);
  Layout layout() const;  // the packed constants in a file
  const SharedBytes* not_uploaded(const BufferRegion& region) const;
  static Status upload(const ContextPtr& context, Chunk& chunk);

  const uint64_t alignment_, chunk_limit_;
  const bool trusts_sizes_;  // lengths that were stored
  std::map<TensorId, BufferRegion> raw_;
  std::map<Key, uint32_t> ids_;
  std::vector<Packed> packed_;
  std::vector<Chunk> chunks_;
  size_t uploaded_ = 0;  // chunks
};

}  // namespace nnrt::vulkan
