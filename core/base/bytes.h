// Byte ranges: owned, viewed, and shared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace nnrt {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

// Reference-counted bytes, possibly part of a larger buffer or file. Used like a pointer to a ByteView; may
// be null.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::nullptr_t) {}
  SharedBytes(std::shared_ptr<const Bytes> bytes)
      : view_(bytes ? ByteView(*bytes) : ByteView()), owner_(std::move(bytes)) {}
  SharedBytes(std::shared_ptr<const void> owner, ByteView view) : view_(view), owner_(std::move(owner)) {}

  explicit operator bool() const { return owner_ != nullptr; }
  bool operator==(std::nullptr_t) const { return owner_ == nullptr; }
  const ByteView& operator*() const { return view_; }
  const ByteView* operator->() const { return &view_; }

  SharedBytes part(size_t offset, size_t bytes) const { return {owner_, view_.subspan(offset, bytes)}; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  // A part of these bytes that shares ownership.
  SharedBytes part(ByteView view) const { return {owner_, view}; }

 private:
  ByteView view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace nnrt
