// Shell completions of nnrt, generated from its command line. An option's type name defines its possible
// values: DEVICE, FILE, or the words themselves, "on|off".
#pragma once

#include <ostream>

namespace CLI {
class App;
}

namespace nnrt::tool {

void print_bash_completion(std::ostream& out, const CLI::App& app);
void print_zsh_completion(std::ostream& out, const CLI::App& app);

}  // namespace nnrt::tool
