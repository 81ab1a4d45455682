// Composes .ms files of either schema table by table, for tests of the reader.
#pragma once

#include "core/base/bytes.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace nnrt::test {

struct FlatRow;
using FlatRows = std::vector<FlatRow>;
// An element of a table. Enumerations of type byte are int8_t.
using FlatField =
    std::variant<bool, int8_t, int32_t, int64_t, float, double, std::string, std::vector<int32_t>,
                 std::vector<int64_t>, std::vector<float>, Bytes, FlatRow, FlatRows>;

// Fields by id.
struct FlatRow {
  std::map<int, FlatField> fields;
};

// `identifier` is "MSL2", or empty for the schema before 1.1.
Bytes flat_file(const FlatRow& root, const std::string& identifier = "MSL2");

// Tensors of the schema: a FLOAT32 input or result, and a constant.
FlatRow ms_tensor(const std::string& name, std::vector<int32_t> dims, int32_t type = 43);
FlatRow ms_constant(std::vector<int32_t> dims, int32_t type, Bytes data);
FlatRow ms_quant(double scale, int32_t zero_point, int32_t bits = 8);
FlatRow ms_node(int8_t primitive, FlatRow fields, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                int32_t quant_type = 0);
FlatRow ms_root(FlatRows nodes, FlatRows tensors, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                const std::string& version = "MindSpore Lite 2.1.0");

}  // namespace nnrt::test
