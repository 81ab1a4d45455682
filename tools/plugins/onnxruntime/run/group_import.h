// Groups read by the importer, and what a device says about them.
#pragma once

#include "tools/plugins/onnxruntime/graph/groups.h"
#include "tools/plugins/onnxruntime/run/compiled_group.h"

namespace nnrt::ep {

// The group as a network whose inputs and outputs are in the order of the boundary. `failed` as in
// read_onnx().
Result<Network> import_group(const HostGraph& graph, const Group& group, const Boundary& boundary,
                             import::Constants constants, int& failed);

// Asks the importer, and then the device unless another one runs what it declines.
Answer ask_device(const HostGraph& graph, const Group& group, const Device& device, const Options& options);

// The ONNX type that tensors of this type have in the framework; 0 if there is none.
int32_t onnx_type(OH_NN_DataType type);

}  // namespace nnrt::ep
