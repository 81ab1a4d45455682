// Residence of a tensor kept on a device: runs use the device's copy, and the host's memory is updated only
// on request.
#pragma once

#include "core/platform/shared_memory.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace nnrt {

// One per tensor, shared by the views of its runs. Thread-safe.
class Residence {
 public:
  // A device's copy of the tensor, shared with the work that uses it.
  class Copy {
   public:
    virtual ~Copy() = default;
    virtual bool is_of(const void* owner) const = 0;
    // Copies the bytes to the tensor's memory.
    virtual Status read_back(const TensorView& tensor) const = 0;
  };
  using CopyPtr = std::shared_ptr<const Copy>;
  using MakeCopy = std::function<Result<CopyPtr>(const TensorView& tensor)>;

  // The tensor's memory, offset and size.
  explicit Residence(TensorView tensor) : tensor_(std::move(tensor)) {}

  // Moves the contents to `owner`, creating its copy with `make`. Contents owned by another device go through
  // the host.
  Result<CopyPtr> copy_of(const void* owner, const MakeCopy& make);
  // Copies the contents to the host's memory; the device's copy stays valid.
  Status read_back();
  // Moves the contents to the host's memory, before something without a copy writes them.
  Status leave();
  // Drops the device's copy; the host's memory is current.
  void forget();

 private:
  const TensorView tensor_;
  std::mutex mutex_;
  CopyPtr copy_;  // null: the host has the contents
};

// Moves the contents of the views to host memory and clears their residence.
Status leave_devices(std::span<TensorView> views);

}  // namespace nnrt
