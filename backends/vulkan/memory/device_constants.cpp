#include "backends/vulkan/memory/device_constants.h"

#include "backends/vulkan/pipeline/command_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nnrt::vulkan {
namespace {

constexpr uint64_t kStagingBytes = Constants::kMaxPendingBytes;

}  // namespace

Constants::Constants(const DevicePlan& plan, ContextPtr context)
    : alignment_(plan.storage_alignment),
      chunk_limit_(plan.max_allocation),
      trusts_sizes_(plan.robust_access),
      context_(std::move(context)) {}

const BufferRegion& Constants::raw(TensorId tensor, const SharedBytes& data) {
  const auto known = raw_.find(tensor);
  return known != raw_.end() ? known->second : raw_.emplace(tensor, place(data, false)).first->second;
}

bool Constants::has(TensorId tensor, std::string_view form, uint64_t bytes) const {
  const auto known = ids_.find(Key(tensor, form));
  if (known == ids_.end()) return false;
  const Packed& packed = packed_[known->second];
  return !packed.was_stored || (bytes > 0 ? packed.bytes == bytes : trusts_sizes_);
}

bool Constants::has_stored(TensorId tensor) const {
  const auto first = ids_.lower_bound(Key(tensor, std::string()));
  return first != ids_.end() && first->first.first == tensor && packed_[first->second].was_stored;
}

uint32_t Constants::packed(TensorId tensor, std::string_view form, const Packing& packing, uint64_t bytes) {
  Key key(tensor, form);
  const auto known = ids_.find(key);
  if (has(tensor, form, bytes)) return known->second;
  if (context_ != nullptr && pending_bytes_ >= kMaxPendingBytes && early_.ok())
    early_ = upload_chunks(context_);
  // Any step may run out of memory: add the entry only after its bytes exist.
  BufferRegion region;
  uint64_t length = packing.bytes();
  if (packs_in_parts(packing)) {
    region = pack_in_parts(packing);
  } else {
    SharedBytes made = packing.all();
    length = made->size();
    region = place(std::move(made), true);
  }
  if (known != ids_.end()) {
    Packed& packed = packed_[known->second];
    packed.region = region;
    packed.bytes = length;
    packed.was_stored = false;
    return known->second;
  }
  const auto id = uint32_t(packed_.size());
  packed_.push_back({key, region, length, false});
  try {
    ids_.emplace(std::move(key), id);
  } catch (...) {
    packed_.pop_back();
    throw;
  }
  return id;
}

float Constants::winograd_limit(TensorId tensor, const std::function<float()>& compute) {
  const auto known = winograd_limits_.find(tensor);
  return known != winograd_limits_.end() ? known->second
                                         : winograd_limits_.emplace(tensor, compute()).first->second;
}

BufferRegion Constants::place(SharedBytes data, bool packed) {
  const uint64_t size = data->size(), bytes = whole_vectors(size);
  Chunk& chunk = chunk_for(packed, bytes);
  const uint64_t offset = round_up(chunk.bytes, alignment_);
  chunk.pieces.push_back({offset, size, std::move(data)});
  chunk.bytes = offset + bytes;
  if (packed) pending_bytes_ += bytes;
  return {BufferRegion::Kind::constant, uint32_t(&chunk - chunks_.data()), offset, bytes};
}

bool Constants::packs_in_parts(const Packing& packing) const {
  return context_ != nullptr && early_.ok() && packing.has_parts() && packing.bytes() > kMaxPendingBytes &&
         packing.unit() <= kStagingBytes;
}

// Uploads a constant while packing it, in a buffer of its own. If that fails, it is packed on the host, so
// that another upload can be tried.
BufferRegion Constants::pack_in_parts(const Packing& packing) {
  const uint64_t bytes = whole_vectors(packing.bytes());
  Chunk chunk{true, bytes, {}, {}, false, {}};
  chunk.pieces.push_back({0, packing.bytes(), {}, &packing});
  chunks_.push_back(std::move(chunk));
  const auto index = uint32_t(chunks_.size() - 1);
  try {
    early_ = upload_chunks(context_);
    Piece& piece = chunks_[index].pieces[0];
    if (!early_.ok()) piece.data = packing.all();
    piece.packing = nullptr;
  } catch (...) {
    chunks_.pop_back();
    throw;
  }
  return {BufferRegion::Kind::constant, index, 0, bytes};
}

