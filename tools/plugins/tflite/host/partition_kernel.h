// The interpreter's node that stands for a partition.
#pragma once

#include <tensorflow/lite/core/c/common.h>

namespace nnrt::tflite_plugin {

// Replaces the nodes by kernels of the delegate, one for each partition.
TfLiteStatus replace_nodes(TfLiteContext* context, const TfLiteIntArray& nodes, TfLiteDelegate* delegate);

}  // namespace nnrt::tflite_plugin
