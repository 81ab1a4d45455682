#include "core/cache/block_checksum.h"

#include "core/base/checksum.h"
#include "core/base/divide_up.h"
#include "core/cache/cache_header.h"
#include "core/memory/pages.h"
#include "core/memory/parallel_work.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <functional>
#include <thread>

namespace nnrt {
namespace {

constexpr uint64_t kBlockBytes = uint64_t{256} << 10;  // fits the L2 cache of a core
// Threads that fill one huge page would wait for each other.
constexpr uint64_t kBlocksPerTask = kHugePageBytes / kBlockBytes;
constexpr uint64_t kMaxThreads = 8;  // enough for the bandwidth of the memory

uint64_t blocks_of(uint64_t bytes) { return divide_up(bytes, kBlockBytes); }

// Calls visit(item, block) for every block of items of these sizes.
Status for_blocks(std::span<const uint64_t> sizes, const std::function<Status(size_t, uint64_t)>& visit) {
  struct Task {
    size_t item;
    uint64_t first;
  };
  std::vector<Task> tasks;
  for (size_t item = 0; item < sizes.size(); ++item)
    for (uint64_t first = 0; first < blocks_of(sizes[item]); first += kBlocksPerTask)
      tasks.push_back({item, first});
  const auto run = [&](size_t i) -> Status {
    const auto [item, first] = tasks[i];
    const uint64_t end = std::min(first + kBlocksPerTask, blocks_of(sizes[item]));
    for (uint64_t block = first; block < end; ++block) NNRT_TRY(visit(item, block));
    return {};
  };
  uint64_t total = 0;
  for (const uint64_t size : sizes) total += size;
  const uint64_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  const uint64_t allowed = setting_number(Setting::threads).value_or(cores);
  return parallel_work(tasks.size(), std::min({allowed, kMaxThreads, 1 + total / (2 * kHugePageBytes)}), run);
}

// The checksums of the blocks of each item.
class BlockSums {
 public:
  explicit BlockSums(std::span<const uint64_t> sizes) {
    for (const uint64_t size : sizes) sums_.emplace_back(blocks_of(size));
  }
  uint64_t& at(size_t item, uint64_t block) { return sums_[item][block]; }
  uint64_t total(size_t item) const { return checksum(std::as_bytes(std::span(sums_[item]))); }

