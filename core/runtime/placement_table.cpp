// The placement report as a table; docs/trace.md has an example.
#include "core/base/text.h"
#include "core/runtime/operation_kernels.h"

#include <algorithm>
#include <array>

namespace nnrt {
namespace {

using Line = std::array<std::string, 6>;

std::string text_of(const std::vector<Line>& lines) {
  std::array<size_t, std::tuple_size_v<Line>> widths{};
  for (const Line& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    std::string padded;
    for (size_t i = 0; i < line.size(); ++i)
      padded += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    padded.erase(padded.find_last_not_of(' ') + 1);
    text += padded + '\n';
  }
  return text;
}

// The first line has the operation's cells; each choice and reason takes one line.
void add_kernels(std::vector<Line>& lines, const KernelLog& kernels) {
  for (const KernelChoice& choice : kernels) {
    if (!lines.back()[4].empty()) lines.emplace_back();
    lines.back()[4] = choice.name.empty() ? "none" : choice.name;
    for (const DeclinedKernel& declined : choice.declined) {
      if (!lines.back()[5].empty()) lines.emplace_back();
      lines.back()[5] = cat(declined.name, ": ", declined.why);
    }
  }
}

std::map<uint32_t, uint32_t> readers_of_fused(const std::map<uint32_t, OperationKernels>& kernels) {
  std::map<uint32_t, uint32_t> computed_by;
  for (const auto& [operation, own] : kernels) {
    for (const uint32_t fused : own.fused) computed_by.emplace(fused, operation);
  }
  return computed_by;
}

std::string skipped_passes(const std::string& where, const std::vector<PassChoice>& passes) {
  std::string text;
  for (const PassChoice& pass : passes)
    if (!pass.why_not.empty()) text += cat(where, " without ", pass.name, ": ", pass.why_not, '\n');
  return text;
}

// The skipped passes, listed below the nodes.
std::string skipped_passes(const CompiledModel& model, const std::vector<KernelReport>& reports) {
  std::string text = skipped_passes("Model", model.passes);
  for (size_t i = 0; i < reports.size(); ++i)
    text += skipped_passes(cat("Partition ", i, " (", model.partitions[i].device->info().name, ')'),
                           reports[i].passes);
  return text;
}

}  // namespace

std::string CompiledModel::placement_table() const {
  const std::vector<KernelReport> reports = kernel_reports(*this);
  const std::map<uint32_t, OperationKernels> kernels = kernels_of_operations(reports);
  const std::map<uint32_t, uint32_t> computed_by = readers_of_fused(kernels);
  std::vector<Line> lines{{"node", "operator", "device", "reason", "implementation", "not taken, and why"}};
  for (const PlacedNode& node : placement) {
    lines.push_back({cat(node.position), std::string(name(node.op)), node.device, node.reason, "", ""});
    const auto own = kernels.find(node.position);
    if (own != kernels.end() && !own->second.kernels.empty()) {
      add_kernels(lines, own->second.kernels);
    } else if (const auto other = computed_by.find(node.position); other != computed_by.end()) {
      lines.back()[4] = cat("fused into ", other->second);
    }
  }
  return text_of(lines) + skipped_passes(*this, reports) + (choice.empty() ? "" : choice + '\n');
}

}  // namespace nnrt
