// DequantizeLinear of constants whose blocks have scales of their own.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// Returns the value that a call of DequantizeLinear with a block size stands for. The tensors are constants,
// and there is a scale for each block.
Result<Value> blocked_value(Call& call, int64_t block_size);

// The scale and the zero point of an element that has `outer` whole slices before it, is the k-th along the
// axis and the inner-th behind it.
class Blocks {
 public:
  Blocks(const Emitter& emitter, const Value& value);

  // The elements before, along and behind the axis.
  int64_t outer() const { return outer_; }
  int64_t length() const { return length_; }
  int64_t inner() const { return inner_; }
  int64_t count() const { return (length_ + size_ - 1) / size_; }
  size_t index(int64_t outer, int64_t k, int64_t inner) const {
    return static_cast<size_t>((outer * count() + k / size_) * inner_ + inner);
  }
  float scale(size_t index) const { return static_cast<float>(scales_[index]); }
  int zero_point(size_t index) const { return zero_points_.empty() ? 0 : zero_points_[index]; }
  // The element as it is stored.
  int stored(int64_t outer, int64_t k, int64_t inner) const;

 private:
  ByteView bytes_;
  bool is_signed_;
  int64_t size_, outer_ = 1, length_ = 1, inner_ = 1;
  std::vector<double> scales_;
  std::vector<int> zero_points_;
};

// A constant of the floats.
Result<TensorId> dequantized_blocks(Emitter& emitter, const Value& value);

}  // namespace nnrt::import::onnx
