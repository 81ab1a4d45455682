// NNAPI memories: part of a client's file, or memory created from a descriptor, whose content may not be set
// yet.
#pragma once

#include "core/base/bytes.h"
#include "core/platform/shared_memory.h"
#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace nnrt::nnapi {

// An input or output of a compilation. `compilation` is only an identity.
struct Role {
  std::shared_ptr<const void> compilation;
  bool is_input = false;
  uint32_t index = 0;

  bool operator==(const Role&) const = default;
};

// The description from a memory descriptor. All dimensions are known.
struct MemoryDescription {
  OperandType type;
  std::optional<ChannelQuant> channel_quant;
  std::vector<Role> roles;
};

class ClientMemory {
 public:
  // `protect` as for mmap.
  static Outcome from_fd(size_t size, int protect, int fd, size_t offset,
                         std::shared_ptr<ClientMemory>& made);
  ClientMemory(std::shared_ptr<SharedMemory> memory, size_t size, MemoryDescription description);

  const std::shared_ptr<SharedMemory>& shared() const { return memory_; }
  std::byte* data() const { return memory_->data() + offset_; }
  size_t bytes() const { return bytes_; }
  bool may_read() const { return may_read_; }
  bool may_write() const { return may_write_; }
  // Null for memory from a file.
  const MemoryDescription* description() const { return description_ ? &*description_ : nullptr; }

  // bad data if the range is out of bounds.
  Outcome check_range(size_t offset, size_t length) const;
  // The bytes of a range, sharing ownership.
  SharedBytes part(size_t offset, size_t length) const;

  // The dimensions of the content of a described memory; empty: no content.
  std::optional<Dimensions> content() const;
  void set_content(std::optional<Dimensions> dimensions);

 private:
  ClientMemory() = default;

  std::shared_ptr<SharedMemory> memory_;
  size_t offset_ = 0, bytes_ = 0;
  bool may_read_ = true, may_write_ = true;
  std::optional<MemoryDescription> description_;
  mutable std::mutex mutex_;  // guards the following members
  std::optional<Dimensions> content_;
};

// ANeuralNetworksMemory_copy.
Outcome copy_memory(ClientMemory& source, ClientMemory& target);

}  // namespace nnrt::nnapi

struct ANeuralNetworksMemory {
  std::shared_ptr<nnrt::nnapi::ClientMemory> memory;
};
