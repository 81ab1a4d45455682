// Memory backed by a file descriptor: an internal memfd or a client's fd, mapped once. Used by tensors and by
// edges between partitions, and imported by devices. Truncation of a mapped file cannot be prevented, only
// detected before a run: check_file().
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/shape.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt {

// A number unique to each memory of this process.
uint64_t next_memory_id();

class SharedMemory {
 public:
  // A new memfd, zeroed. The mapping is rounded up to full pages, which all belong to the memory.
  static Result<std::shared_ptr<SharedMemory>> create(size_t bytes);
  // Maps [0, bytes) of a caller's file; the descriptor is duplicated. Read-only if the descriptor or a seal
  // forbids writing. Returns an existing mapping of the same bytes if there is one: tensors in one file share
  // a mapping, and one import per device.
  static Result<std::shared_ptr<SharedMemory>> adopt(int fd, size_t bytes);

  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  size_t mapped_bytes() const { return mapped_bytes_; }  // full pages
  int fd() const { return fd_; }
  uint64_t id() const { return id_; }  // unique in this process
  // Returns whether the bytes between the end and the page boundary belong to this memory: true for create().
  bool owns_tail() const { return owns_tail_; }
  bool read_only() const { return read_only_; }

  // invalid_parameter if the file is now shorter than the mapping: accessing it would raise SIGBUS.
  Status check_file() const;

  // Returns whether two ranges overlap in the same file, even in different mappings.
  static bool overlap(const SharedMemory& a, size_t a_offset, size_t a_bytes, const SharedMemory& b,
                      size_t b_offset, size_t b_bytes);

  // Data that a device associates with a memory, such as its import. Destroyed before the mapping, or when
  // another one is attached after it has become stale.
  class Attachment {
   public:
    virtual ~Attachment() = default;
    virtual bool is_of(const void* owner) const = 0;
    virtual bool is_stale() const = 0;
  };
  // The owner's attachment, created with `make` on first use.
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
  bool may_shrink_ = false;                 // a regular file without a shrink seal
  uint64_t device_number_ = 0, inode_ = 0;  // identify the file
  std::mutex mutex_;
  std::vector<std::shared_ptr<Attachment>> attachments_;
};

class Residence;

// The bytes of a tensor. The run sets an output's shape.
struct TensorView {
  std::shared_ptr<SharedMemory> memory;
  size_t offset = 0;
  size_t bytes = 0;  // an output's capacity
  Shape shape;
  std::shared_ptr<Residence> residence =
      nullptr;                   // set for a tensor kept on a device (core/device/residence.h)
  DType dtype = DType::unknown;  // as its owner describes it, with the shape; unknown: the model's

  std::byte* data() const { return memory->data() + offset; }
};

}  // namespace nnrt
