// Options that a framework passes to a plugin as text.
#pragma once

#include "core/base/result.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace nnrt::plugins {

struct PluginOptions {
  std::string device = "auto";
  std::string fallback;  // "on", "off", or empty: as NNRT_FALLBACK
  bool float16 = false;
  std::string cache_dir;  // empty: no cache
  OH_NN_Priority priority = OH_NN_PRIORITY_NONE;
  OH_NN_PerformanceMode performance = OH_NN_PERFORMANCE_NONE;
  std::string placement;  // empty: as NNRT_PLACEMENT
  std::string trace;
  uint32_t threads = 0;  // at most; 0: as NNRT_THREADS
};

// Sets an option by name; the error lists the names, or the values that are allowed. `others`: further names
// for the list, as ", NAME".
Status set_option(PluginOptions& options, std::string_view name, std::string_view value,
                  std::string_view others = {});

// Whether our CPU device runs what the chosen device does not support.
bool has_fallback(const PluginOptions& options);

// "1", "on", "true" and "yes", or their opposites.
Result<bool> as_bool(std::string_view name, std::string_view value);
Result<uint32_t> as_number(std::string_view name, std::string_view value, uint32_t max);

}  // namespace nnrt::plugins
