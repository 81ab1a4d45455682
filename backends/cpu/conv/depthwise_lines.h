// Rows of a depthwise convolution.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/padded_lines.h"
#include "backends/cpu/gemm/f32_microkernel.h"

#include <cstddef>

namespace nnrt::cpu {

struct DepthwiseLayer {
  const SpatialParams& spatial;
  int64_t channels;
  const float* weight;  // [taps][weight_step]
  int64_t weight_step;
  F32Epilogue epilogue;  // without F32Epilogue::other; the bias has `weight_step` values
  bool is_flat = false;  // vectors hold several pixels
};

// The packed taps and bias of a node, and its layer.
PrepackedBytes depthwise_weight(const KernelArgs& args);
DepthwiseLayer depthwise_layer(const KernelArgs& args, const SpatialParams& spatial,
                               const PrepackedBytes& weight, const F32Epilogue& clamps);

// Whether vectors of the layer's rows can hold several pixels. They multiply padding, so weights are finite.
bool has_flat_rows(const DepthwiseLayer& layer);

// Floats per tap: the channels, repeated if there are fewer than lanes, so that a vector may begin at any of
// them.
int64_t depthwise_step(int64_t channels);

class DepthwiseRows {
 public:
  static constexpr int64_t kAtOnce = 2;  // rows that are computed together

  static size_t scratch_bytes(const DepthwiseLayer& layer);
  DepthwiseRows(const DepthwiseLayer& layer, std::byte* scratch);

  // Output rows of an image, pixels x channels sums each, one after the other. Fastest for kAtOnce rows, in
  // increasing order.
  void operator()(const float* image, TapRange rows, float* sums);

 private:
  void sum_flat_row(const float* image, int64_t y, float* sums);
  void copy_lines(const float* image, int64_t begin, int64_t end);
  float* slot(int64_t y) const;

  const DepthwiseLayer& layer_;
  PaddedLines<float> padded_;
  // Used if the layer is flat:
  const float** lines_ = nullptr;  // input lines under the kernel
  int64_t* offsets_ = nullptr;     // per tap of a kernel line
  float* slots_ = nullptr;         // copies of input lines, or null
  TapRange copied_;                // lines of `image_` in the slots
  const float* image_ = nullptr;
};

// Output pixels [begin, end) of row y, pixel by pixel.
void sum_depthwise_pixels(const DepthwiseLayer& layer, const float* image, int64_t y, TapRange pixels,
                          float* sums);

}  // namespace nnrt::cpu
