// Sliding windows of an operator being written: convolutions and pools.
#pragma once

#include "tools/import/tflite/tflite_node_writer.h"

namespace nnrt::import::tflite {

// One dimension. Sizes are -1 if they are not known.
struct Window {
  int64_t in = 0, reach = 1, stride = 1, before = 0, after = 0, out = 0;
};

// Pads the data by an operator of its own unless the format's padding modes do: with zeros, or with the
// lowest number. Returns the mode.
enum class Fill : uint8_t { none, zeros, lowest };
format::Padding pad_windows(NodeWriter& node, List<Window> windows, Fill fill);

// Of conv2d, depthwise convolution and 2-D pools.
List<Window> image_windows(NodeWriter& node);

}  // namespace nnrt::import::tflite
