// DequantizeLinear of constants with per-block scales.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// The value of a DequantizeLinear with a block size. The tensors must be constant, with one scale per block.
Value blocked_value(Call& call, int64_t block_size);

// Scale and zero point by position: `outer` index before the axis, k along it, `inner` after it.
class Blocks {
 public:
  Blocks(const Emitter& emitter, const Value& value);

  // Sizes before, along and after the axis.
  int64_t outer() const { return outer_; }
  int64_t length() const { return length_; }
  int64_t inner() const { return inner_; }
  int64_t count() const { return (length_ + size_ - 1) / size_; }
  size_t index(int64_t outer, int64_t k, int64_t inner) const {
    return static_cast<size_t>((outer * count() + k / size_) * inner_ + inner);
  }
  float scale(size_t index) const { return static_cast<float>(scales_[index]); }
  int zero_point(size_t index) const { return zero_points_.empty() ? 0 : zero_points_[index]; }
  // The stored element.
  int stored(int64_t outer, int64_t k, int64_t inner) const;

 private:
  ByteView bytes_;
  bool is_signed_;
  int64_t size_, outer_ = 1, length_ = 1, inner_ = 1;
  List<double> scales_;
  List<int> zero_points_;
};

// The dequantized constant.
TensorId dequantized_blocks(Emitter& emitter, const Value& value);

}  // namespace nnrt::import::onnx
