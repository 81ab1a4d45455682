#include "backends/vulkan/command_buffer.h"
#include "backends/vulkan/constants.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint64_t kStagingBytes = uint64_t{16} << 20;
constexpr size_t kLeastPieceBytes = 17;

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

Status Constants::write(const ContextPtr& context, size_t graph_tensors, ByteWriter& writer) const {
  writer.put(uint64_t(chunks_.size()));
  for (const Chunk& chunk : chunks_) {
    Download download(context, chunk.buffer);
    writer.put(uint64_t(chunk.pieces.size()));
    for (const Piece& piece : chunk.pieces) {
      const bool is_known = piece.tensor.has_value() && *piece.tensor < graph_tensors;
      writer.put(uint8_t(is_known ? 1 : 0));
      writer.put(is_known ? uint64_t(*piece.tensor) : piece.bytes);
      if (is_known) continue;
      writer.align(kVectorBytes);
      NNRT_TRY(download.append(piece.offset, piece.bytes, writer));
    }
  }
  return {};
}

// Pieces lie one behind the other, as place() puts them: there is no offset to forge.
void Constants::read(const Graph& graph, ByteReader& reader) {
  for (size_t chunks = reader.count(sizeof(uint64_t)); chunks > 0 && !reader.bad(); --chunks) {
    chunks_.emplace_back();
    read_chunk(graph, reader);
  }
}

void Constants::read_chunk(const Graph& graph, ByteReader& reader) {
  Chunk& chunk = chunks_.back();
  for (size_t pieces = reader.count(kLeastPieceBytes); pieces > 0 && !reader.bad(); --pieces) {
    Piece piece{align_up(chunk.bytes, alignment_), 0, {}, {}};
    if (reader.flag()) {
      const auto tensor = reader.get<uint64_t>();
      if (tensor >= graph.tensors.size() || !graph.tensors[tensor].is_constant()) {
        return reader.fail("A tensor is no constant.");
      }
      piece.tensor = TensorId(tensor);
      piece.data = graph.tensors[tensor].data;
    } else {
      const auto bytes = reader.get<uint64_t>();
      reader.align(kVectorBytes);
      // The bytes are there until upload() is done with them.
      piece.data = SharedBytes(std::make_shared<const int>(), reader.bytes(bytes));
    }
    piece.bytes = piece.data->size();
    chunk.bytes = piece.offset + whole_vectors(piece.bytes);
    if (chunk.bytes > chunk_limit_) return reader.fail("A buffer of constants is too large for the device.");
    chunk.pieces.push_back(std::move(piece));
  }
  if (chunk.pieces.empty()) reader.fail("A buffer of constants is empty.");
}

std::vector<uint64_t> Constants::sizes() const {
  std::vector<uint64_t> sizes;
  for (const Chunk& chunk : chunks_) sizes.push_back(chunk.bytes);
  return sizes;
}

}  // namespace nnrt::vulkan
