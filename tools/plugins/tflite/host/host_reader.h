// Reads an interpreter's graph through TfLiteContext.
#pragma once

#include "core/base/result.h"
#include "tools/plugins/tflite/host_graph.h"

#include <tensorflow/lite/core/c/common.h>

namespace nnrt::tflite_plugin {

// The nodes of the execution plan and their tensors, with the shapes they have now.
Result<HostGraph> read_host(TfLiteContext* context);

import::Shape shape_of(const TfLiteTensor& tensor);

}  // namespace nnrt::tflite_plugin