uint64_t Constants::Piece::part(uint64_t done, uint64_t room) const {
  const uint64_t left = bytes - done;
  if (left <= room || packing == nullptr) return std::min(left, room);
  return room / packing->unit() * packing->unit();
}

void Constants::Piece::write(uint64_t done, std::span<std::byte> to) const {
  if (packing != nullptr) return packing->write(done, to);
  std::memcpy(to.data(), data->data() + done, to.size());
}

// The last chunk of its kind, if it has room.
Constants::Chunk& Constants::chunk_for(bool packed, uint64_t bytes) {
  for (size_t i = chunks_.size(); i-- > uploaded_;) {
    if (chunks_[i].packed != packed || chunks_[i].is_stored) continue;
    if (round_up(chunks_[i].bytes, alignment_) + bytes <= chunk_limit_) return chunks_[i];
    break;
  }
  Chunk chunk{packed, 0, {}, {}, false, {}};
  chunk.pieces.reserve(1);  // so that running out of memory leaves no empty chunk
  return chunks_.emplace_back(std::move(chunk));
}

Status Constants::upload(const ContextPtr& context) {
  NNRT_TRY(std::exchange(early_, {}));
  return upload_chunks(context);
}

Status Constants::upload_chunks(const ContextPtr& context) {
  for (; uploaded_ < chunks_.size(); ++uploaded_) {
    Chunk& chunk = chunks_[uploaded_];
    NNRT_TRY(upload(context, chunk));
    for (Piece& piece : chunk.pieces) piece.data = nullptr;
    chunk.image = nullptr;
  }
  pending_bytes_ = 0;
  return {};
}

Status Constants::upload(const ContextPtr& context, Chunk& chunk) {
  if (context->plan().host.binds) {
    if (chunk.image != nullptr) {
      if (auto imported = import_pages(*context, chunk.image); imported.ok()) {
        chunk.buffer = std::move(imported).value();
        return {};
      }
    }
    if (auto unified = make_buffer(*context, chunk.bytes, MemoryKind::unified); unified.ok()) {
      chunk.buffer = std::move(unified).value();
      for (Piece& piece : chunk.pieces) {
        piece.write(0, {chunk.buffer.mapped + piece.offset, piece.bytes});
        piece.data = nullptr;  // frees the host copy early
      }
      return {};
    }
  }
  NNRT_ASSIGN(chunk.buffer, make_buffer(*context, chunk.bytes, MemoryKind::device));
  NNRT_ASSIGN(const DeviceBuffer staging,
              make_buffer(*context, std::min(chunk.bytes, kStagingBytes), MemoryKind::staging));
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
      const uint64_t bytes = piece.part(done, staging.bytes - filled);
      if (bytes == 0) {
        NNRT_TRY(flush());
        continue;
      }
      piece.write(done, {staging.mapped + filled, bytes});
      copies.push_back({filled, piece.offset + done, bytes});
      filled += bytes;
      done += bytes;
    }
  }
  return flush();
}

std::vector<VkBuffer> Constants::buffers() const {
  std::vector<VkBuffer> handles;
  for (const Chunk& chunk : chunks_) handles.push_back(chunk.buffer.get());
  return handles;
}

uint64_t Constants::bytes() const {
  uint64_t sum = 0;
  for (const Chunk& chunk : chunks_) sum += chunk.bytes;
  return sum;
}

bool Constants::are_shared() const {
  return std::ranges::all_of(chunks_.begin(), chunks_.begin() + std::ptrdiff_t(uploaded_),
                             [](const Chunk& chunk) { return chunk.buffer.mapped != nullptr; });
}

}  // namespace nnrt::vulkan
