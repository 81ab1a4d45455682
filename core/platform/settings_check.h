// Misspelled settings would do nothing in silence: they are warned of, with what is allowed. Each warning is
// given once in a process.
#pragma once

#include "core/platform/settings.h"

namespace nnrt {

// Warns of variables of the environment that are named as the runtime's are but are none, and of values that
// are not allowed. Looks once.
void check_environment();

// Warns of a value that is not allowed.
void check_value(const SettingRow& row, std::string_view text);

// Warns of a value for which a row's words do not say all: `allowed` lists what is allowed instead.
void warn_of_value(const SettingRow& row, std::string_view value, std::string_view allowed);

// Warns of an extension config that is none of the runtime's.
void check_extension(std::string_view name);

}  // namespace nnrt
