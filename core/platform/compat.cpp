#include "core/platform/compat.h"

#include "core/platform/settings.h"

namespace nnrt::compat {

bool upstream() {
  static const bool is_on = setting_choice(Setting::compat).has_value();
  return is_on;
}

}  // namespace nnrt::compat
