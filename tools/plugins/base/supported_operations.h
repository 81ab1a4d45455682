// Which operations of a network a device runs.
#pragma once

#include "tools/import/network/network.h"
#include "tools/plugins/base/chosen_device.h"
#include "tools/plugins/base/plugin_options.h"

namespace nnrt::plugins {

// By operation. With fallback, and on a device that places models itself, every valid operation runs.
Result<std::vector<bool>> supported_operations(const import::Network& network, const PluginDevice& device,
                                               const PluginOptions& options);

}  // namespace nnrt::plugins
