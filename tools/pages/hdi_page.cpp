// Generates the page of HDI nodes from the table mapping operators to nodes: hdi_page FILE.
#include "backends/plugin/node_table.h"
#include "core/base/text.h"
#include "core/schema/schema.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <typeinfo>
#include <variant>

namespace {

using nnrt::cat;
using nnrt::plugin::Field;
using nnrt::plugin::NodeRow;

// "Conv2DFusion": the attribute struct without namespaces.
std::string structure_of(const NodeRow& row) {
  const char* const name = std::visit([](const auto& attr) { return typeid(attr).name(); }, row.attr);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  const std::string full = status == 0 ? text.get() : name;
  return full.substr(full.rfind(':') + 1);
}

// "stride (OH_NN_CONV2D_STRIDES)" for each member that a parameter sets.
std::string members_of(const NodeRow& row) {
  const auto& params = nnrt::schema(row.op).params;
  std::string text;
  for (const Field& field : row.fields) {
    const auto param = std::ranges::find(params, field.attr, &nnrt::ParamRow::attr);
    if (param == params.end()) continue;
    text += cat(text.empty() ? "" : ", ", '`', field.member, "` (", param->type_name(), ")");
  }
  return text;
}

void write_page(std::ostream& out) {
  out << "# Operators as nodes of HDI\n\n"
         "Written by `cmake --build build --target write_hdi_page` from the table in "
         "`backends/plugin/node_rows.cpp`.\n\n"
         "A driver of [a plugin](plugin.md) gets each operation as a node of `ohos.hdi.nnrt`: its type, and "
         "in `node.attr`\nthe structure, whose members have the values of OH_NN's parameters. Members that "
         "no "
         "parameter sets follow from the\noperands or have the structure's default. Drivers of V2_0 are "
         "offered the nodes of V2_0 alone; operators that are\nnot listed run on other devices.\n\n"
         "| operator | HDI | node type | structure | members (parameters) |\n| --- | --- | --- | --- | --- "
         "|\n";
  for (const NodeRow& row : nnrt::plugin::all_rows()) {
    out << cat("| ", nnrt::name(row.op), " | ", row.needs_v2_1 ? "V2_1" : "V2_0", " | ", int(row.type),
               " | `", structure_of(row), "` | ", members_of(row), " |\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: hdi_page FILE\n");
    return 2;
  }
  std::ofstream out(argv[1]);
  write_page(out);
  return out.flush() ? 0 : 1;
}
