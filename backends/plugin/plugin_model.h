// A model that a driver has compiled.
#pragma once

#include "backends/plugin/plugin_driver.h"
#include "core/device/device.h"

namespace nnrt::plugin {

struct Version {
  uint32_t major = 2, minor = 0;
};

// `graph` is what the driver was given, for shapes, names and types.
std::unique_ptr<PreparedModel> make_prepared_model(std::shared_ptr<Driver> driver,
                                                   std::shared_ptr<hdi::IPreparedModel> model, GraphPtr graph,
                                                   Version version);

// Reads what export_cache() of such a model made: the contents of each buffer. invalid_file: it did not.
Result<std::vector<ByteView>> cached_buffers(ByteView cached);

}  // namespace nnrt::plugin
