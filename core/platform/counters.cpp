#include "core/platform/counters.h"

#include "core/platform/trace.h"

namespace nnrt {

Counters& counters() {
  static Counters instance;
  return instance;
}

void count_copied(uint64_t bytes) {
  const uint64_t sum = counters().bytes_copied += bytes;
  if (trace::on()) trace::counter("bytes copied", sum);
}

}  // namespace nnrt
