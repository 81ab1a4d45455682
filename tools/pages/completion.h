// The completions of nnrt for shells, from its command line. What an option's value may be, the name of its
// type says: DEVICE, FILE, or the words themselves, "on|off".
#pragma once

#include <ostream>

namespace CLI {
class App;
}

namespace nnrt::tool {

void print_bash_completion(std::ostream& out, const CLI::App& app);
void print_zsh_completion(std::ostream& out, const CLI::App& app);

}  // namespace nnrt::tool
