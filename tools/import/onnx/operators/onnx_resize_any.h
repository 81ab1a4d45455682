// Resize with the RESIZE operator, which supports all modes and dynamic sizes.
#pragma once

#include "core/schema/resize_weights.h"
#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// What the node says of the sizes.
struct Resizing {
  Dims from, to;                   // as far as known
  List<float> scales{};            // of all dimensions; empty if sizes and unknown lengths give them
  std::optional<TensorId> size{};  // operand of RESIZE; absent: from the scales
  ResizeCoordinates coordinates{};
  ResizeRounding rounding{}, reducing{};  // `reducing` is for scales below 1

  ResizeRounding rounding_of(size_t axis) const { return scales[axis] < 1 ? reducing : rounding; }
  ResizeRule nearest(size_t axis) const {
    return {.coordinates = coordinates,
            .rounding = rounding_of(axis),
            .scale = double{scales[axis]},
            .in = from[axis],
            .out = to[axis]};
  }
};

Resizing read_resizing(Call& call, TensorId x);

TensorId resize_any(Call& call, TensorId x, const Resizing& resizing);

// Returns whether the sizes are bounds to fit into rather than exact sizes.
bool keeps_aspect_ratio(Call& call);

}  // namespace nnrt::import::onnx
