#include "mindspore/reader/mapped_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

// In processes with the address sanitizer; null in others.
extern "C" [[gnu::weak]] void* __asan_region_is_poisoned(void* address, size_t bytes);

namespace nnrt::mindspore {
namespace {

// Parses a line of /proc/self/maps, "7f5c00-7f6000 r-xp ..."; empty if the range is not readable.
std::optional<AddressRange> readable_range(const std::string& line) {
  const char* const end = line.data() + line.size();
  AddressRange range;
  const auto first = std::from_chars(line.data(), end, range.begin, 16);
  if (first.ptr == end || *first.ptr != '-') return {};
  const auto last = std::from_chars(first.ptr + 1, end, range.end, 16);
  if (end - last.ptr < 2 || last.ptr[1] != 'r') return {};
  return range;
}

}  // namespace

MappedMemory::MappedMemory() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto range = readable_range(line);
    if (!range) continue;
    if (!ranges_.empty() && ranges_.back().end == range->begin) {
      ranges_.back().end = range->end;
    } else {
      ranges_.push_back(*range);
    }
  }
  constexpr uintptr_t kPage = 4096;
  if (ranges_.empty()) ranges_.push_back({kPage, untagged(~uintptr_t{0})});
}

bool MappedMemory::contains(uintptr_t address, size_t bytes) const {
  address = untagged(address);
  const auto behind = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::begin);
  if (behind == ranges_.begin()) return false;
  const AddressRange& range = *std::prev(behind);
  if (address > range.end || bytes > range.end - address) return false;
  // Freed, or between objects.
  return __asan_region_is_poisoned == nullptr ||
         __asan_region_is_poisoned(reinterpret_cast<void*>(address), bytes) == nullptr;
}

}  // namespace nnrt::mindspore
