// A model compiled by a driver.
#pragma once

#include "backends/plugin/plugin_driver.h"
#include "core/device/device.h"

namespace nnrt::plugin {

struct Version {
  uint32_t major = 2, minor = 0;
};

// `graph`: what was passed to the driver, for shapes, names and types.
std::unique_ptr<PreparedModel> make_prepared_model(std::shared_ptr<Driver> driver,
                                                   std::shared_ptr<hdi::IPreparedModel> model, GraphPtr graph,
                                                   Version version);

// Parses the result of export_cache(): the contents of each buffer. invalid_file: malformed.
Result<std::vector<ByteView>> cached_buffers(ByteView cached);

}  // namespace nnrt::plugin
