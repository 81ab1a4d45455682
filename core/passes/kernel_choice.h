// An operator's implementations form an ordered list; the first one without a reason against it is used.
// Reasons are formatted only for reports.
#pragma once

#include "core/passes/kernel_switch.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

// A reason against an implementation: a sentence and the numbers for its "{}". Only the pointer is stored, so
// the sentence must be a literal.
class WhyNot {
 public:
  static constexpr size_t kMaxNumbers = 4;

  // No reason.
  constexpr WhyNot() = default;
  // The implementation cannot compute this.
  template <std::integral... Numbers>
  constexpr WhyNot(const char* sentence, Numbers... numbers)
      : sentence_(sentence), numbers_{static_cast<int64_t>(numbers)...} {
    static_assert(sizeof...(numbers) <= kMaxNumbers);
  }
  // The implementation could compute this, but another one is faster. It can still be forced.
  template <std::integral... Numbers>
  static constexpr WhyNot slower(const char* sentence, Numbers... numbers) {
    WhyNot why(sentence, numbers...);
    why.is_preference_ = true;
    return why;
  }

  constexpr explicit operator bool() const { return sentence_ != nullptr; }
  constexpr bool is_preference() const { return is_preference_; }
  std::string text() const;

 private:
  const char* sentence_ = nullptr;
  std::array<int64_t, kMaxNumbers> numbers_{};
  bool is_preference_ = false;
};

struct DeclinedKernel {
  std::string name;
  std::string why;

  bool operator==(const DeclinedKernel&) const = default;
};

// The chosen implementation, and those above it in the list.
struct KernelChoice {
  std::string name;  // empty: none is usable
  std::vector<DeclinedKernel> declined;

  bool operator==(const KernelChoice&) const = default;
};

using KernelLog = std::vector<KernelChoice>;

// Reported if the choice depends on the shapes of a run.
inline constexpr const char* kChosenInEachRun = "chosen in each run";

// The choices made for one client operation, in order: a kernel may consist of several.
struct OperationKernels {
  uint32_t operation = 0;  // Node::position
  KernelLog kernels;
  std::vector<uint32_t> fused = {};  // Node::fused_positions
};

// A graph pass, with the reason if it was skipped.
struct PassChoice {
  std::string name;
  std::string why_not;
};

struct KernelReport {
  std::vector<OperationKernels> operations;
  std::vector<PassChoice> passes;
};

// A list row has a `name` and a function `why_not`, which is null if it always applies.
template <typename Row, typename... Args>
WhyNot why_not(const Row& row, const Args&... args) {
  return row.why_not == nullptr ? WhyNot() : row.why_not(args...);
}

// Why a row above the chosen one was declined.
template <typename Row, typename... Args>
std::string why_declined(const Row& row, const KernelSwitch& kernels, const Args&... args) {
  if (kernels.forbids(row.name)) return "It is forbidden by name.";
  const WhyNot why = why_not(row, args...);
  return why ? why.text() : "Another one is forced by name.";
}

// Returns the row to use: a forced one that can compute this, otherwise the first without a reason against
// it, otherwise a slower one if all better ones are forbidden. Null if none is left. Adds the choice to `log`
// unless it is null.
template <typename Row, typename... Args>
const Row* choose_kernel(std::span<const Row> list, const KernelSwitch& kernels, KernelLog* log,
                         const Args&... args) {
  const auto first = [&](auto accepts) {
    const auto found = std::ranges::find_if(
        list, [&](const Row& row) { return !kernels.forbids(row.name) && accepts(row); });
    return found == list.end() ? nullptr : &*found;
  };
  const auto can = [&](const Row& row) {
    const WhyNot why = why_not(row, args...);
    return !why || why.is_preference();
  };
  const Row* chosen = nullptr;
  if (kernels.forces_any())
    chosen = first([&](const Row& row) { return kernels.forces(row.name) && can(row); });
  if (chosen == nullptr) chosen = first([&](const Row& row) { return !why_not(row, args...); });
  if (chosen == nullptr) chosen = first(can);
  if (log != nullptr) {
    KernelChoice choice{chosen == nullptr ? "" : std::string(chosen->name), {}};
    for (const Row& row : list) {
      if (&row == chosen) break;
      choice.declined.push_back({std::string(row.name), why_declined(row, kernels, args...)});
    }
    log->push_back(std::move(choice));
  }
  return chosen;
}

}  // namespace nnrt
