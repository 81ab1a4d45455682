// Generates the page of supported model files from the readers' tables: import_page FILE.
#include "core/schema/schema.h"
#include "mindspore/lower/node_lowering.h"
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/tflite/tflite_operators.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <string>

namespace {

using nnrt::import::tflite::Numbers;
using nnrt::import::tflite::Row;

std::string_view becomes(nnrt::Op type) {
  return type == nnrt::Op{} ? "several operations" : nnrt::short_name(type);
}

const char* quantized(Numbers numbers) {
  switch (numbers) {
    case Numbers::quantized: return "quantized";
    case Numbers::real: return "float";
    default: return "";
  }
}

void write_tflite(std::ofstream& page) {
  std::map<std::string, const Row*> rows;  // by name
  for (const auto family : nnrt::import::tflite::all_rows())
    for (const Row& row : family)
      if (row.convert != nullptr)
        rows[nnrt::import::tflite::operator_name(int32_t(row.code), row.custom_name)] = &row;
  page << "## TensorFlow Lite: " << rows.size() << R"( operators

An IF or WHILE whose condition is known is evaluated on import; of an IF that depends on the run both
branches run. Sparse constants become dense. Complex numbers are pairs of floats between RFFT2D and
COMPLEX_ABS, REAL or IMAG. State that a file keeps (RNN, SVDF) is zero at the start of each run.

| operator | becomes | quantized tensors |
| --- | --- | --- |
)";
  for (const auto& [name, row] : rows)
    page << "| " << name << " | " << becomes(row->type) << " | " << quantized(row->numbers) << " |\n";
}

void write_onnx(std::ofstream& page) {
  const auto& rows = nnrt::import::onnx::all_rows();
  page << "\n## ONNX, opsets 1 to 27: " << rows.size() << R"( operators

[Model files](model-files.md#onnx) describes functions, If, Loop and Scan.

| operator | domain | between DequantizeLinear and QuantizeLinear |
| --- | --- | --- |
)";
  for (const auto& [key, row] : rows)
    page << "| " << row.type << " | " << row.domain << " | " << (row.quantized != 0 ? "quantized" : "")
         << " |\n";
}

const char* quantized(const nnrt::OpSchema& schema) {
  if (schema.quantized) return "quantized";
  const bool reads_floats = !schema.inputs.empty() && schema.inputs[0].dtypes.contains(nnrt::DType::f32);
  const bool keeps_codes = schema.copy || nnrt::mindspore::takes_codes(schema.op);
  return keeps_codes || !reads_floats ? "" : "float";
}

void write_mindspore(std::ofstream& page) {
  using namespace nnrt::mindspore;
  std::map<std::string_view, const LoweringRow*> rows;  // by name
  for (int number = 1; number <= kPrimitiveCount; ++number)
    if (const LoweringRow* row = find_lowering(PrimitiveType(number)))
      rows[find_primitive(number)->name] = row;
  page << "\n## MindSpore Lite: " << rows.size() << R"( primitives

Primitives of files before 1.1 are converted to these. Activation, ReduceFusion and Resize become the
operation of their mode. Other primitives, such as those of training, are refused if an output depends on
them ([MindSpore Lite](mindspore.md)).

| primitive | becomes | quantized tensors |
| --- | --- | --- |
)";
  for (const auto& [name, row] : rows) {
    const bool is_one = row->op != nnrt::Op{};
    page << "| " << name << " | " << becomes(row->op) << " | "
         << (is_one ? quantized(nnrt::schema(row->op)) : "") << " |\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: import_page FILE\n");
    return 2;
  }
  std::ofstream page(argv[1]);
  page << R"(# Imported operators

Written by `cmake --build build --target write_import_page` from the readers' tables. Features of an operator
beyond those of its counterpart are composed of several operations, or refused by name and position. The last
column says how quantized tensors are computed: `quantized` on their codes, `float` between two
QUANT_DTYPE_CAST.

)";
  write_tflite(page);
  write_onnx(page);
  write_mindspore(page);
  return page.good() ? 0 : 1;
}
