// Facts about a device, for the metadata of the framework's devices.
#pragma once

#include "tools/plugins/base/chosen_device.h"

#include <map>
#include <string>

namespace nnrt::ep {

using Facts = std::map<std::string, std::string>;

// The description of OH_NNRt_DescribeDevice; empty if there is none.
Facts facts_of(const plugins::PluginDevice& device);

// The members of a flat JSON object, as text.
Facts facts_of(const std::string& json);

}  // namespace nnrt::ep
