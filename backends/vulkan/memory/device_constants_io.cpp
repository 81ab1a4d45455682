#include "backends/vulkan/memory/device_constants.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nnrt::vulkan {
namespace {

constexpr uint64_t kStagingBytes = uint64_t{16} << 20;
constexpr uint64_t kPageBytes = 4096;  // page size of an image

// A buffer's size in a file. A device that uses it in place may need longer views and buffer sizes that are
// not powers of two (DevicePlan::views_by_size).
uint64_t image_bytes(uint64_t buffer) {
  const uint64_t bytes = round_up(buffer + kViewSlack, kPageBytes);
  return std::has_single_bit(bytes) ? bytes + kPageBytes : bytes;
}

// Reads a device buffer back in pieces, passed to `take`.
class Download {
 public:
  Download(const ContextPtr& context, const DeviceBuffer& buffer) : context_(context), buffer_(buffer) {}

  Status append(uint64_t offset, uint64_t bytes, ByteWriter& writer) {
    if (buffer_.mapped != nullptr) {
      writer.bytes({buffer_.mapped + offset, bytes});
      return {};
    }
    if (staging_.bytes == 0) {
      NNRT_ASSIGN(staging_, make_buffer(*context_, kStagingBytes, MemoryKind::staging));
    }
    for (uint64_t done = 0; done < bytes;) {
      const uint64_t now = std::min(bytes - done, staging_.bytes);
      NNRT_TRY(run_once(*context_, [&](VkCommandBuffer commands) {
        const VkBufferCopy piece{offset + done, 0, now};
        vkCmdCopyBuffer(commands, buffer_.get(), staging_.get(), 1, &piece);
        VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        written.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
        written.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                             &written, 0, nullptr, 0, nullptr);
      }));
      writer.bytes({staging_.mapped, now});
      done += now;
    }
    return {};
  }

 private:
  const ContextPtr& context_;
  const DeviceBuffer& buffer_;
  DeviceBuffer staging_;
};

}  // namespace

Constants::Layout Constants::layout() const {
  Layout layout;
  for (const Packed& packed : packed_) {
    const uint64_t bytes = whole_vectors(packed.bytes);
    if (layout.buffers.empty() || round_up(layout.buffers.back(), alignment_) + bytes > chunk_limit_)
      layout.buffers.push_back(0);
    uint64_t& end = layout.buffers.back();
    const uint64_t offset = round_up(end, alignment_);
    layout.pieces.push_back(
        {BufferRegion::Kind::constant, uint32_t(layout.buffers.size() - 1), offset, bytes});
    end = offset + bytes;
  }
  return layout;
}

const SharedBytes* Constants::not_uploaded(const BufferRegion& region) const {
  const Chunk& chunk = chunks_[region.index];
  const auto piece = std::ranges::lower_bound(chunk.pieces, region.offset, {}, &Piece::offset);
  const bool is_found = piece != chunk.pieces.end() && piece->offset == region.offset;
  return is_found && piece->data ? &piece->data : nullptr;
}

Status Constants::write(const ContextPtr& context, ByteWriter& writer) const {
  writer.put(uint64_t(packed_.size()));
  for (const Packed& packed : packed_) {
    writer.put(packed.key);
    writer.put(packed.bytes);
  }
  writer.put(winograd_limits_);
  const Layout layout = this->layout();
  std::map<uint32_t, Download> downloads;
  size_t start = 0, end = writer.size();  // of an image
  for (size_t i = 0; i < packed_.size(); ++i) {
    const BufferRegion &from = packed_[i].region, &to = layout.pieces[i];
    if (to.offset == 0) {
      writer.pad_to(end);
      writer.align(kPageBytes);
      start = writer.size();
      end = start + image_bytes(layout.buffers[to.index]);
    }
    writer.pad_to(start + to.offset);
    if (const SharedBytes* data = not_uploaded(from)) {
      writer.bytes(**data);
    } else {
      auto [download, fresh] = downloads.try_emplace(from.index, context, chunks_[from.index].buffer);
      NNRT_TRY(download->second.append(from.offset, packed_[i].bytes, writer));
    }
  }
  writer.pad_to(end);
  return {};
}

// layout() determines where pieces are, so a file cannot forge offsets.
void Constants::read(const SharedBytes& cached, ByteReader& reader) {
  for (auto& [key, bytes] : reader.get<std::vector<std::pair<Key, uint64_t>>>()) {
    if (bytes > cached->size()) reader.fail("A constant is cut off.");
    if (whole_vectors(bytes) > chunk_limit_) reader.fail("A constant is too large for the device.");
    if (!ids_.emplace(key, uint32_t(packed_.size())).second) reader.fail("A constant occurs twice.");
    if (reader.bad()) return;
    packed_.push_back({std::move(key), {}, bytes, true});
  }
  for (const auto& [tensor, limit] : reader.get<std::vector<std::pair<TensorId, float>>>()) {
    if (!(limit >= 0 && std::isfinite(limit))) reader.fail("A limit of Winograd's tiles is out of range.");
    if (!winograd_limits_.emplace(tensor, limit).second)
      reader.fail("A limit of Winograd's tiles occurs twice.");
    if (reader.bad()) return;
  }
  const Layout layout = this->layout();
  for (const uint64_t bytes : layout.buffers) {
    reader.align(kPageBytes);
    const ByteView image = reader.bytes(image_bytes(bytes));
    if (reader.bad()) return;
    chunks_.push_back({true, bytes, {}, cached.part(image), true, {}});
  }
  for (size_t i = 0; i < packed_.size(); ++i) {
    const BufferRegion& region = packed_[i].region = layout.pieces[i];
    Chunk& chunk = chunks_[region.index];
    const ByteView data = chunk.image->subspan(region.offset, packed_[i].bytes);
    chunk.pieces.push_back({region.offset, packed_[i].bytes, cached.part(data)});
  }
}

}  // namespace nnrt::vulkan
