// The commands of nnrt. Each add_... declares a command's options; where it is the one that was typed,
// `action` becomes what it does.
#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace nnrt::tool {

using Action = std::function<Status()>;

void add_devices(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_profile(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);

}  // namespace nnrt::tool
