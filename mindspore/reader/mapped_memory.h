// The memory that this process may read. A client's tables are in buffers of unknown size, so an offset in
// them may lead anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nnrt::mindspore {

struct AddressRange {
  uintptr_t begin = 0, end = 0;
};

class MappedMemory {
 public:
  // As of now. Where /proc is not available, all addresses but the first page count as readable.
  MappedMemory();

  bool contains(uintptr_t address, size_t bytes) const;

 private:
  std::vector<AddressRange> ranges_;  // ascending; adjacent ones are joined
};

// Without the tag that Android keeps in the uppermost byte.
constexpr uintptr_t untagged(uintptr_t address) { return address & (~uintptr_t{0} >> 8); }

}  // namespace nnrt::mindspore
