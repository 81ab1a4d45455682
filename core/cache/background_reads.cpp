#include "core/cache/background_reads.h"

#include "core/base/exceptions.h"
#include "core/memory/deferred_bytes.h"
#include "core/memory/piece_writer.h"
#include "core/platform/settings.h"

#include <algorithm>

namespace nnrt {

BackgroundReads::BackgroundReads(std::vector<SharedBytes> deferred) {
  constexpr uint64_t kWorthThread = uint64_t{1} << 20;  // less is read sooner than a thread starts
  const uint64_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  if (total_size(deferred) < kWorthThread || setting_number(Setting::threads).value_or(cores) < 2) return;
  best_effort([&] {
    thread_ = std::thread([this, deferred = std::move(deferred)] {
      for (const SharedBytes& bytes : deferred) {
        if (is_stopped_) return;
        best_effort([&] { static_cast<void>(ensure_read(bytes)); });
      }
    });
  });
}

BackgroundReads::~BackgroundReads() {
  is_stopped_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace nnrt
