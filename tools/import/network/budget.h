// Limits the bytes of constants that a reader makes in all.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>

namespace nnrt::import {

// Files may come from anybody, and few bytes can ask for many: a limit for each constant says nothing about
// their sum. A good file needs (for weights in another layout or type, indices, the arithmetic of shapes) not
// much more than the file itself has.
class ConstantBudget {
 public:
  explicit ConstantBudget(size_t file_size) : limit_(kFree + kTimes * file_size) {}

  // Adds bytes that are read from other files that belong to the first.
  void grow(size_t file_size) { limit_ += kTimes * file_size; }
  // For constants that are small, or made already; check() follows.
  void count(size_t bytes) { taken_ = bytes > kMax - taken_ ? kMax : taken_ + bytes; }
  Status check() const {
    if (taken_ <= limit_) return {};
    return Error{Code::unsupported, "The constants that the file asks for take " + std::to_string(taken_) +
                                        " bytes, more than " + std::to_string(limit_) + "."};
  }
  // Before a constant is made.
  Status take(size_t bytes) {
    count(bytes);
    return check();
  }

 private:
  static constexpr size_t kMax = ~size_t{0};
  static constexpr size_t kFree = size_t{1} << 27, kTimes = 16;

  size_t taken_ = 0, limit_;
};

// Limits the nodes that the functions of a file and the bodies of its loops become: a body of few bytes can
// run often, and a function can call another twice, which does the same.
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
