#include "core/counters.h"

namespace nnrt {

Counters& counters() {
  static Counters instance;
  return instance;
}

}  // namespace nnrt
