// The constants of a prepared model on the device: tensors as they are, and packed for kernels.
#pragma once

#include "backends/vulkan/memory/buffer_region.h"
#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/memory/packing.h"
#include "core/base/byte_io.h"
#include "core/graph/graph.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Not thread safe. Regions are final when returned; their bytes are there after upload(). Packed constants
// have separate buffers, so that a device with shared memory can use the bytes of a cache file in place.
class Constants {
 public:
  static constexpr uint64_t kMaxPendingBytes = uint64_t{32} << 20;
  // With a context, packed() uploads earlier results once they exceed kMaxPendingBytes, and packs a larger
  // constant during its upload, so that the host never holds all packed weights. upload() must get the same
  // context, and reports errors of these uploads. The caller holds the process (process_end.h).
  explicit Constants(const DevicePlan& plan, ContextPtr context = nullptr);

  const BufferRegion& raw(TensorId tensor, const SharedBytes& data);
  // Returns a number for packed_region(). Packs once per (tensor, form), unless read() found the result.
  // `bytes` is the length that a cached constant must have (0: unknown); required if kernels have no robust
  // buffer access.
  uint32_t packed(TensorId tensor, std::string_view form, const Packing& packing, uint64_t bytes = 0);
  // Whether packed() would return what is already there.
  bool has(TensorId tensor, std::string_view form, uint64_t bytes = 0) const;
  // Whether read() found the tensor in any form.
  bool has_stored(TensorId tensor) const;
  // Computes the Winograd limit of a tensor (core/passes/winograd_range.h), unless it is already known or
  // read() found it.
  float winograd_limit(TensorId tensor, const std::function<float()>& compute);
  const std::map<TensorId, float>& winograd_limits() const { return winograd_limits_; }
  const BufferRegion& packed_region(uint32_t id) const { return packed_[id].region; }

  // Moves new constants to the device, into shared memory or through staging.
  Status upload(const ContextPtr& context);
  uint64_t bytes() const;                 // in all buffers
  std::vector<VkBuffer> buffers() const;  // in the order of Region::index
  // Returns whether all uploaded constants are in memory shared with the host.
  bool are_shared() const;

  // Writes the packed constants and the limits, after reading them back if they were uploaded.
  Status write(const ContextPtr& context, ByteWriter& writer) const;
  // Reads what write() wrote, before anything is placed. `cached` holds the reader's bytes. Puts the reader
  // into its error state if they are malformed.
  void read(const SharedBytes& cached, ByteReader& reader);

 private:
  using Key = std::pair<TensorId, std::string>;
  struct Packed {
    Key key;
    BufferRegion region;
    uint64_t bytes = 0;       // exact
    bool was_stored = false;  // from a cache
  };
  struct Piece {
    uint64_t offset = 0, bytes = 0;
    SharedBytes data;                  // until uploaded
    const Packing* packing = nullptr;  // instead of `data`: packed by the upload

    // The length of the part that starts at `done` and has at most `room` bytes; 0 if none fits.
    uint64_t part(uint64_t done, uint64_t room) const;
    void write(uint64_t done, std::span<std::byte> to) const;
  };
  struct Chunk {
    bool packed = false;
    uint64_t bytes = 0;
    std::vector<Piece> pieces;
    SharedBytes image;       // the full buffer in page-aligned form if the cache has it, until uploaded
    bool is_stored = false;  // nothing can be added
    DeviceBuffer buffer;
  };

  // Buffers filled with consecutive pieces, up to the device's largest allocation.
  struct Layout {
    std::vector<uint64_t> buffers;  // sizes in bytes
    std::vector<BufferRegion> pieces;
  };

  BufferRegion place(SharedBytes data, bool packed);
  bool packs_in_parts(const Packing& packing) const;
  BufferRegion pack_in_parts(const Packing& packing);
  Chunk& chunk_for(bool packed, uint64_t bytes);
  Layout layout() const;  // of the packed constants in a file
  const SharedBytes* not_uploaded(const BufferRegion& region) const;
  Status upload_chunks(const ContextPtr& context);
  static Status upload(const ContextPtr& context, Chunk& chunk);

  const uint64_t alignment_, chunk_limit_;
  const bool trusts_sizes_;   // accepts cached constants of unknown length
  const ContextPtr context_;  // for uploads during lowering, null: none; must outlive the buffers
  std::map<TensorId, BufferRegion> raw_;
  std::map<TensorId, float> winograd_limits_;
  std::map<Key, uint32_t> ids_;
  std::vector<Packed> packed_;
  std::vector<Chunk> chunks_;
  size_t uploaded_ = 0;         // number of chunks
  uint64_t pending_bytes_ = 0;  // packed and not uploaded
  Status early_;                // of uploads in packed()
};

}  // namespace nnrt::vulkan
