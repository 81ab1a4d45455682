#include "core/platform/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace nnrt {

const char* environment(const char* name) { return secure_getenv(name); }

void for_each_variable(std::string_view prefix,
                       const std::function<void(std::string_view, std::string_view)>& visit) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with(prefix)) continue;
    if (const char* const value = environment(name.c_str())) visit(name, value);
  }
}

}  // namespace nnrt
