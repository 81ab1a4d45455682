// Writes the page of operators from the schema and the devices' tables: operator_page FILE.
#include "backends/cpu/kernel.h"
#include "core/schema.h"
#include "core/text.h"

#include <cstdio>
#include <fstream>
#include <string>
#ifdef NNRT_VULKAN
#include "backends/vulkan/lowering.h"
#endif

namespace {

using nnrt::cat;

bool on_gpu([[maybe_unused]] nnrt::Op op) {
#ifdef NNRT_VULKAN
  return nnrt::vulkan::lowering(op) != nullptr;
#else
  return false;
#endif
}

const char* yes(bool value) { return value ? "yes" : ""; }

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

std::string count(const nnrt::ParamRow& param) {
  if (param.count.most == nnrt::kManyElements) return cat(param.count.least, "+");
  return param.count.least == param.count.most ? cat(param.count.least)
                                               : cat(param.count.least, "..", param.count.most);
}

std::string default_value(const nnrt::ParamRow& param) {
  if (param.required) return "required";
  if (param.default_value.empty()) return "absent";
  std::string text;
  for (const double value : param.default_value) text += cat(text.empty() ? "" : ", ", value);
  return text;
}

void write_overview(std::ostream& out) {
  size_t cpu = 0, gpu = 0;
  for (const nnrt::OpSchema& row : nnrt::all_schemas()) {
    cpu += nnrt::cpu::kernel(row.op) != nullptr ? 1 : 0;
    gpu += on_gpu(row.op) ? 1 : 0;
  }
  out << "# Operators\n\nMade from the schema and the devices' tables by `cmake --build build --target "
         "write_operator_page`. Of the "
      << nnrt::kOpCount << " operators the CPU device has " << cpu << ", the GPU device " << gpu
      << " (not necessarily in every dtype: `OH_NNModel_GetAvailableOperations` answers for a model,\n"
         "`NNRT_PLACEMENT=-` tells why).\n\n"
         "| number | operator | API | family | inputs | dtypes of the first | quantized | CPU | GPU |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const nnrt::OpSchema& row : nnrt::all_schemas()) {
    out << cat("| ", int(row.op), " | ", row.name, " | ", row.since, " | ", name(row.family), " | ",
               operands(row), " | ", dtypes(row.inputs.front().dtypes), " | ",
               row.copy ? "codes" : yes(row.quantized), " | ", yes(nnrt::cpu::kernel(row.op) != nullptr),
               " | ", yes(on_gpu(row.op)), " |\n");
  }
}

void write_parameters(std::ostream& out) {
  out << "\n## Parameters\n\n| number | tensor type | dtype | elements | default | API |\n| --- | --- | --- "
         "| --- | --- | --- |\n";
  for (const nnrt::OpSchema& row : nnrt::all_schemas()) {
    for (const nnrt::ParamRow& param : row.params) {
      out << cat("| ", param.type, " | ", param.type_name, " | ", dtypes(param.dtypes), " | ", count(param),
                 " | ", default_value(param), " | ", param.since, " |\n");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: operator_page FILE\n");
    return 2;
  }
  std::ofstream out(argv[1]);
  write_overview(out);
  write_parameters(out);
  return out.flush() ? 0 : 1;
}
