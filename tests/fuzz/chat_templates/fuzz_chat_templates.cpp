// Bytes as the chat template of a language model: refused, or a text of a few turns.
#include "tests/fuzz/fuzz_target.h"
#include "tools/nnrt/generate/chat_template.h"

FUZZ_TARGET(chat_templates)(const uint8_t* data, size_t size) {
  using nnrt::tool::ChatTemplate;
  static const auto variables = ChatTemplate::Json::parse(R"({
    "messages": [{"role": "system", "content": " be brief "}, {"role": "user", "content": "4 + 4"},
                 {"role": "assistant", "content": [{"type": "text", "text": "eight"}], "tool_calls": null}],
    "tools": null, "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>"})");
  const auto made = ChatTemplate::parse({reinterpret_cast<const char*>(data), size});
  if (made.ok()) static_cast<void>(made.value().render(variables));
  return 0;
}
