#include "tools/nnrt/session/profile_rows.h"

#include <nlohmann/json.hpp>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const ProfileRow& row) {
  Json json = Json::object();
  if (row.operation) json["operation"] = *row.operation;
  json.update({{"name", row.name},
               {"operator", row.op},
               {"device", row.device},
               {"output", row.output},
               {"ms", row.work.ms},
               {"flops", row.work.flops},
               {"bytes", row.work.bytes}});
  if (!row.nodes.empty()) json["nodes"] = to_json(row.nodes);
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const std::vector<ProfileRow>& rows) {
  Json list = Json::array();
  for (const ProfileRow& row : rows) list.push_back(row_json(row));
  return list;
}

}  // namespace nnrt::tool
