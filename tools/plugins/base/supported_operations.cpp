#include "tools/plugins/base/supported_operations.h"

#include "tools/import/model_builder.h"
#include "tools/plugins/base/api_call.h"

#include <neural_network_runtime/neural_network_runtime.h>

namespace nnrt::plugins {

Result<std::vector<bool>> supported_operations(const import::Network& network, const PluginDevice& device,
                                               const PluginOptions& options) {
  NNRT_ASSIGN(const import::ModelHandle model, import::make_model(network));
  if (device.is_auto() || has_fallback(options)) return std::vector<bool>(network.operations.size(), true);
  const bool* supported = nullptr;
  uint32_t count = 0;
  NNRT_TRY(check(OH_NNModel_GetAvailableOperations(model.get(), device.id, &supported, &count),
                 "OH_NNModel_GetAvailableOperations"));
  return std::vector<bool>(supported, supported + count);
}

}  // namespace nnrt::plugins
