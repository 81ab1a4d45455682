#include "mindspore/lower/spatial_fields.h"

#include "core/base/text.h"

namespace nnrt::mindspore {

Integers pair_field(Lowering& op, std::string_view field, int64_t fallback) {
  Integers values = op.primitive.integers(field);
  if (values.empty()) return {fallback, fallback};
  if (values.size() == 1) values.push_back(values[0]);
  if (values.size() != 2) op.fail(invalid("Field ", field, " has ", values.size(), " numbers, not 2."));
  return values;
}

void add_padding(Lowering& op, Settings& settings, std::string_view list_field) {
  const int64_t mode = op.primitive.integer("pad_mode");
  if (mode == int64_t(PadMode::same)) return settings.push_back({Attr::pad_mode, 0});
  if (mode != int64_t(PadMode::pad) && mode != int64_t(PadMode::valid))
    op.refuse("Pad mode (", mode, ") is outside [0, 2].");
  Integers list = op.primitive.integers(list_field);
  if (list.empty()) list.assign(4, 0);
  if (list.size() != 4) op.fail(invalid("Field ", list_field, " has ", list.size(), " numbers, not 4."));
  settings.push_back({Attr::pad, std::move(list)});
}

}  // namespace nnrt::mindspore
