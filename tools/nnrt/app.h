// The command line as a whole.
#pragma once

#include "tools/nnrt/command/command.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace nnrt::tool {

// `action` becomes what the command that was typed does.
std::unique_ptr<CLI::App> make_app(Action& action);

}  // namespace nnrt::tool
