// Memory that is a file descriptor: a memfd of ours or an fd of the client's, mapped once. Tensors, and the
// edges between partitions, live in it; devices import it. A file that is truncated while it is mapped cannot
// be guarded against, only found out before a run: check_file().
#pragma once

#include "core/base/result.h"
#include "core/base/shape.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt {

// A number that no memory of this process had before.
uint64_t next_memory_id();

class SharedMemory {
 public:
  // A new memfd, zeroed. The mapping is rounded up to whole pages, all of which belong to the memory.
  static Result<std::shared_ptr<SharedMemory>> create(size_t bytes);
  // Maps [0, bytes) of a file that the caller keeps; the descriptor is duplicated. Read-only where the
  // descriptor or a seal forbids to write. While a mapping of the same bytes of a file lives, it is what one
  // gets: many tensors in one file are one mapping, and one import for each device.
  static Result<std::shared_ptr<SharedMemory>> adopt(int fd, size_t bytes);

  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  size_t mapped_bytes() const { return mapped_bytes_; }  // whole pages
  int fd() const { return fd_; }
  uint64_t id() const { return id_; }  // no other memory of this process ever has it
  // Returns whether bytes behind the end, up to a whole page, are nobody else's: true for create().
  bool owns_tail() const { return owns_tail_; }
  bool read_only() const { return read_only_; }

  // invalid_parameter where the file has become shorter than what is mapped: its bytes would be a SIGBUS.
  Status check_file() const;

  // Returns whether two ranges share bytes of one file, also through different mappings.
  static bool overlap(const SharedMemory& a, size_t a_offset, size_t a_bytes, const SharedMemory& b,
                      size_t b_offset, size_t b_bytes);

  // Data that a device keeps with a memory, such as its import. Destroyed before the mapping goes, or when
  // the next is attached and nobody can use it any more.
  class Attachment {
   public:
    virtual ~Attachment() = default;
    virtual bool is_of(const void* owner) const = 0;
    virtual bool is_stale() const = 0;
  };
  // Returns the owner's attachment, which `make` makes at first use.
  std::shared_ptr<Attachment> attachment(const void* owner,
                                         const std::function<std::shared_ptr<Attachment>()>& make);

 private:
  SharedMemory() = default;
  Status map(size_t bytes, int protection, int flags);

  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  size_t mapped_bytes_ = 0;
  int fd_ = -1;
  uint64_t id_ = 0;
  bool owns_tail_ = false, read_only_ = false;
  bool may_shrink_ = false;                 // a regular file without a seal against it
  uint64_t device_number_ = 0, inode_ = 0;  // identify the file
  std::mutex mutex_;
  std::vector<std::shared_ptr<Attachment>> attachments_;
};

class Residence;

// One tensor's bytes. An output's shape is written by the run.
struct TensorView {
  std::shared_ptr<SharedMemory> memory;
  size_t offset = 0;
  size_t bytes = 0;  // usable bytes; an output's capacity
  Shape shape;
  std::shared_ptr<Residence> residence =
      nullptr;  // set for a tensor that stays with a device (core/device/residence.h)

  std::byte* data() const { return memory->data() + offset; }
};

}  // namespace nnrt
