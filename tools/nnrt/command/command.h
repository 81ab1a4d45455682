// The commands of nnrt. Each add_... declares a command and its options; when that command is parsed,
// `action` is set to its work.
#pragma once

#include "core/base/result.h"
#include "tools/nnrt/command/command_line.h"

#include <functional>

namespace nnrt::tool {

using Action = std::function<Status()>;

void add_devices(CommandLine& app, Action& action);
void add_doctor(CommandLine& app, Action& action);
void add_run(CommandLine& app, Action& action);
void add_compare(CommandLine& app, Action& action);
void add_cut(CommandLine& app, Action& action);
void add_bench(CommandLine& app, Action& action);
void add_plan(CommandLine& app, Action& action);
void add_profile(CommandLine& app, Action& action);
void add_compile(CommandLine& app, Action& action);
void add_convert(CommandLine& app, Action& action);
void add_generate(CommandLine& app, Action& action);
void add_quantize(CommandLine& app, Action& action);
void add_accuracy(CommandLine& app, Action& action);
void add_info(CommandLine& app, Action& action);

}  // namespace nnrt::tool
