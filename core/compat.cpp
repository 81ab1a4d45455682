#include "core/compat.h"

#include "core/log.h"
#include "core/text.h"

#include <cstdlib>
#include <string_view>

namespace nnrt::compat {

bool upstream() {
  static const bool is_on = [] {
    const char* text = std::getenv("NNRT_COMPAT");
    const std::string_view mode = text == nullptr ? "" : text;
    if (mode == "openharmony") return true;
    if (!mode.empty()) log(LogLevel::warning, cat("NNRT_COMPAT (", mode, ") is not openharmony."));
    return false;
  }();
  return is_on;
}

}  // namespace nnrt::compat
