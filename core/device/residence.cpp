#include "core/device/residence.h"

namespace nnrt {

Result<Residence::CopyPtr> Residence::copy_of(const void* owner, const MakeCopy& make) {
  const std::lock_guard lock(mutex_);
  if (copy_ != nullptr && copy_->is_of(owner)) return copy_;
  if (copy_ != nullptr) NNRT_TRY(copy_->read_back(tensor_));
  copy_ = nullptr;
  NNRT_ASSIGN(copy_, make(tensor_));
  return copy_;
}

Status Residence::read_back() {
  const std::lock_guard lock(mutex_);
  return copy_ == nullptr ? Status() : copy_->read_back(tensor_);
}

Status Residence::leave() {
  const std::lock_guard lock(mutex_);
  if (copy_ != nullptr) NNRT_TRY(copy_->read_back(tensor_));
  copy_ = nullptr;
  return {};
}

void Residence::forget() {
  const std::lock_guard lock(mutex_);
  copy_ = nullptr;
}

Status leave_devices(std::span<TensorView> views) {
  for (TensorView& view : views) {
    if (view.residence != nullptr) NNRT_TRY(std::exchange(view.residence, nullptr)->leave());
  }
  return {};
}

}  // namespace nnrt
