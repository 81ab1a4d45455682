// Warns about misspelled settings, which would otherwise be ignored silently, and lists the allowed values.
// Each warning is given once per process.
#pragma once

#include "core/platform/settings.h"

namespace nnrt {

// Warns about environment variables with the runtime's prefix that do not exist, and about values that are
// not allowed. Checks once.
void check_environment();

// Warns about a value that is not allowed.
void check_value(const SettingRow& row, std::string_view text);

// Warns about a value that the row's words cannot fully describe; `allowed` lists the allowed ones.
void warn_of_value(const SettingRow& row, std::string_view value, std::string_view allowed);

// Warns about an extension config that does not exist. Other names than ours are for drivers of OpenHarmony:
// MindSpore Lite passes them on from apps.
void check_extension(std::string_view name);

}  // namespace nnrt
