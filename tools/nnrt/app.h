// The complete command line.
#pragma once

#include "tools/nnrt/command/command.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace nnrt::tool {

// Parsing sets `action` to the work of the given command.
std::unique_ptr<CLI::App> make_app(Action& action);

}  // namespace nnrt::tool
