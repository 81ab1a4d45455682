#include "nnapi/memory/client_memory.h"

#include "nnapi/model/operand_types.h"

#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <utility>

namespace nnrt::nnapi {

ClientMemory::ClientMemory(std::shared_ptr<SharedMemory> memory, size_t size, MemoryDescription description)
    : memory_(std::move(memory)), bytes_(size), description_(std::move(description)) {}

Outcome ClientMemory::from_fd(size_t size, int protect, int fd, size_t offset,
                              std::shared_ptr<ClientMemory>& made) {
  if (size == 0) return bad_data("Memory cannot have 0 bytes.");
  if ((protect & (PROT_READ | PROT_WRITE)) == 0)
    return bad_data("Protection (", protect, ") has neither PROT_READ nor PROT_WRITE.");
  if (offset > std::numeric_limits<size_t>::max() - size)
    return unmappable("A file has no ", size, " bytes from offset ", offset, " on.");
  std::shared_ptr<ClientMemory> memory(new ClientMemory);
  // Maps from the start of the file, so that memories with the same end share a mapping regardless of their
  // offset.
  auto mapped = SharedMemory::adopt(fd, offset + size);
  if (!mapped.ok()) {
    if (mapped.error().code == Code::memory) return std::move(mapped).error();
    return unmappable(mapped.error().message);
  }
  memory->memory_ = std::move(mapped).value();
  memory->offset_ = offset;
  memory->bytes_ = size;
  memory->may_read_ = (protect & PROT_READ) != 0;
  memory->may_write_ = (protect & PROT_WRITE) != 0;
  if (memory->may_write_ && memory->memory_->read_only())
    return unmappable("File descriptor (", fd, ") cannot be written.");
  made = std::move(memory);
  return {};
}

Outcome ClientMemory::check_range(size_t offset, size_t length) const {
  if (offset <= bytes_ && length <= bytes_ - offset) return {};
  return bad_data("Bytes [", offset, ", ", offset, " + ", length, ") are outside of the memory, which has ",
                  bytes_, ".");
}

SharedBytes ClientMemory::part(size_t offset, size_t length) const {
  return {memory_, ByteView(data() + offset, length)};
}

std::optional<Dimensions> ClientMemory::content() const {
  const std::lock_guard lock(mutex_);
  return content_;
}

void ClientMemory::set_content(std::optional<Dimensions> dimensions) {
  const std::lock_guard lock(mutex_);
  content_ = std::move(dimensions);
}

namespace {

// The bytes read by a copy.
Outcome source_bytes(const ClientMemory& source, ByteView& bytes) {
  if (!source.may_read()) return unmappable("The source is not readable.");
  NNRT_TRY(source.shared()->check_file());
  bytes = ByteView(source.data(), source.bytes());
  const MemoryDescription* const description = source.description();
  if (description == nullptr) return {};
  const auto content = source.content();
  if (!content) return bad_data("The source has no content yet.");
  bytes = bytes.first(bytes_of(description->type.code, *content).value_or(0));
  return {};
}

Outcome check_same(const MemoryDescription& source, const MemoryDescription& target) {
  if (source.type == target.type && source.channel_quant == target.channel_quant) return {};
  return bad_data("The source is a ", type_name(source.type.code), " of ", text_of(source.type.dimensions),
                  ", the destination a ", type_name(target.type.code), " of ",
                  text_of(target.type.dimensions), ", or their quantization differs.");
}

Outcome copy_content(ClientMemory& source, ClientMemory& target) {
  ByteView bytes;
  NNRT_TRY(source_bytes(source, bytes));
  if (!target.may_write()) return unmappable("The destination is not writable.");
  NNRT_TRY(target.shared()->check_file());
  if (source.description() != nullptr && target.description() != nullptr)
    NNRT_TRY(check_same(*source.description(), *target.description()));
  if (bytes.size() != target.bytes())
    return bad_data("The source has ", bytes.size(), " bytes, the destination ", target.bytes(), ".");
  std::memmove(target.data(), bytes.data(), bytes.size());  // may be parts of one file
  return {};
}

}  // namespace

Outcome copy_memory(ClientMemory& source, ClientMemory& target) {
  if (&source == &target) return {};
  Outcome outcome = copy_content(source, target);
  const MemoryDescription* const description = target.description();
  if (description == nullptr) return outcome;
  target.set_content(outcome.ok() ? std::optional(description->type.dimensions) : std::nullopt);
  return outcome;
}

}  // namespace nnrt::nnapi
