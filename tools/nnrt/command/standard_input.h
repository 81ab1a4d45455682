// `-` in place of a file: the model or one input comes from standard input.
#pragma once

#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"

#include <span>

namespace nnrt::tool {

// Fails if it is empty.
Result<std::string> read_standard_input();

// Runs a command. If one of `models` or of the inputs is `-` (`NAME=-`), saves standard input to a temporary
// file first and puts its path there. Fails if more than one is.
Status with_standard_input(ModelOptions& options, std::span<std::string* const> models, const Action& run);

// When the command is called, its action is `run` with standard input. `run` owns the options; `models` are
// by default `options.model`.
void set_model_action(CommandLine& command, Action& action, ModelOptions& options, Action run,
                      std::vector<std::string*> models = {});

// A file name whose extension fits the first bytes. Other models are ONNX, which has no magic number; other
// inputs are images or raw elements and have no extension.
std::string name_of_standard_input(std::string_view bytes, bool is_model);

}  // namespace nnrt::tool
