#include "core/base/counted.h"
#include "tools/import/load_network.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/statistics.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/generate/chat_template.h"
#include "tools/nnrt/generate/text_files.h"
#include "tools/nnrt/generate/text_model.h"
#include "tools/nnrt/generate/utf8.h"

#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <iostream>

namespace nnrt::tool {
namespace {

// Turns of a user and a language model.
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

using Json = nlohmann::ordered_json;

struct GenerateOptions {
  ModelOptions decode;
  std::string prefill, tokenizer;
  std::optional<std::string> prompt;
  GenerationOptions generation;
  std::optional<double> temperature, top_p;
  std::optional<uint32_t> top_k;
  bool chat = false, json = false;
};

// The text as far as it was written, and why it ended.
struct GeneratedText {
  std::string text, end;
};

Result<GeneratedText> write_text(const GenerateOptions& options, TextModel& model) {
  const CatchInterrupts catches;  // ends the text after the current token
  GeneratedText generated;
  const auto write = [&](const std::string& text) {
    generated.text += text;
    if (!options.json) std::cout << text << std::flush;
  };
  while (!interrupted()) {
    NNRT_ASSIGN(const std::optional<std::string> piece, model.next());
    if (!piece) break;
    write(*piece);
  }
  write(model.finish());
  generated.end = interrupted() ? "interrupted" : model.end();
  return generated;
}

double tokens_per_second(const GenerationTimes& times) { return 1000 * times.steps / times.decode; }

void print_times(const GenerationTimes& times, const Device& device) {
  std::cerr << "\n"
            << counted(times.prompt_tokens, "token") << " of the prompt in " << duration(times.prompt)
            << ", the first token after " << duration(times.first_token);
  if (times.steps > 0)
    std::cerr << ", " << counted(times.steps, "step") << ": " << fixed(tokens_per_second(times), 1)
              << " tokens a second";
  std::cerr << ", on " << device.name << (interrupted() ? "; stopped\n" : "\n");
}

void print_document(const GenerateOptions& options, const Device& device, const GeneratedText& generated,
                    const TextModel& model) {
  const GenerationTimes& times = model.times();
  print_json(std::cout, {{"model", options.decode.model},
                         {"device", device.name},
                         {"device_id", std::to_string(device.id)},
                         {"prompt", *options.prompt},
                         {"text", generated.text},
                         {"end", generated.end},
                         {"prompt_tokens", times.prompt_tokens},
                         {"tokens", model.tokens()},
                         {"prompt_ms", times.prompt},
                         {"first_token_ms", times.first_token},
                         {"tokens_per_second", times.steps > 0 ? Json(tokens_per_second(times)) : Json()}});
}

// Positions that a cache of fixed size gets: all that the text can need, in steps that let --cache find it
// again for prompts of similar lengths.
int64_t positions_for(const TextFiles& files, size_t prompt, const GenerateOptions& options) {
  constexpr int64_t kStep = 256, kForChat = 4096;
  const auto text = static_cast<int64_t>(prompt + options.generation.tokens);
  const int64_t needed = std::max((text + kStep - 1) / kStep * kStep, options.chat ? kForChat : 0);
  return files.positions > 0 ? std::min(needed, files.positions) : needed;
}

Result<ReadyModel> make_prefill(const GenerateOptions& options, const Device& device) {
  ModelOptions of_prompt = options.decode;
  of_prompt.model = options.prefill;
  of_prompt.device = std::to_string(device.id);
  of_prompt.device_given = true;
  of_prompt.reading = {};
  return make_ready(of_prompt);
}

// Turns from standard input, or first the prompt. Ctrl-C ends an answer.
Status chat(const GenerateOptions& options, Chat& turns, TextModel& model, const Device& device) {
  const bool asks = isatty(STDIN_FILENO) != 0;
  std::optional<std::string> turn = options.prompt;
  for (;; turn.reset()) {
    if (!turn) {
      if (asks) std::cerr << "> " << std::flush;
      std::string line;
      if (!std::getline(std::cin, line)) break;
      turn = line;
    }
    if (turn->find_first_not_of(" \t\r\n") == std::string::npos) continue;
    NNRT_TRY(turns.ask(*turn, model, options.generation));
    NNRT_ASSIGN(const GeneratedText answer, write_text(options, model));
    turns.add_answer(answer.text, model);
    std::cout << std::endl;
    print_times(model.times(), device);
    forget_interrupt();
  }
  if (asks) std::cerr << '\n';
  return {};
}

Status check(const GenerateOptions& options) {
  if (std::ranges::count(options.generation.stops, std::string()) > 0)
    return invalid("Option --stop is empty.");
  if (!options.prompt && !options.chat) return invalid("Give a --prompt, or --chat for turns.");
  if (options.chat && options.json) return invalid("Options --chat and --json exclude each other.");
  return {};
}

// The configuration's, unless options say otherwise.
Sampling sampling_for(const GenerateOptions& options, const TextFiles& files) {
  Sampling sampling = files.sampling;
  sampling.temperature = options.temperature.value_or(sampling.temperature);
  sampling.top_k = options.top_k.value_or(sampling.top_k);
  sampling.top_p = options.top_p.value_or(sampling.top_p);
  sampling.seed = options.generation.sampling.seed;
  return sampling;
}

Status generate(GenerateOptions options) {
  NNRT_TRY(check(options));
  if (options.prompt == "-") {
    NNRT_ASSIGN(options.prompt, read_standard_input());
  }
  NNRT_ASSIGN(const TextFiles files, find_text_files(options.decode.model));
  options.decode.model = files.model.string();
  options.generation.ends = files.ends;
  options.generation.sampling = sampling_for(options, files);
  if (options.tokenizer.empty())
    options.tokenizer = files.tokenizer.empty() ? "bytes" : files.tokenizer.string();
  NNRT_ASSIGN(const std::shared_ptr<const Tokenizer> tokenizer, make_tokenizer(options.tokenizer));
  std::optional<Chat> turns;
  if (options.chat) {
    NNRT_ASSIGN(turns, Chat::create(tokenizer, files));
  }
  NNRT_ASSIGN(const Tokens prompt, tokenizer->encode(options.prompt.value_or("")));
  NNRT_ASSIGN(const import::Interface interface, import::read_interface(files.model));
  if (!interface.inputs.empty()) {
    NNRT_TRY(
        fit_to_generation(interface, positions_for(files, prompt.size(), options), options.decode.reading));
  }
  NNRT_ASSIGN(const ReadyModel ready, make_ready(options.decode));
  const Device device = ready.executable.device();
  std::optional<ReadyModel> prefill;
  if (!options.prefill.empty()) {
    NNRT_ASSIGN(prefill, make_prefill(options, device));
  }
  NNRT_ASSIGN(TextModel model, TextModel::create(tokenizer, ready.executable,
                                                 prefill ? &prefill->executable : nullptr, files.positions));
  if (turns) return chat(options, *turns, model, device);
  NNRT_TRY(model.start(prompt, options.generation));
  if (!options.json) std::cout << *options.prompt << std::flush;
  NNRT_ASSIGN(const GeneratedText generated, write_text(options, model));
  if (options.json) {
    print_document(options, device, generated, model);
    return {};
  }
  std::cout << '\n';
  print_times(model.times(), device);
  return {};
}

}  // namespace

void add_generate(CommandLine& app, Action& action) {
  const auto options = std::make_shared<GenerateOptions>();
  CommandLine command = app.command("generate", "Generates text with a language model, token by token");
  add_model_options(command, options->decode);
  add_device_option(command, options->decode);
  add_reading_options(command, options->decode);
  command
      .option(
          "--prefill", options->prefill,
          "Model that processes the complete prompt at once; default: MODEL, up to 128 tokens at once or, "
          "if it takes only one, token by token")
      .type_name("MODEL");
  command.option("-p,--prompt", options->prompt, "Text to continue; - for standard input");
  command.flag("--chat", options->chat,
               "Answer the turns on standard input, one per line, by the model's chat template");
  command.option("-n,--tokens", options->generation.tokens, "Maximum number of tokens to generate")
      .positive()
      .shows_default();
  command
      .option("--stop", options->generation.stops,
              "Stop before this text, which is not printed; may be repeated")
      .type_name("TEXT")
      .one_value();
  command
      .option("--tokenizer", options->tokenizer,
              "bytes, or a tokenizer.json; default: the one beside the model, else bytes")
      .type_name("bytes|FILE");
  command
      .option("--device-local", options->decode.build.device_local,
              "Keep the state in GPU memory: on, off, or auto (if that is faster)")
      .one_of("auto|on|off");
  command
      .option("--temperature", options->temperature,
              "0: greedy, always the likeliest token; default: the model's configuration, else 0")
      .not_negative();
  command.option("--top-k", options->top_k,
                 "Sample from the k likeliest tokens; 0: all; default: the model's configuration, else 0");
  command
      .option("--top-p", options->top_p,
              "Sample from the likeliest tokens that have this probability together; default: the model's "
              "configuration, else 1")
      .between(0, 1);
  command.option("--seed", options->generation.sampling.seed, "The same seed gives the same text")
      .shows_default();
  add_json_option(command, options->json);
  command.footer(
      "\nMODEL is a decoder with a cache as exporters write it (input_ids, past_key_values), its folder,\n"
      "or a model that takes a token, its position and a state, and returns logits and the new state.\n"
      "Text goes to standard output, times to standard error; Ctrl-C stops the generation.\n"
      "Example: nnrt generate Qwen2.5-0.5B-Instruct -p 'In the beginning' -n 100");
  set_model_action(command, action, options->decode, [options] { return generate(*options); },
                   {&options->decode.model, &options->prefill});
}

}  // namespace nnrt::tool
