// The place of a tensor that stays with a device: runs find its contents in the device's own memory, and the
// host's memory has them only when the client asks.
#pragma once

#include "core/platform/shared_memory.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace nnrt {

// One for each such tensor; the views of its runs share it. Safe to use from several threads.
class Residence {
 public:
  // A device's copy of the tensor's bytes. What works on it holds it.
  class Copy {
   public:
    virtual ~Copy() = default;
    virtual bool is_of(const void* owner) const = 0;
    // Writes the bytes to the tensor's memory.
    virtual Status read_back(const TensorView& tensor) const = 0;
  };
  using CopyPtr = std::shared_ptr<const Copy>;
  using MakeCopy = std::function<Result<CopyPtr>(const TensorView& tensor)>;

  // The memory, the offset and the bytes that the tensor has.
  explicit Residence(TensorView tensor) : tensor_(std::move(tensor)) {}

  // The contents at the owner's, where they stay. What another owner has comes to the host first; what the
  // host has is what `make` begins with.
  Result<CopyPtr> copy_of(const void* owner, const MakeCopy& make);
  // The host's memory has the contents as well.
  Status read_back();
  // The host's memory alone has the contents: somebody without a copy is about to write them.
  Status leave();
  // The host's memory counts; what a device has is given up.
  void forget();

 private:
  const TensorView tensor_;
  std::mutex mutex_;
  CopyPtr copy_;  // null: the host has the contents
};

// The contents of the views come to the host's memory, and the views are from then on as any others.
Status leave_devices(std::span<TensorView> views);

}  // namespace nnrt
