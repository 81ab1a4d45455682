#include "tools/nnrt/generate/chat.h"

#include "tools/nnrt/generate/utf8.h"

#include <utf8proc.h>

#include <algorithm>

namespace nnrt::tool {
namespace {

// A text that was ended within a character, or whose model wrote none there.
std::string whole_characters(std::string_view text) {
  std::string whole;
  for (const std::string_view point : code_points(text)) {
    utf8proc_int32_t code = -1;
    utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(point.data()),
                     static_cast<utf8proc_ssize_t>(point.size()), &code);
    if (code >= 0) whole += point;
  }
  return whole;
}

ChatTemplate::Json turn_of(const char* role, std::string text) {
  return {{"role", role}, {"content", std::move(text)}};
}

}  // namespace

Result<Chat> Chat::create(std::shared_ptr<const Tokenizer> tokenizer, const TextFiles& files) {
  if (files.chat_template.empty())
    return Error{Code::invalid_parameter,
                 "There is no chat template beside the model (tokenizer_config.json)."};
  NNRT_ASSIGN(ChatTemplate chat_template, ChatTemplate::parse(files.chat_template));
  ChatTemplate::Json variables{{"messages", ChatTemplate::Json::array()},
                               {"add_generation_prompt", true},
                               {"tools", nullptr},
                               {"documents", nullptr}};
  for (const auto& [name, token] : files.special_tokens) variables[name] = token;
  return Chat(std::move(tokenizer), std::move(chat_template), std::move(variables));
}

Status Chat::ask(const std::string& turn, TextModel& model, const GenerationOptions& options) {
  variables_["messages"].push_back(turn_of("user", whole_characters(turn)));
  NNRT_ASSIGN(std::string text, template_.render(variables_));
  NNRT_ASSIGN(Tokens tokens, tokenizer_->encode(text, false));
  if (!known_.empty() && text.starts_with(known_)) {
    NNRT_ASSIGN(const Tokens added, tokenizer_->encode(std::string_view(text).substr(known_.size()), false));
    // Not where a token would contain the end of one text and the beginning of the next.
    if (added.size() <= tokens.size() && std::equal(added.rbegin(), added.rend(), tokens.rbegin())) {
      tokens = model.all_tokens();
      tokens.insert(tokens.end(), added.begin(), added.end());
    }
  }
  known_ = std::move(text);
  return model.start(tokens, options);
}

void Chat::add_answer(const std::string& text, const TextModel& model) {
  const bool begins_with_added_space = tokenizer_->adds_space() && text.starts_with(' ');
  variables_["messages"].push_back(
      turn_of("assistant", whole_characters(text.substr(begins_with_added_space ? 1 : 0))));
  const bool has_all = model.end() == nullptr || std::string_view(model.end()) != "stop";
  known_ = has_all ? known_ + text : "";
}

}  // namespace nnrt::tool
