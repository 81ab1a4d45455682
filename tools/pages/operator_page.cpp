// Generates the operator page from the schema, the devices' support checks and the golden cases:
// operator_page GOLDEN_FOLDER FILE.
#include "backends/cpu/base/kernel.h"
#include "backends/vulkan/program/node_support.h"
#include "core/base/text.h"
#include "core/schema/schema.h"
#include "tests/support/golden_case.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

namespace {

using nnrt::cat;

// GPU support for the nodes of the golden cases.
struct Coverage {
  size_t nodes = 0, native = 0;
  std::set<std::string> dtypes;  // input dtypes that the GPU supports
  std::set<std::string> reasons;
};
using CoverageTable = nnrt::OpTable<Coverage>;

std::vector<nnrt::GraphPtr> load_graphs(const std::string& folder) {
  conformance::Collection collection;
  conformance::load(folder, collection);
  std::vector<nnrt::GraphPtr> graphs;
  for (const conformance::Case& golden : collection.cases) {
    if (golden.reject) continue;
    nnrt::test::Composed composed = nnrt::test::compose(golden);
    if (composed.graph == nullptr) throw std::runtime_error(golden.name + ": " + composed.error.message);
    graphs.push_back(std::move(composed.graph));
  }
  return graphs;
}

// A device with only the required features, and SwiftShader's limits.
nnrt::vulkan::DevicePlan min_device() {
  nnrt::vulkan::DevicePlan plan;
  plan.storage_alignment = 256;
  plan.max_storage_range = plan.max_allocation = uint64_t{1} << 27;
  plan.max_group_invocations = 256;
  plan.max_group_size = {256, 256, 64};
  plan.max_group_count = {65535, 65535, 65535};
  plan.max_shared_bytes = 16384;
  return plan;
}

CoverageTable cover(const std::vector<nnrt::GraphPtr>& graphs) {
  CoverageTable table;
  const nnrt::vulkan::DevicePlan plan = min_device();
  for (const nnrt::GraphPtr& graph : graphs) {
    const std::vector<nnrt::Refusal> refusals = nnrt::vulkan::node_refusals(*graph, plan);
    for (nnrt::NodeId node = 0; node < graph->nodes.size(); ++node) {
      Coverage& coverage = table[graph->nodes[node].op];
      ++coverage.nodes;
      if (refusals[node]) {
        coverage.reasons.insert(*refusals[node]);
        continue;
      }
      ++coverage.native;
      const nnrt::Tensor& first = graph->tensors[graph->nodes[node].inputs[0]];
      coverage.dtypes.insert(cat(name(first.dtype), first.quant.empty() ? "" : " quantized"));
    }
  }
  return table;
}

std::string join(const std::set<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string dtypes(nnrt::DTypeSet set) {
  if (set == nnrt::kAny) return "any";
  std::string text;
  for (int i = 1; i < nnrt::kDTypeCount; ++i) {
    const auto dtype = static_cast<nnrt::DType>(i);
    if (set.contains(dtype)) text += cat(text.empty() ? "" : " ", name(dtype));
  }
  return text;
}

std::string operands(const nnrt::OpSchema& row) {
  std::string text;
  for (const nnrt::InputRow& input : row.inputs) {
    text += cat(text.empty() ? "" : ", ", input.name, input.many ? "..." : "", input.optional ? "?" : "");
  }
  return text;
}

void write_overview(std::ostream& out, const CoverageTable& table) {
  size_t cpu = 0, gpu = 0, nodes = 0, native = 0;
  for (const nnrt::OpSchema& row : nnrt::all_schemas()) {
    const Coverage& coverage = table[row.op];
    cpu += nnrt::cpu::kernel(row.op) != nullptr ? 1 : 0;
    gpu += coverage.native > 0 ? 1 : 0;
    nodes += coverage.nodes;
    native += coverage.native;
  }
  out << cat(
      "# Operators\n\nWritten by `cmake --build build --target write_operator_page` from the schema, the "
      "devices' refusals and the golden cases.\n\nOf the ",
      nnrt::kOpCount, " operators the CPU device runs ", cpu, " in all their dtypes, the GPU device ", gpu,
      ". The GPU supports ", native, " of the ", nodes,
      " operations in the golden\ncases; the CPU runs the rest. \"On the GPU\" counts an operator's "
      "operations there and "
      "names the dtypes of the first input.\n\n"
      "| number | operator | API | family | inputs | dtypes of the first | on the GPU | in these dtypes |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const nnrt::OpSchema& row : nnrt::all_schemas()) {
    const Coverage& coverage = table[row.op];
    out << cat("| ", int(row.op), " | ", row.name, " | ", row.since(), " | ", name(row.family), " | ",
               operands(row), " | ", dtypes(row.inputs.front().dtypes),
               row.quantized ? " (INT8 quantized)" : "", " | ", coverage.native, " of ", coverage.nodes,
               " | ", join(coverage.dtypes, ", "), " |\n");
  }
}

void write_reasons(std::ostream& out, const CoverageTable& table) {
  out << "\n## What the GPU declines\n\nThe reasons that the GPU device gives, in the golden cases.\n\n"
         "| operator | reasons |\n| --- | --- |\n";
  for (const nnrt::OpSchema& row : nnrt::all_schemas()) {
    const Coverage& coverage = table[row.op];
    if (!coverage.reasons.empty()) out << cat("| ", row.name, " | ", join(coverage.reasons, " "), " |\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: operator_page GOLDEN_FOLDER FILE\n");
    return 2;
  }
  try {
    const CoverageTable table = cover(load_graphs(argv[1]));
    std::ofstream out(argv[2]);
    write_overview(out, table);
    write_reasons(out, table);
    return out.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "operator_page: %s\n", error.what());
    return 1;
  }
}
