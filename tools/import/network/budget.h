// Limits the total size of the constants a reader creates.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>

namespace nnrt::import {

// Untrusted files can request a lot of memory with few bytes, and a per-constant limit does not bound the
// total. Valid files need (for repacked or converted weights, indices, shape arithmetic) little more than
// their own size.
class ConstantBudget {
 public:
  explicit ConstantBudget(size_t file_size) : limit_(kFree + kTimes * file_size) {}

  // Adds the size of an external file of the model.
  void grow(size_t file_size) { limit_ += kTimes * file_size; }
  // For small constants, or those already created; check() must follow.
  void count(size_t bytes) { taken_ = bytes > kMax - taken_ ? kMax : taken_ + bytes; }
  Status check() const {
    if (taken_ <= limit_) return {};
    return Error{Code::unsupported, "The constants that the file asks for take " + std::to_string(taken_) +
                                        " bytes, more than " + std::to_string(limit_) + "."};
  }
  // Call before creating a constant.
  Status take(size_t bytes) {
    count(bytes);
    return check();
  }

 private:
  static constexpr size_t kMax = ~size_t{0};
  static constexpr size_t kFree = size_t{1} << 27, kTimes = 16;

  size_t taken_ = 0, limit_;
};

// Limits the number of nodes that functions and loop bodies expand to: a small body can run many times, and
// nested functions grow exponentially.
class NodeBudget {
 public:
  Status take(size_t nodes) {
    taken_ += nodes;
    if (taken_ <= kMaxNodes) return {};
    return Error{Code::unsupported, "The functions and bodies of the file become more than " +
                                        std::to_string(kMaxNodes) + " nodes."};
  }

 private:
  static constexpr size_t kMaxNodes = size_t{1} << 17;

  size_t taken_ = 0;
};

}  // namespace nnrt::import
