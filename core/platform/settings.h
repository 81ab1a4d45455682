// All settings of the runtime in one table. Whoever reads one reads it by its row here; docs/settings.md and
// the manual page are written from the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nnrt {

// The rows, in the order of the table.
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
  compat,
  fuse,
  check_graphs,
  cpu_isa,
  vulkan_validation,
  device_host,
  config_fallback,
  config_placement,
  config_trace,
  config_device_local,
  config_model_name,
  none,  // a row that the runtime does not read
};

enum class SettingKind : uint8_t {
  user,       // an environment variable
  foreign,    // one that belongs to somebody else
  test,       // one for tests and for the search of faults, named NNRT_TEST_...
  test_run,   // one that only the project's own test programs read, named likewise
  extension,  // an extension config of a compilation
};

// Capitals in an allowed word stand for what the client chooses: NUMBER (from 1), MILLISECONDS, PATH (with a
// '/'), FILE, NAME (any text). They may follow other letters: "later:MILLISECONDS".
struct SettingRow {
  Setting id;
  const char* name;
  SettingKind kind;
  char separator;                  // between the entries of a list; 0: the value is one word
  std::string_view words;          // the allowed ones, with spaces between them
  std::string_view default_value;  // a word, or in words
  std::string_view meaning;        // Markdown
};

std::span<const SettingRow> all_settings();
const SettingRow& row(Setting setting);

// The text of an environment variable; null where it is not set.
const char* setting_text(Setting setting);

// The index of a word of the value among the row's; empty: it is none of them.
std::optional<size_t> index_of(const SettingRow& row, std::string_view text);

// The index of the value among the row's words. An unset, empty or unknown value is the default, which is
// empty if that is no word. Allocates nothing: logging a lack of memory needs it.
std::optional<size_t> choice_of(const SettingRow& row, std::string_view text);
std::optional<size_t> setting_choice(Setting setting);

// The value as a number; empty where it is not set or not allowed.
std::optional<uint64_t> setting_number(Setting setting);

// The row's words, with commas between them.
std::string allowed_values(const SettingRow& row);

}  // namespace nnrt
