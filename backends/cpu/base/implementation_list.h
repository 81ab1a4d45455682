// Operators with several implementations: an ordered list per operator, fastest first; the last one supports
// everything.
#pragma once

#include "backends/cpu/base/kernel_families.h"
#include "core/base/text.h"

#include <type_traits>

namespace nnrt::cpu {

// `Problem` is built once per node for all rows; `args` is the node.
template <typename Problem>
struct Implementation {
  std::string_view name;
  WhyNot (*why_not)(const Problem&) = nullptr;  // null: supports every problem
  Status (*run)(const Problem&) = nullptr;
  Status (*prepack)(const Problem&) = nullptr;  // null: nothing to prepack
  // Returns whether runs read the raw weights (input 1) even though they were prepacked. Null: never.
  bool (*reads_weights)(const Problem&) = nullptr;
};

// The KernelRow functions for an operator with that list.
template <const auto& kList, auto kProblemOf>
class Choices {
 public:
  static constexpr KernelRow row(Op op) { return {op, run, prepack, choose, add_names, reads_weights}; }

 private:
  using Row = std::remove_cvref_t<decltype(kList[0])>;

  static Status run(const KernelArgs& args) {
    KernelArgs own = args;
    NNRT_ASSIGN(const auto problem, kProblemOf(own));
    if (args.chosen != kNotChosen) return kList[args.chosen].run(problem);
    NNRT_ASSIGN(const uint8_t chosen, row_of(problem, nullptr));
    // Another run may have selected another row, and each row prepacks constants differently.
    const auto form = reinterpret_cast<PrepackCache::Form>(kList[chosen].prepack);
    if (own.prepacked != nullptr && !own.prepacked->has(form)) own.prepacked = nullptr;
    return kList[chosen].run(problem);
  }

  static Status prepack(const KernelArgs& args) {
    if (kList[args.chosen].prepack == nullptr) return {};
    NNRT_ASSIGN(const auto problem, kProblemOf(args));
    return kList[args.chosen].prepack(problem);
  }

  static Result<uint8_t> choose(const KernelArgs& args, KernelLog* log) {
    NNRT_ASSIGN(const auto problem, kProblemOf(args));
    return row_of(problem, log);
  }

  static bool reads_weights(const KernelArgs& args) {
    if (args.chosen == kNotChosen) return true;
    if (kList[args.chosen].reads_weights == nullptr) return false;
    const auto problem = kProblemOf(args);
    return !problem.ok() || kList[args.chosen].reads_weights(problem.value());
  }

  template <typename Problem>
  static Result<uint8_t> row_of(const Problem& problem, KernelLog* log) {
    static const KernelSwitch kNone;
    const KernelArgs& args = problem.args;
    const Row* const row = choose_kernel(std::span<const Row>(kList),
                                         args.kernels == nullptr ? kNone : *args.kernels, log, problem);
    if (row != nullptr) return uint8_t(row - kList);
    return unsupported(kKernelsVariable, " forbids all that could compute ", name(args.node.node().op), '.');
  }

  static void add_names(std::vector<std::string_view>& names) {
    for (const Row& row : kList) names.push_back(row.name);
  }
};

}  // namespace nnrt::cpu
