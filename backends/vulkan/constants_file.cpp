#include "backends/vulkan/command_buffer.h"
#include "backends/vulkan/constants.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint64_t kStagingBytes = uint64_t{16} << 20;
constexpr size_t kLeastChunkBytes = 9;
constexpr uint64_t kPageBytes = 4096;  // of an image

// Bytes of a buffer of the device, handed to `take` in pieces.
class Download {
 public:
  Download(const ContextPtr& context, const DeviceBuffer& buffer) : context_(context), buffer_(buffer) {}

  Status append(uint64_t offset, uint64_t bytes, ByteWriter& writer) {
    if (buffer_.mapped != nullptr) {
      writer.bytes({buffer_.mapped + offset, bytes});
      return {};
    }
    if (staging_.bytes == 0) {
      NNRT_ASSIGN(staging_, make_buffer(*context_, kStagingBytes, Place::staging));
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

// Raw constants by the numbers of their tensors; those that the graph of the cache lacks, and packed ones, as
// the bytes of an image.
Status Constants::write(const ContextPtr& context, size_t graph_tensors, ByteWriter& writer) const {
  writer.put(uint64_t(chunks_.size()));
  for (const Chunk& chunk : chunks_) {
    const auto is_known = [&](const Piece& piece) { return piece.tensor && *piece.tensor < graph_tensors; };
    const bool is_image = !std::ranges::all_of(chunk.pieces, is_known);
    writer.put(uint8_t(is_image));
    writer.put(uint64_t(chunk.pieces.size()));
    for (const Piece& piece : chunk.pieces) writer.put(is_image ? piece.bytes : uint64_t(*piece.tensor));
    if (!is_image) continue;
    writer.align(kPageBytes);
    const size_t start = writer.size();
    Download download(context, chunk.buffer);
    for (const Piece& piece : chunk.pieces) {
      writer.pad_to(start + piece.offset);
      if (piece.data) {
        writer.bytes(*piece.data);
        continue;
      }
      NNRT_TRY(download.append(piece.offset, piece.bytes, writer));
    }
    writer.pad_to(start + align_up(chunk.bytes, kPageBytes));
  }
  return {};
}

// Pieces lie one behind the other, as place() puts them: there is no offset to forge.
void Constants::read(const Graph& graph, const SharedBytes& cached, ByteReader& reader) {
  for (size_t chunks = reader.count(kLeastChunkBytes); chunks > 0 && !reader.bad(); --chunks) {
    Chunk chunk{reader.flag(), 0, {}, {}, {}};
    if (chunk.packed) {
      read_image(cached, reader, chunk);
    } else {
      for (size_t pieces = reader.count(sizeof(uint64_t)); pieces > 0 && !reader.bad(); --pieces) {
        append(read_tensor(graph, reader), chunk, reader);
      }
    }
    if (chunk.pieces.empty()) return reader.fail("A buffer of constants is empty.");
    chunks_.push_back(std::move(chunk));
  }
}

Constants::Piece Constants::read_tensor(const Graph& graph, ByteReader& reader) const {
  const auto tensor = reader.get<uint64_t>();
  if (tensor >= graph.tensors.size() || !graph.tensors[tensor].is_constant()) {
    reader.fail("A tensor is no constant.");
    return {};
  }
  return {0, graph.tensors[tensor].data->size(), TensorId(tensor), graph.tensors[tensor].data};
}

void Constants::read_image(const SharedBytes& cached, ByteReader& reader, Chunk& chunk) const {
  for (const uint64_t bytes : reader.list<uint64_t>()) append({0, bytes, {}, {}}, chunk, reader);
  reader.align(kPageBytes);
  const ByteView image = reader.bytes(align_up(chunk.bytes, kPageBytes));
  if (reader.bad()) return;
  chunk.image = cached.part(image);
  for (Piece& piece : chunk.pieces) piece.data = cached.part(image.subspan(piece.offset, piece.bytes));
}

void Constants::append(Piece piece, Chunk& chunk, ByteReader& reader) const {
  piece.offset = align_up(chunk.bytes, alignment_);
  if (reader.bad() || piece.bytes > chunk_limit_ || piece.offset > chunk_limit_ - piece.bytes) {
    return reader.fail("A buffer of constants is too large for the device.");
  }
  chunk.bytes = piece.offset + whole_vectors(piece.bytes);
  chunk.pieces.push_back(std::move(piece));
}

std::vector<uint64_t> Constants::sizes() const {
  std::vector<uint64_t> sizes;
  for (const Chunk& chunk : chunks_) sizes.push_back(chunk.bytes);
  return sizes;
}

}  // namespace nnrt::vulkan
