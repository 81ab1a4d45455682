#pragma once

#include "core/base/text.h"

namespace nnrt {

// "1 run", "2 runs". Without `many`, the plural is `one` and an "s".
template <typename Count>
std::string counted(Count count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return cat(count, ' ', one);
  return many.empty() ? cat(count, ' ', one, 's') : cat(count, ' ', many);
}

}  // namespace nnrt
