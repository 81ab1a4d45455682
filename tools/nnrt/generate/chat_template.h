// The chat template of a language model: from turns to the text that the model reads.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace nnrt::tool {

// A Jinja template, with the statements, filters, tests and methods that chat templates use. Others are
// refused with their name: statements when the template is parsed, the rest when it is reached.
class ChatTemplate {
 public:
  using Json = nlohmann::ordered_json;
  struct Scope;
  using Run = std::function<void(Scope& scope, std::string& text)>;

  static Result<ChatTemplate> parse(std::string_view text);

  Result<std::string> render(const Json& variables) const;

 private:
  explicit ChatTemplate(Run run) : run_(std::move(run)) {}

  Run run_;
};

}  // namespace nnrt::tool
