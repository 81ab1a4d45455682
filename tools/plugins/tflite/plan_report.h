// Which nodes run here and why others do not, as text.
#pragma once

#include "tools/plugins/tflite/partition_plan.h"

#include <string>

namespace nnrt::tflite_plugin {

// "NNRt runs 30 of 31 nodes in 1 partition on NVIDIA H100.", and a line for each node that it does not run.
std::string plan_report(const HostGraph& graph, size_t partitions, const std::string& device);

}  // namespace nnrt::tflite_plugin
