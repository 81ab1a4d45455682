#include "core/base/check.h"

#include "core/base/text.h"

#include <stdexcept>
#include <string_view>

namespace nnrt {

void fail_check(const char* file, int line, const char* sentence) {
  const std::string_view path = file;
  throw std::logic_error(cat(sentence, " (", path.substr(path.rfind('/') + 1), ":", line, ")"));
}

}  // namespace nnrt
