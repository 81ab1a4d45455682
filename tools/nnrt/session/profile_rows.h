// A profile as lines of tables.
#pragma once

#include "tools/nnrt/data/model_file.h"
#include "tools/nnrt/session/profile.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nnrt::tool {

// An operator, or an operation, and beneath it the nodes that were made of it.
struct ProfileRow {
  std::optional<size_t> operation;  // in the model; none: of several, or a layer
  std::string op, name;             // "Conv + Relu", "Conv /features/0/conv + Relu"
  std::string device, output;
  size_t count = 1;
  Work work;
  std::vector<ProfileRow> nodes;
};

// The operators of the file in the model's order; where it names none, the operations, without nodes beneath.
std::vector<ProfileRow> rows_of(const Profile& profile, const ModelFile& file);

// For programs (docs/tool.md).
nlohmann::ordered_json to_json(const std::vector<ProfileRow>& rows);

// One row for all of an operator on a device, the longest first.
std::vector<ProfileRow> summed(const std::vector<ProfileRow>& rows);

}  // namespace nnrt::tool
