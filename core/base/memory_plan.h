// Lifetimes of temporary tensors -> offsets in one arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nnrt {

struct Lifetime {
  size_t bytes = 0;
  uint32_t first = 0, last = 0;  // steps, both inclusive
};

struct MemoryPlan {
  size_t bytes = 0;             // size of the arena
  std::vector<size_t> offsets;  // one for each lifetime, multiples of the alignment
};

// Lays lifetimes one after the other into free gaps, in several orders, and takes the smallest arena. The
// same for the same lifetimes.
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, size_t alignment);

// A lower bound of every plan: the largest number of bytes that live at one time.
size_t arena_lower_bound(std::span<const Lifetime> lifetimes, size_t alignment);

}  // namespace nnrt
