// How a constant is packed for a kernel: at once, or in parts, so that the host need not hold all of a large
// one.
#pragma once

#include "core/base/bytes.h"
#include "core/memory/pages.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace nnrt::vulkan {

class Packing {
 public:
  using All = std::function<Bytes()>;
  // Writes bytes [offset, offset + to.size()) of the result. `to` is uninitialized and never empty. It may be
  // write-combined memory, so it is written in order or in blocks of at least 64 bytes.
  using Part = std::function<void(uint64_t offset, std::span<std::byte> to)>;

  template <std::invocable F>
  Packing(F all) : all_(std::move(all)) {}
  // Parts are multiples of `unit` bytes, except the last.
  Packing(uint64_t bytes, uint64_t unit, Part part) : bytes_(bytes), unit_(unit), part_(std::move(part)) {}

  bool has_parts() const { return part_ != nullptr; }
  // Only with parts.
  uint64_t bytes() const { return bytes_; }
  uint64_t unit() const { return unit_; }
  void write(uint64_t offset, std::span<std::byte> to) const { part_(offset, to); }

  SharedBytes all() const {
    if (!has_parts()) return std::make_shared<const Bytes>(all_());
    Pages pages = allocate_pages(bytes_);
    if (bytes_ > 0) part_(0, {pages.get(), bytes_});
    return shared(std::move(pages));
  }

 private:
  All all_;
  uint64_t bytes_ = 0, unit_ = 0;
  Part part_;
};

}  // namespace nnrt::vulkan
