// Imports groups of nodes, and asks a device whether it supports them.
#pragma once

#include "tools/plugins/base/chosen_device.h"
#include "tools/plugins/base/plugin_options.h"
#include "tools/plugins/onnxruntime/graph/groups.h"

namespace nnrt::ep {

using import::Network;

// The group as a network whose inputs and outputs are in the order of the boundary. `failed` as in
// read_onnx().
Result<Network> import_group(const HostGraph& graph, const Group& group, const Boundary& boundary,
                             import::Constants constants, int& failed);

// Asks the importer, and then the device unless another one runs what it declines. Sets the shapes that the
// importer infers for values of unknown rank.
GroupSupport ask_device(HostGraph& graph, const Group& group, const plugins::PluginDevice& device,
                        const plugins::PluginOptions& options);

// The ONNX type that tensors of this type have in the framework; 0 if there is none.
int32_t onnx_type(OH_NN_DataType type);

}  // namespace nnrt::ep
