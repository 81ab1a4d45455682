#include "backends/vulkan/constants.h"

#include "backends/vulkan/command_buffer.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr uint64_t kStagingBytes = uint64_t{64} << 20;

}  // namespace

Constants::Constants(const DevicePlan& plan)
    : alignment_(plan.storage_alignment), chunk_limit_(plan.max_allocation) {}

const Region& Constants::raw(TensorId tensor, const SharedBytes& data) {
  const auto known = raw_.find(tensor);
  return known != raw_.end() ? known->second : raw_.emplace(tensor, place(data, tensor)).first->second;
}

uint32_t Constants::packed(TensorId tensor, std::string_view form, const std::function<Bytes()>& pack) {
  std::pair key(tensor, std::string(form));
  if (const auto known = ids_.find(key); known != ids_.end()) return known->second;
  packed_.push_back(place(std::make_shared<const Bytes>(pack())));
  const auto id = uint32_t(packed_.size() - 1);
  ids_.emplace(std::move(key), id);
  return id;
}

Region Constants::place(SharedBytes data, std::optional<TensorId> tensor) {
  const uint64_t bytes = whole_vectors(data->size());
  if (chunks_.size() == uploaded_ || align_up(chunks_.back().bytes, alignment_) + bytes > chunk_limit_) {
    chunks_.emplace_back();
  }
  Chunk& chunk = chunks_.back();
  const uint64_t offset = align_up(chunk.bytes, alignment_);
  chunk.pieces.push_back({offset, data->size(), tensor, std::move(data)});
  chunk.bytes = offset + bytes;
  return {Region::Home::constant, uint32_t(chunks_.size() - 1), offset, bytes};
}

Status Constants::upload(const ContextPtr& context) {
  for (; uploaded_ < chunks_.size(); ++uploaded_) {
    NNRT_TRY(upload(context, chunks_[uploaded_]));
    for (Piece& piece : chunks_[uploaded_].pieces) piece.data = nullptr;
  }
  return {};
}

Status Constants::upload(const ContextPtr& context, Chunk& chunk) {
  if (context->plan().bind_host_memory) {
    if (auto unified = make_buffer(*context, chunk.bytes, Place::unified); unified.ok()) {
      chunk.buffer = std::move(unified).value();
      for (const Piece& piece : chunk.pieces) {
        std::memcpy(chunk.buffer.mapped + piece.offset, piece.data->data(), piece.bytes);
      }
      return {};
    }
  }
  NNRT_ASSIGN(chunk.buffer, make_buffer(*context, chunk.bytes, Place::device));
  NNRT_ASSIGN(const DeviceBuffer staging,
              make_buffer(*context, std::min(chunk.bytes, kStagingBytes), Place::staging));
  std::vector<VkBufferCopy> copies;
  uint64_t filled = 0;
  const auto flush = [&]() -> Status {
    if (copies.empty()) return {};
    NNRT_TRY(run_once(*context, [&](VkCommandBuffer commands) {
      vkCmdCopyBuffer(commands, staging.get(), chunk.buffer.get(), uint32_t(copies.size()), copies.data());
    }));
    copies.clear();
    filled = 0;
    return {};
  };
  for (const Piece& piece : chunk.pieces) {
    for (uint64_t done = 0; done < piece.bytes;) {
      const uint64_t bytes = std::min(piece.bytes - done, staging.bytes - filled);
      std::memcpy(staging.mapped + filled, piece.data->data() + done, bytes);
      copies.push_back({filled, piece.offset + done, bytes});
      filled += bytes;
      done += bytes;
      if (filled == staging.bytes) NNRT_TRY(flush());
    }
  }
  return flush();
}

std::vector<VkBuffer> Constants::buffers() const {
  std::vector<VkBuffer> handles;
  for (const Chunk& chunk : chunks_) handles.push_back(chunk.buffer.get());
  return handles;
}

}  // namespace nnrt::vulkan
