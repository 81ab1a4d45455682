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
  std::vector<size_t> offsets;  // per lifetime, aligned
};

// Places lifetimes into free gaps in several orders and returns the smallest arena. Deterministic.
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, size_t alignment);

// A lower bound: the maximum number of bytes live at one time.
size_t arena_lower_bound(std::span<const Lifetime> lifetimes, size_t alignment);

}  // namespace nnrt
