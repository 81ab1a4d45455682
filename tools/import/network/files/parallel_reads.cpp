#include "tools/import/network/files/parallel_reads.h"

#include "backends/cpu/base/kernel.h"
#include "core/memory/pages.h"
#include "core/platform/first_error.h"

#include <algorithm>
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
  FirstError error;
  cpu::ThreadPool::shared().parallel_for(int64_t(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Read& piece = pieces[size_t(i)];
      if (Status read = piece.source->read(piece.offset, piece.to); !read.ok())
        return error.add(size_t(i), std::move(read).error());
    }
  });
  return error.take();
}

}  // namespace nnrt::import
