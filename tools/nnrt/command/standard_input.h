// `-` in place of a file: the model or one input comes from standard input.
#pragma once

#include "tools/nnrt/command/command_options.h"

#include <functional>

namespace nnrt::tool {

// Runs a command. If one of `models` or of the inputs is `-` (`NAME=-`), saves standard input to a temporary
// file first and puts its path there. Fails if more than one is.
Status with_standard_input(ModelOptions& options, std::span<std::string* const> models,
                           const std::function<Status()>& command);
// The model is `options.model`.
Status with_standard_input(ModelOptions& options, const std::function<Status()>& command);

// A file name whose extension fits the first bytes. Other models are ONNX, which has no magic number; other
// inputs are images or raw elements and have no extension.
std::string name_of_standard_input(std::string_view bytes, bool is_model);

}  // namespace nnrt::tool
