// The table of all settings. Code reads settings through its rows; docs/settings.md and the man page are
// generated from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nnrt {

// In table order.
enum class Setting : uint8_t {
  devices,
  plugins,
  hosted,
  fallback,
  costs,
  placement,
  trace,
  log,
  threads,
  cpu_kernels,
  vulkan_shaders,
  vulkan_kernels,
  cache_home,
  driver_files,
  driver_devices,
  driver_name,
  driver_vendor,
  compat,
  fuse,
  check_graphs,
  cpu_isa,
  vulkan_validation,
  device_host,
  config_fallback,
  config_placement,
  config_export,
  config_cache,
  config_trace,
  config_device_local,
  config_threads,
  config_model_name,
  none,  // not read by the runtime
};

enum class SettingKind : uint8_t {
  user,       // an environment variable
  foreign,    // defined by others
  test,       // for tests and debugging, named NNRT_TEST_...
  test_run,   // only read by the project's test programs, named likewise
  extension,  // an extension config of a compilation
};

// Capitals in an allowed word are placeholders: NUMBER (from 1), MILLISECONDS, PATH (containing '/'), FILE,
// NAME (any text). They may follow other letters: "later:MILLISECONDS".
struct SettingRow {
  Setting id;
  const char* name;
  SettingKind kind;
  char separator;                  // between list entries; 0: the value is a single word
  std::string_view words;          // allowed words, space-separated
  std::string_view default_value;  // a word, or a description
  std::string_view meaning;        // Markdown
};

std::span<const SettingRow> all_settings();
const SettingRow& row(Setting setting);

// The value of an environment variable; null if unset.
const char* setting_text(Setting setting);

// The index of a word among the row's words; empty if it is not one of them.
std::optional<size_t> index_of(const SettingRow& row, std::string_view text);

// The index of the value among the row's words. Unset, empty and unknown values give the default; empty if
// that is not a word. Does not allocate, as it is used to log out-of-memory.
std::optional<size_t> choice_of(const SettingRow& row, std::string_view text);
std::optional<size_t> setting_choice(Setting setting);

// A NUMBER; empty if the text is none.
std::optional<uint64_t> positive_number(std::string_view text);
// The value as a number; empty if unset or not allowed.
std::optional<uint64_t> setting_number(Setting setting);

// The row's words, comma-separated.
std::string allowed_values(const SettingRow& row);

}  // namespace nnrt
