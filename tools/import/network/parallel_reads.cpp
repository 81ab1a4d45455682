#include "tools/import/network/parallel_reads.h"

#include "backends/cpu/base/kernel.h"
#include "core/memory/pages.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace nnrt::import {
namespace {

std::vector<Read> pieces_of(std::span<const Read> reads) {
  constexpr size_t kPieceBytes = kHugePageBytes;  // two threads filling a huge page would both wait for it
  std::vector<Read> pieces;
  for (const Read& read : reads) {
    for (size_t begin = 0; begin < read.to.size(); begin += kPieceBytes) {
      const size_t count = std::min(kPieceBytes, read.to.size() - begin);
      pieces.push_back({read.source, read.offset + begin, read.to.subspan(begin, count)});
    }
  }
  return pieces;
}

}  // namespace

Status read_in_parallel(std::span<const Read> reads) {
  const std::vector<Read> pieces = pieces_of(reads);
  std::mutex mutex;
  Status status;
  cpu::ThreadPool::shared().parallel_for(int64_t(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (const Read& piece : std::span(pieces).subspan(size_t(begin), size_t(end - begin))) {
      Status read = piece.source->read(piece.offset, piece.to);
      if (read.ok()) continue;
      const std::lock_guard lock(mutex);
      if (status.ok()) status = std::move(read);
      return;
    }
  });
  return status;
}

}  // namespace nnrt::import
