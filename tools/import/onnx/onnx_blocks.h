// DequantizeLinear of constants with per-block scales.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// The value of a DequantizeLinear with a block size. The tensors must be constant, with one scale per block.
Value blocked_value(Call& call, int64_t block_size);

// Scales and zero points.
class Blocks {
 public:
  Blocks(const Emitter& emitter, const Value& value);

  // Of the block of an element.
  size_t index(int64_t element) const {
    const int64_t outer = element / inner_ / length_, k = element / inner_ % length_;
    return static_cast<size_t>((outer * count() + k / size_) * inner_ + element % inner_);
  }
  float scale(size_t index) const { return scales_[index]; }
  int zero_point(size_t index) const { return zero_points_.empty() ? 0 : zero_points_[index]; }

 private:
  int64_t count() const { return (length_ + size_ - 1) / size_; }

  int64_t size_, length_ = 1, inner_ = 1;
  List<float> scales_;
  List<int32_t> zero_points_;
};

// The dequantized constant, as FLOAT32.
TensorId dequantized_blocks(Emitter& emitter, const Value& value);

}  // namespace nnrt::import::onnx
