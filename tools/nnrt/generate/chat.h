// Turns of a user and a language model.
#pragma once

#include "tools/nnrt/generate/chat_template.h"
#include "tools/nnrt/generate/text_files.h"
#include "tools/nnrt/generate/text_model.h"

namespace nnrt::tool {

class Chat {
 public:
  // Fails if the files have no chat template, or one that is not supported.
  static Result<Chat> create(std::shared_ptr<const Tokenizer> tokenizer, const TextFiles& files);

  // Begins the answer to a turn of the user; model.next() returns its pieces. The model reads only what it
  // has not read or written itself, as far as the template repeats that.
  Status ask(const std::string& turn, TextModel& model, const GenerationOptions& options);
  // Adds the text of the pieces to the turns.
  void add_answer(const std::string& text, const TextModel& model);

 private:
  Chat(std::shared_ptr<const Tokenizer> tokenizer, ChatTemplate chat_template, ChatTemplate::Json variables)
      : tokenizer_(std::move(tokenizer)),
        template_(std::move(chat_template)),
        variables_(std::move(variables)) {}

  std::shared_ptr<const Tokenizer> tokenizer_;
  ChatTemplate template_;
  ChatTemplate::Json variables_;  // with the turns
  std::string known_;             // the text of the model's tokens
};

}  // namespace nnrt::tool
