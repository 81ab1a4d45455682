// The attributes of a node being written to a file.
#pragma once

#include "core/base/text.h"
#include "core/schema/schema.h"

#include <set>

namespace nnrt::import {

// Functions that write a node read its attributes here; the others must have their defaults.
class NodeAttributes {
 public:
  explicit NodeAttributes(const nnrt::Node& node) : attrs_(node.attrs), schema_(nnrt::schema(node.op)) {}

  bool has(Attr attr) { return use(attr), attrs_.has(attr); }
  int64_t integer(Attr attr) { return use(attr), attrs_.integer(attr); }
  bool flag(Attr attr) { return use(attr), attrs_.is_set(attr); }
  double real(Attr attr) { return use(attr), attrs_.real(attr); }
  const AttrValue& attribute(Attr attr) { return use(attr), attrs_.at(attr); }
  // Integers, or `count` times `absent`.
  std::vector<int64_t> list(Attr attr, size_t count = 0, int64_t absent = 0) {
    return has(attr) ? attrs_.at(attr).integers : std::vector<int64_t>(count, absent);
  }
  void use(Attr attr) { used_.insert(attr); }

  // Fails if the node has an attribute that nothing has read. `format`: "an .ms file".
  Status check_attributes(std::string_view format) const {
    for (const ParamRow& param : schema_.params) {
      if (used_.contains(param.attr) || !attrs_.has(param.attr) || is_default(param, attrs_.at(param.attr)))
        continue;
      return unsupported(param.type_name(), " has no equivalent in ", format, ".");
    }
    return {};
  }

 private:
  const Attrs& attrs_;
  const OpSchema& schema_;
  std::set<Attr> used_;
};

}  // namespace nnrt::import
