// A profile as table rows.
#pragma once

#include "tools/nnrt/data/model_file.h"
#include "tools/nnrt/session/profile.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nnrt::tool {

// An operator or operation, with its nodes below it.
struct ProfileRow {
  std::optional<size_t> operation;  // in the model; empty for a layer or a sum
  std::string op, name;             // "Conv + Relu", "Conv /features/0/conv + Relu"
  std::string device;               // empty for a layer whose nodes run on several
  std::string output;
  size_t count = 1;
  Work work;
  std::vector<ProfileRow> nodes;
};

// The operators of the file in the model's order; operations without nodes if the file names no operators.
std::vector<ProfileRow> rows_of(const Profile& profile, const ModelFile& file);

// JSON output (docs/tool.md).
nlohmann::ordered_json to_json(const std::vector<ProfileRow>& rows);

// One row per operator and device, the slowest first.
std::vector<ProfileRow> summed(const std::vector<ProfileRow>& rows);

}  // namespace nnrt::tool
