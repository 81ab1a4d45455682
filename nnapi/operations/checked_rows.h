// For the files with rows: rows with invalid notation do not compile.
#pragma once

#include "nnapi/operations/operand_form.h"
#include "nnapi/operations/operation_row.h"

namespace nnrt::nnapi {

constexpr OperationRow row(int32_t code, std::string_view name, int32_t level, std::string_view forms) {
  return {code, name, level, forms};
}

constexpr bool are_valid(std::span<const OperationRow> rows) {
  for (const OperationRow& row : rows) {
    if (row.forms.empty()) return false;
    Form form;
    for (std::string_view rest = row.forms; !rest.empty();) {
      form = next_form(rest, form);
      if (!form.valid) return false;
    }
  }
  return true;
}

}  // namespace nnrt::nnapi
