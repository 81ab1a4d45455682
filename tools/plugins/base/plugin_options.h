// Options that a framework passes to a plugin as text.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nnrt::plugins {

struct PluginOptions {
  std::string device = "auto";
  std::string fallback;  // "on", "off", or empty: as NNRT_FALLBACK
  bool float16 = false;
  std::string cache_dir;  // empty: no cache
  uint8_t priority = 0;   // OH_NN_Priority
  std::string placement;  // empty: as NNRT_PLACEMENT
  std::string trace;
  uint32_t threads = 0;  // 0: as NNRT_THREADS
};

struct OptionRow {
  std::string_view name, values, default_value, meaning;
  Status (*set)(PluginOptions& options, std::string_view value);
};

// The options of all plugins.
std::span<const OptionRow> option_rows();

// Sets an option by name; the error lists the names, or the values that are allowed. `others`: further names
// for the list, as ", NAME".
Status set_option(PluginOptions& options, std::string_view name, std::string_view value,
                  std::string_view others = {});

// "1", "on", "true" and "yes", or their opposites.
Result<bool> as_bool(std::string_view name, std::string_view value);
Result<uint32_t> as_number(std::string_view name, std::string_view value, uint32_t max);

}  // namespace nnrt::plugins