 private:
  std::vector<std::vector<uint64_t>> sums_;
};

// A page fault in a system call keeps other threads from changing mappings while the page is cleared, so that
// their malloc() waits; one outside does not.
void touch_pages(std::span<std::byte> pages) {
  for (size_t at = 0; at < pages.size(); at += kPageBytes) *const_cast<volatile std::byte*>(&pages[at]) = {};
}

Pieces block_of(const Pieces& item, uint64_t block) {
  uint64_t skipped = block * kBlockBytes, wanted = kBlockBytes;
  Pieces pieces;
  for (const ByteView piece : item) {
    if (wanted == 0) break;
    const uint64_t begin = std::min<uint64_t>(skipped, piece.size());
    skipped -= begin;
    const ByteView part = piece.subspan(begin, std::min<uint64_t>(wanted, piece.size() - begin));
    wanted -= part.size();
    if (!part.empty()) pieces.push_back(part);
  }
  return pieces;
}

}  // namespace

std::vector<uint64_t> block_checksums(std::span<const Pieces> items) {
  std::vector<uint64_t> sizes;
  for (const Pieces& item : items) {
    sizes.push_back(0);
    for (const ByteView piece : item) sizes.back() += piece.size();
  }
  BlockSums sums(sizes);
  const Status status = for_blocks(sizes, [&](size_t item, uint64_t block) -> Status {
    sums.at(item, block) = checksum(block_of(items[item], block));
    return {};
  });
  if (!status.ok()) throw std::bad_alloc();  // nothing else can fail
  std::vector<uint64_t> totals;
  for (size_t item = 0; item < items.size(); ++item) totals.push_back(sums.total(item));
  return totals;
}

uint64_t block_checksum(ByteView bytes) {
  if (bytes.size() <= kBlockBytes) {
    const uint64_t sum = checksum(bytes);
    return checksum(std::as_bytes(std::span(&sum, bytes.empty() ? 0 : 1)));
  }
  const Pieces item{bytes};
  return block_checksums({&item, 1})[0];
}

Result<std::vector<size_t>> read_verified(const ByteSource& source, std::span<const VerifiedRead> reads) {
  std::vector<uint64_t> sizes;
  for (const VerifiedRead& read : reads) sizes.push_back(read.part.bytes);
  BlockSums sums(sizes);
  const auto read_block = [&](size_t item, uint64_t block) -> Status {
    const uint64_t begin = block * kBlockBytes, bytes = std::min(kBlockBytes, sizes[item] - begin);
    const std::span<std::byte> to = reads[item].to.subspan(begin, bytes);
    touch_pages(to);
    NNRT_TRY(source.read(reads[item].part.offset + begin, to));
    sums.at(item, block) = checksum(to);
    return {};
  };
  NNRT_TRY(for_blocks(sizes, read_block));
  std::vector<size_t> damaged;
  for (size_t item = 0; item < reads.size(); ++item)
    if (sums.total(item) != reads[item].part.checksum) damaged.push_back(item);
  return damaged;
}

namespace {

// The number of parts from `first` on to read at once: neighbours that are small, up to a block.
size_t count_together(std::span<const VerifiedPart> parts, size_t first) {
  size_t end = first + 1;
  for (uint64_t bytes = parts[first].bytes; end < parts.size(); ++end) {
    const VerifiedPart &last = parts[end - 1], &next = parts[end];
    bytes += next.bytes;
    if (last.bytes > kSmallPart || next.bytes > kSmallPart || bytes > kBlockBytes) break;
    if (next.offset != last.offset + last.bytes) break;
  }
  return end - first;
}

Error wrong_checksum(const VerifiedPart& part) {
  return damaged("The checksum of the bytes at ", part.offset, " is wrong.");
}

Status read_together(const ByteSource& source, std::span<const VerifiedPart> parts,
                     std::vector<SharedBytes>& read) {
  const uint64_t begin = parts.front().offset, end = parts.back().offset + parts.back().bytes;
  Pages pages = allocate_pages(end - begin);
  NNRT_TRY(source.read(begin, {pages.get(), end - begin}));
  const SharedBytes all = shared(std::move(pages));
  for (const VerifiedPart& part : parts) {
    read.push_back(all.part(part.offset - begin, part.bytes));
    if (block_checksum(*read.back()) != part.checksum) return wrong_checksum(part);
  }
  return {};
}

}  // namespace

Result<std::vector<SharedBytes>> read_pages(const ByteSource& source, std::span<const VerifiedPart> parts) {
  std::vector<SharedBytes> read;
  std::vector<Pages> pages;
  std::vector<VerifiedRead> alone;
  std::vector<size_t> places;  // of those in `read`
  while (read.size() < parts.size()) {
    const size_t first = read.size(), count = count_together(parts, first);
    if (count > 1) {
      NNRT_TRY(read_together(source, parts.subspan(first, count), read));
      continue;
    }
    const VerifiedPart& part = parts[first];
    pages.push_back(allocate_pages(part.bytes));
    alone.push_back({part, {pages.back().get(), part.bytes}});
    places.push_back(first);
    read.emplace_back();
  }
  NNRT_ASSIGN(const std::vector<size_t> damaged, read_verified(source, alone));
  if (!damaged.empty()) return wrong_checksum(alone[damaged[0]].part);
  for (size_t i = 0; i < pages.size(); ++i) read[places[i]] = shared(std::move(pages[i]));
  return read;
}

}  // namespace nnrt
