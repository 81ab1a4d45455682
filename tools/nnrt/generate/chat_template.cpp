#include "tools/nnrt/generate/chat_template.h"

#include "core/base/text.h"
#include "tools/nnrt/generate/utf8.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <optional>

namespace nnrt::tool {
namespace {

using Json = ChatTemplate::Json;
using Run = ChatTemplate::Run;

// Bound the stack, the time and the memory that a template takes.
constexpr int kMaxDepth = 100;          // of expressions and blocks in each other
constexpr int kMaxCalls = 8;            // of macros in each other
constexpr size_t kMaxTag = 1000;        // parts of a tag
constexpr int kMaxSteps = 200'000;      // statements of a rendering
constexpr size_t kMaxText = 64u << 20;  // of a value

// Ends parsing or rendering.
struct Failure {
  Error error;
};

template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Failure{{Code::invalid_file, cat("The chat template ", parts..., ".")}};
}

// ---- values

Json undefined() { return Json(Json::value_t::discarded); }
bool is_defined(const Json& value) { return !value.is_discarded(); }

bool is_true(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return is_defined(value) && !value.is_null() && !value.empty();
}

const std::string& text_of(const Json& value) {
  if (!value.is_string())
    fail("needs a text instead of ", is_defined(value) ? value.type_name() : "undefined");
  return value.get_ref<const std::string&>();
}

int64_t whole(double number) {
  constexpr double kLimit = 0x1p63;
  if (!(number >= -kLimit && number < kLimit)) fail("has a number that is too large");
  return static_cast<int64_t>(number);
}

int64_t integer_of(const Json& value) {
  if (!value.is_number_integer())
    fail("needs an integer instead of ", is_defined(value) ? value.type_name() : "undefined");
  return value.get<int64_t>();
}

Json checked(std::string text) {
  if (text.size() > kMaxText) fail("makes a text of more than ", kMaxText, " bytes");
  return text;
}

std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string made(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      made += "\\n";
    } else if (c == '\t') {
      made += "\\t";
    } else if (c == '\r') {
      made += "\\r";
    } else {
      if (c == quote || c == '\\') made += '\\';
      made += c;
    }
  }
  return made + quote;
}

// As Python writes values (repr), or as json.dumps does. `indent` below zero: in one line.
std::string written(const Json& value, bool as_json, int indent = -1, int depth = 0) {
  const auto line = [&](int level) {
    return indent < 0 ? std::string() : "\n" + std::string(static_cast<size_t>(indent * level), ' ');
  };
  if (value.is_structured()) {
    if (depth > kMaxDepth) fail("writes a value that is too deep");
    std::string made(1, value.is_array() ? '[' : '{');
    bool is_first = true;
    for (const auto& [key, item] : value.items()) {
      made += is_first ? "" : indent < 0 ? ", " : ",";
      made += line(depth + 1);
      if (value.is_object()) made += written(key, as_json) + ": ";
      made += written(item, as_json, indent, depth + 1);
      is_first = false;
    }
    if (!is_first) made += line(depth);
    return made + (value.is_array() ? ']' : '}');
  }
  if (!is_defined(value)) return "";
  if (as_json) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  return value.is_string() ? quoted(text_of(value)) : value.dump();
}

std::string shown(const Json& value) { return value.is_string() ? text_of(value) : written(value, false); }

Json characters(const Json& text) {
  Json made = Json::array();
  for (const std::string_view point : code_points(text_of(text))) made.push_back(point);
  return made;
}

// What a loop visits: elements, keys or characters.
Json elements(const Json& value) {
  if (value.is_array()) return value;
  if (value.is_string()) return characters(value);
  if (!value.is_object()) fail("loops over ", is_defined(value) ? value.type_name() : "undefined");
  Json keys = Json::array();
  for (const auto& [key, item] : value.items()) keys.push_back(key);
  return keys;
}

Json item_of(const Json& value, const Json& key) {
  if (!is_defined(value)) fail("reads (", shown(key), ") of an undefined value");
  if (value.is_object() && key.is_string()) {
    const auto found = value.find(text_of(key));
    return found == value.end() ? undefined() : *found;
  }
  if (!(value.is_array() || value.is_string()) || !key.is_number_integer()) return undefined();
  const Json list = elements(value);
  const auto count = static_cast<int64_t>(list.size());
  const int64_t index = integer_of(key) + (integer_of(key) < 0 ? count : 0);
  return index >= 0 && index < count ? list[static_cast<size_t>(index)] : undefined();
}

Json slice_of(const Json& value, const std::array<Json, 3>& bounds) {
  const Json list = elements(value);
  const auto count = static_cast<int64_t>(list.size());
  const int64_t step = bounds[2].is_null() ? 1 : integer_of(bounds[2]);
  if (step == 0) fail("slices by steps of zero");
  const auto place = [&](const Json& bound, int64_t otherwise) {
    if (bound.is_null()) return otherwise;
    const int64_t at = integer_of(bound) + (integer_of(bound) < 0 ? count : 0);
    return step > 0 ? std::clamp<int64_t>(at, 0, count) : std::clamp<int64_t>(at, -1, count - 1);
  };
  const int64_t end = place(bounds[1], step > 0 ? count : -1);
  Json made = value.is_string() ? Json("") : Json::array();
  for (int64_t i = place(bounds[0], step > 0 ? 0 : count - 1); step > 0 ? i < end : i > end; i += step) {
    const Json& item = list[static_cast<size_t>(i)];
    if (value.is_string()) {
      made.get_ref<std::string&>() += text_of(item);
    } else {
      made.push_back(item);
    }
  }
  return made;
}

bool contains(const Json& all, const Json& part) {
  if (all.is_string()) return text_of(all).find(text_of(part)) != std::string::npos;
  if (all.is_object()) return part.is_string() && all.contains(text_of(part));
  const Json list = elements(all);
  return std::ranges::find(list, part) != list.end();
}

Json calculated(const std::string& op, const Json& a, const Json& b) {
  if (op == "~") return checked(shown(a) + shown(b));
  if (op == "+" && a.is_string() && b.is_string()) return checked(text_of(a) + text_of(b));
  if (op == "+" && a.is_array() && b.is_array()) {
    Json joined = a;
    joined.insert(joined.end(), b.begin(), b.end());
    return joined;
  }
  if (!a.is_number() || !b.is_number()) fail("has (", op, ") of values that are no numbers");
  const bool divides = op == "/" || op == "//" || op == "%";
  if (divides && b == 0) fail("divides by zero");
  if (op == "/" || !a.is_number_integer() || !b.is_number_integer()) {
    const double x = a.get<double>(), y = b.get<double>();
    if (op == "+") return x + y;
    if (op == "-") return x - y;
    if (op == "*") return x * y;
    if (op == "/") return x / y;
    return op == "//" ? std::floor(x / y) : x - std::floor(x / y) * y;
  }
  const int64_t x = integer_of(a), y = integer_of(b);
  int64_t made = 0;
  const bool overflows = op == "+"   ? __builtin_add_overflow(x, y, &made)
                         : op == "-" ? __builtin_sub_overflow(x, y, &made)
                         : op == "*" ? __builtin_mul_overflow(x, y, &made)
                                     : y == -1 && x == std::numeric_limits<int64_t>::min();
  if (overflows) fail("has a number that is too large");
  if (!divides) return made;
  const int64_t rest = x % y, up = rest != 0 && (rest < 0) != (y < 0) ? 1 : 0;
  return op == "%" ? rest + up * y : x / y - up;
}

bool equal(const Json& a, const Json& b) {
  if (a.is_boolean() && b.is_number()) return (a.get<bool>() ? 1 : 0) == b;
  return b.is_boolean() && a.is_number() ? equal(b, a) : a == b;
}

bool compares(const std::string& op, const Json& a, const Json& b) {
  if (op == "==") return equal(a, b);
  if (op == "!=") return !equal(a, b);
  if (op == "in") return contains(b, a);
  if (op == "not in") return !contains(b, a);
  if (!(a.is_number() && b.is_number()) && !(a.is_string() && b.is_string()))
    fail("has (", op, ") of values of other types");
  return op == "<" ? a < b : op == ">" ? b < a : op == "<=" ? !(b < a) : !(a < b);
}

// ---- functions, filters and tests

// Positional and named arguments.
struct Arguments {
  std::vector<Json> values;
  std::map<std::string, Json> named;

  Json get(size_t index, const char* name, Json otherwise) const {
    if (index < values.size()) return values[index];
    const auto found = named.find(name);
    return found == named.end() ? std::move(otherwise) : found->second;
  }
};

std::string stripped(const std::string& text, const Json& characters_given, bool left, bool right) {
  const std::string characters = characters_given.is_null() ? " \t\n\v\f\r" : text_of(characters_given);
  const size_t begin = left ? text.find_first_not_of(characters) : 0;
  if (begin == std::string::npos) return "";
  const size_t end = right ? text.find_last_not_of(characters) : text.size() - 1;
  return end == std::string::npos ? "" : text.substr(begin, end + 1 - begin);
}

Json split(const std::string& text, const Json& separator, int64_t most) {
  Json parts = Json::array();
  size_t from = 0;
  if (separator.is_null()) {
    constexpr const char* kSpaces = " \t\n\v\f\r";
    for (from = text.find_first_not_of(kSpaces); from != std::string::npos;) {
      const size_t end = most >= 0 && static_cast<int64_t>(parts.size()) == most
                             ? std::string::npos
                             : text.find_first_of(kSpaces, from);
      parts.push_back(text.substr(from, end - from));
      from = text.find_first_not_of(kSpaces, end);
    }
    return parts;
  }
  const std::string& mark = text_of(separator);
  if (mark.empty()) fail("splits at an empty text");
  for (size_t at = text.find(mark);
       at != std::string::npos && (most < 0 || static_cast<int64_t>(parts.size()) < most);
       at = text.find(mark, from)) {
    parts.push_back(text.substr(from, at - from));
    from = at + mark.size();
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::string replaced(const std::string& text, const std::string& from, const std::string& to, int64_t most) {
  if (from.empty()) fail("replaces an empty text");
  const Json parts = split(text, from, most);
  std::string made = text_of(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) made += to + text_of(parts[i]);
  return text_of(checked(std::move(made)));
}

// Of ASCII letters.
std::string in_case(std::string text, bool upper) {
  for (char& c : text) {
    const char first = upper ? 'a' : 'A';
    if (c >= first && c < first + 26) c = static_cast<char>(c ^ 0x20);
  }
  return text;
}

Json joined(const Json& list, const std::string& separator) {
  std::string made;
  for (bool is_first = true; const Json& item : elements(list)) {
    made += (is_first ? "" : separator) + shown(item);
    is_first = false;
  }
  return checked(std::move(made));
}

Json pairs_of(const Json& object) {
  if (!object.is_object()) fail("takes the items of a value that has none");
  Json pairs = Json::array();
  for (const auto& [key, item] : object.items()) pairs.push_back(Json::array({key, item}));
  return pairs;
}

bool passes(const std::string& test, const Json& value, const Arguments& given) {
  if (test == "defined") return is_defined(value);
  if (test == "undefined") return !is_defined(value);
  if (test == "none") return value.is_null();
  if (test == "string") return value.is_string();
  if (test == "mapping") return value.is_object();
  if (test == "sequence" || test == "iterable") return value.is_structured() || value.is_string();
  if (test == "boolean") return value.is_boolean();
  if (test == "true") return value == true;
  if (test == "false") return value == false;
  if (test == "number") return value.is_number() || value.is_boolean();
  if (test == "integer") return value.is_number_integer();
  const Json other = given.get(0, "other", undefined());
  if (test == "equalto" || test == "eq" || test == "==") return value == other;
  if (test == "ne" || test == "!=") return value != other;
  if (test == "in") return contains(other, value);
  fail("has the test (", test, "), which is not supported");
}

// `call`: a method of strings and objects, or a filter; nothing if there is none of this name.
std::optional<Json> method(const std::string& call, const Json& value, const Arguments& given) {
  if (value.is_object()) {
    if (call == "items") return pairs_of(value);
    if (call == "keys") return elements(value);
    if (call == "get") {
      const Json found = item_of(value, given.get(0, "key", {}));
      return is_defined(found) ? found : given.get(1, "default", {});
    }
    if (call != "values") return {};
    Json values = Json::array();
    for (const auto& [key, item] : value.items()) values.push_back(item);
    return values;
  }
  if (!value.is_string()) return {};
  const std::string& text = text_of(value);
  if (call == "strip") return stripped(text, given.get(0, "chars", {}), true, true);
  if (call == "lstrip") return stripped(text, given.get(0, "chars", {}), true, false);
  if (call == "rstrip") return stripped(text, given.get(0, "chars", {}), false, true);
  if (call == "split") return split(text, given.get(0, "sep", {}), integer_of(given.get(1, "maxsplit", -1)));
  if (call == "startswith") return text.starts_with(text_of(given.get(0, "prefix", {})));
  if (call == "endswith") return text.ends_with(text_of(given.get(0, "suffix", {})));
  if (call == "upper" || call == "lower") return in_case(text, call == "upper");
  if (call == "join") return joined(given.get(0, "iterable", {}), text);
  if (call == "capitalize")
    return in_case(text.substr(0, 1), true) + in_case(text.substr(std::min<size_t>(1, text.size())), false);
  if (call == "replace")
    return replaced(text, text_of(given.get(0, "old", {})), text_of(given.get(1, "new", {})),
                    integer_of(given.get(2, "count", -1)));
  return {};
}

Json selected(const Json& list, const Arguments& given, bool when) {
  Json made = Json::array();
  Arguments of_test;
  if (given.values.size() > 2) of_test.values = {given.values[2]};
  for (const Json& item : elements(list)) {
    const Json value = item_of(item, given.get(0, "attribute", {}));
    const bool passed =
        given.values.size() > 1 ? passes(text_of(given.values[1]), value, of_test) : is_true(value);
    if (passed == when) made.push_back(item);
  }
  return made;
}

Json filtered(const std::string& filter, const Json& value, const Arguments& given) {
  if (filter == "default" || filter == "d") {
    const bool keeps = is_true(given.get(1, "boolean", false)) ? is_true(value) : is_defined(value);
    return keeps ? value : given.get(0, "default_value", "");
  }
  if (filter == "tojson") {
    const Json indent = given.get(0, "indent", {});
    return written(value, true,
                   indent.is_null() ? -1 : static_cast<int>(std::clamp<int64_t>(integer_of(indent), 0, 100)));
  }
  if (filter == "safe") return value;
  if (filter == "string") return shown(value);
  if (filter == "trim") return stripped(shown(value), given.get(0, "chars", {}), true, true);
  if (filter == "length" || filter == "count") return elements(value).size();
  if (filter == "list") return elements(value);
  if (filter == "first") return item_of(elements(value), 0);
  if (filter == "last") return item_of(elements(value), -1);
  if (filter == "join") return joined(value, text_of(given.get(0, "d", "")));
  if (filter == "items") return pairs_of(value);
  if (filter == "selectattr" || filter == "rejectattr") return selected(value, given, filter == "selectattr");
  if (filter == "map" && given.named.contains("attribute")) {
    Json made = Json::array();
    for (const Json& item : elements(value)) made.push_back(item_of(item, given.named.at("attribute")));
    return made;
  }
  if (filter == "int" && value.is_number_integer()) return value;
  if (filter == "int" && value.is_number_float()) return whole(value.get<double>());
  for (const char* const name : {"upper", "lower", "replace", "capitalize"})
    if (filter == name)
      if (auto made = method(filter, shown(value), given)) return *made;
  fail("has the filter (", filter, "), which is not supported");
}

Json called(const std::string& function, const Arguments& given) {
  if (function == "raise_exception")
    throw Failure{
        {Code::invalid_parameter, cat("The chat template refuses: ", shown(given.get(0, "message", "")))}};
  if (function == "namespace") {
    Json made = Json::object();
    for (const auto& [name, value] : given.named) made[name] = value;
    return made;
  }
  if (function == "range") {
    const bool has_begin = given.values.size() > 1;
    const int64_t begin = has_begin ? integer_of(given.values[0]) : 0,
                  step = integer_of(given.get(2, "step", 1)),
                  end = integer_of(given.get(has_begin ? 1 : 0, "stop", {}));
    Json made = Json::array();
    if (step == 0 || std::abs(static_cast<double>(end) - static_cast<double>(begin)) > kMaxSteps)
      fail("has a range that is too long");
    for (int64_t i = begin; step > 0 ? i < end : i > end;) {
      made.push_back(i);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    return made;
  }
  if (function == "strftime_now") {
    const std::time_t now = std::time(nullptr);
    std::tm time{};
    localtime_r(&now, &time);
    std::array<char, 256> text{};
    return std::string(text.data(), std::strftime(text.data(), text.size(),
                                                  text_of(given.get(0, "format", {})).c_str(), &time));
  }
  fail("calls (", function, "), which is not supported");
}

}  // namespace

struct ChatTemplate::Scope {
  using Macro = std::function<Json(Scope& scope, const Arguments& given)>;
  std::vector<std::map<std::string, Json>> frames;  // the innermost last
  std::map<std::string, Macro> macros;
  int steps = 0, calls = 0;

  Json* find(const std::string& name) {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      if (const auto found = frame->find(name); found != frame->end()) return &found->second;
    return nullptr;
  }
  void step() {
    if (++steps > kMaxSteps) fail("takes more than ", kMaxSteps, " steps");
  }
};

namespace {

using Scope = ChatTemplate::Scope;
using Evaluate = std::function<Json(Scope& scope)>;

// ---- tokens

struct Token {
  enum class Kind { text, print, statement, end, name, value, op } kind;
  std::string text;
  Json value = nullptr;
};

constexpr const char* kSpaces = " \t\n\v\f\r";

// With the options trim_blocks and lstrip_blocks.
class Lexer {
 public:
  explicit Lexer(std::string_view rest) : rest_(rest) {
    if (rest_.ends_with('\n')) rest_.remove_suffix(1);
  }

  std::vector<Token> all() {
    while (!rest_.empty()) {
      size_t open = rest_.find('{');
      while (open < rest_.size() && !begins_tag(open)) open = rest_.find('{', open + 1);
      if (open >= rest_.size()) {
        add_text(rest_);
        break;
      }
      read_tag(open);
    }
    return std::move(tokens_);
  }

 private:
  bool begins_tag(size_t open) const {
    return open + 1 < rest_.size() && std::string_view("{%#").find(rest_[open + 1]) != std::string_view::npos;
  }

  void add_text(std::string_view text) {
    if (!text.empty()) tokens_.push_back({Token::Kind::text, std::string(text)});
  }

  void read_tag(size_t open) {
    std::string_view before = rest_.substr(0, open);
    const char kind = rest_[open + 1];
    rest_.remove_prefix(open + 2);
    const char sign = rest_.empty() ? '\0' : rest_.front();
    if (sign == '-') {
      before = before.substr(0, before.find_last_not_of(kSpaces) + 1);
    } else if (sign != '+' && kind != '{') {
      const size_t line = before.rfind('\n') + 1;
      const bool is_blank = before.find_first_not_of(kSpaces, line) == std::string_view::npos;
      if ((line > 0 || begins_line_) && is_blank) before = before.substr(0, line);
    }
    add_text(before);
    if (sign == '-' || sign == '+') rest_.remove_prefix(1);
    if (kind == '#') {
      const size_t end = rest_.find("#}");
      if (end == std::string_view::npos) fail("has a comment without an end");
      const bool strips = end > 0 && rest_[end - 1] == '-';
      rest_.remove_prefix(end + 2);
      leave(strips, true);
      return;
    }
    tokens_.push_back({kind == '{' ? Token::Kind::print : Token::Kind::statement, ""});
    read_code(kind == '{' ? "}}" : "%}", kind != '{');
  }

  // Removes the space after a tag.
  void leave(bool strips, bool is_block) {
    const bool begins_line = is_block && rest_.starts_with('\n');
    const size_t count = strips        ? std::min(rest_.find_first_not_of(kSpaces), rest_.size())
                         : begins_line ? 1
                                       : 0;
    begins_line_ = count > 0 && rest_[count - 1] == '\n';
    rest_.remove_prefix(count);
  }

  void read_code(std::string_view end, bool is_block) {
    const size_t begin = tokens_.size();
    for (int depth = 0; tokens_.size() - begin < kMaxTag;) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
      if (rest_.empty()) fail("has a tag without an end");
      const bool strips = rest_.front() == '-' && rest_.substr(1).starts_with(end);
      if (depth == 0 && (strips || rest_.starts_with(end))) {
        rest_.remove_prefix(strips ? 3 : 2);
        tokens_.push_back({Token::Kind::end, std::string(end)});
        return leave(strips, is_block);
      }
      const char c = rest_.front();
      if (c == '{') ++depth;
      if (c == '}') --depth;
      read_token(c);
    }
    fail("has a tag of more than ", kMaxTag, " parts");
  }

  void read_token(char c) {
    const auto is_letter = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    };
    size_t length = std::min(length_of_character(c), rest_.size());
    if (c == '\'' || c == '"') return read_string(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      length = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      const bool is_real = length + 1 < rest_.size() && rest_[length] == '.' &&
                           std::isdigit(static_cast<unsigned char>(rest_[length + 1])) != 0;
      if (is_real) length = std::min(rest_.find_first_not_of("0123456789", length + 1), rest_.size());
      tokens_.push_back({Token::Kind::value, "", Json::parse(rest_.substr(0, length), nullptr, false)});
      constexpr size_t kMaxDigits = 18;
      if (length > kMaxDigits || !is_defined(tokens_.back().value))
        fail("has the invalid number ", rest_.substr(0, length));
    } else if (is_letter(c)) {
      while (length < rest_.size() && is_letter(rest_[length])) ++length;
      tokens_.push_back({Token::Kind::name, std::string(rest_.substr(0, length))});
    } else {
      for (const char* const two : {"==", "!=", "<=", ">=", "//", "**"})
        if (rest_.starts_with(two)) length = 2;
      tokens_.push_back({Token::Kind::op, std::string(rest_.substr(0, length))});
    }
    rest_.remove_prefix(length);
  }

  void read_string(char quote) {
    std::string text;
    size_t i = 1;
    for (; i < rest_.size() && rest_[i] != quote; ++i) {
      if (rest_[i] != '\\' || i + 1 == rest_.size()) {
        text += rest_[i];
        continue;
      }
      constexpr std::string_view kNames = "ntr\\'\"", kMeanings = "\n\t\r\\'\"";
      const size_t found = kNames.find(rest_[++i]);
      if (found == std::string_view::npos) fail("has the escape (\\", rest_[i], "), which is not supported");
      text += kMeanings[found];
    }
    if (i >= rest_.size()) fail("has a text without an end");
    tokens_.push_back({Token::Kind::value, "", std::move(text)});
    rest_.remove_prefix(i + 1);
  }

  std::string_view rest_;
  std::vector<Token> tokens_;
  bool begins_line_ = true;
};

// ---- the parser

Run in_order(std::vector<Run> runs) {
  return [runs = std::move(runs)](Scope& scope, std::string& text) {
    for (const Run& run : runs) {
      scope.step();
      run(scope, text);
      if (text.size() > kMaxText) fail("makes a text of more than ", kMaxText, " bytes");
    }
  };
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Run all() {
    Run run = block({});
    if (at_ < tokens_.size()) fail("has a (", tokens_[at_].text, ") without a beginning");
    return run;
  }

 private:
  using Kind = Token::Kind;

  // Counts how deep expressions and blocks are in each other.
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(depth) {
      if (++depth_ > kMaxDepth) fail("has more than ", kMaxDepth, " levels");
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    int& depth_;
  };

  bool is(Kind kind, std::string_view text = {}, size_t ahead = 0) const {
    const size_t at = at_ + ahead;
    return at < tokens_.size() && tokens_[at].kind == kind && (text.empty() || tokens_[at].text == text);
  }
  bool skip(Kind kind, std::string_view text = {}) {
    const bool found = is(kind, text);
    if (found) ++at_;
    return found;
  }
  bool skip_op(std::string_view text) { return skip(Kind::op, text); }
  bool skip_word(std::string_view text) { return skip(Kind::name, text); }
  const Token& next(Kind kind, std::string_view text = {}) {
    if (!is(kind, text))
      fail("has (", at_ < tokens_.size() ? tokens_[at_].text : "", ") instead of ",
           text.empty() ? "a name" : text);
    return tokens_[at_++];
  }
  std::string name() { return next(Kind::name).text; }

  // Statements up to one of these names, which stays.
  Run block(const std::vector<std::string_view>& ends) {
    const Depth depth(depth_);
    std::vector<Run> runs;
    while (at_ < tokens_.size()) {
      if (is(Kind::statement) &&
          std::ranges::any_of(ends, [&](std::string_view end) { return is(Kind::name, end, 1); }))
        return in_order(std::move(runs));
      if (is(Kind::text)) {
        runs.push_back([piece = tokens_[at_++].text](Scope&, std::string& text) { text += piece; });
      } else if (skip(Kind::print)) {
        Evaluate value = expression();
        next(Kind::end, "}}");
        runs.push_back(
            [value = std::move(value)](Scope& scope, std::string& text) { text += shown(value(scope)); });
      } else {
        next(Kind::statement, "");
        runs.push_back(statement(name()));
      }
    }
    if (!ends.empty()) fail("has no ", ends.back());
    return in_order(std::move(runs));
  }

  // The end of a block: {% word %}.
  void finish(std::string_view word) {
    next(Kind::statement);
    next(Kind::name, word);
    next(Kind::end, "%}");
  }

  Run statement(const std::string& kind) {
    if (kind == "if") return condition();
    if (kind == "for") return loop();
    if (kind == "set") return assignment();
    if (kind == "macro") return macro();
    if (kind == "generation") {  // marks what the model wrote
      next(Kind::end, "%}");
      Run body = block({"endgeneration"});
      finish("endgeneration");
      return body;
    }
    fail("has the statement (", kind, "), which is not supported");
  }

  Run condition() {
    Evaluate test = expression();
    next(Kind::end, "%}");
    Run then = block({"elif", "else", "endif"}), otherwise = [](Scope&, std::string&) {};
    next(Kind::statement);
    if (skip_word("elif")) {
      const Depth depth(depth_);
      otherwise = condition();
    } else if (skip_word("else")) {
      next(Kind::end, "%}");
      otherwise = block({"endif"});
      finish("endif");
    } else {
      next(Kind::name, "endif");
      next(Kind::end, "%}");
    }
    return [test = std::move(test), then = std::move(then), otherwise = std::move(otherwise)](
               Scope& scope, std::string& text) { (is_true(test(scope)) ? then : otherwise)(scope, text); };
  }

  std::vector<std::string> targets() {
    std::vector<std::string> names{name()};
    while (skip_op(",")) names.push_back(name());
    return names;
  }

  static void assign(Scope& scope, const std::vector<std::string>& names, const Json& value) {
    if (names.size() == 1) {
      scope.frames.back()[names[0]] = value;
      return;
    }
    if (!value.is_array() || value.size() != names.size())
      fail("takes a value apart that has not ", names.size(), " parts");
    for (size_t i = 0; i < names.size(); ++i) scope.frames.back()[names[i]] = value[i];
  }

  Run loop() {
    const std::vector<std::string> names = targets();
    next(Kind::name, "in");
    Evaluate list = disjunction(), test;
    if (skip_word("if")) test = expression();
    next(Kind::end, "%}");
    Run body = block({"else", "endfor"}), otherwise = [](Scope&, std::string&) {};
    if (is(Kind::name, "else", 1)) {
      finish("else");
      otherwise = block({"endfor"});
    }
    finish("endfor");
    return [=](Scope& scope, std::string& text) {
      Json visited = Json::array();
      const Json all = elements(list(scope));
      scope.frames.emplace_back();
      for (const Json& item : all) {
        scope.step();
        assign(scope, names, item);
        if (!test || is_true(test(scope))) visited.push_back(item);
      }
      for (size_t i = 0; i < visited.size(); ++i) {
        scope.frames.back() = {{"loop", place_in(visited, i)}};
        assign(scope, names, visited[i]);
        body(scope, text);
      }
      scope.frames.pop_back();
      if (visited.empty()) otherwise(scope, text);
    };
  }

  static Json place_in(const Json& list, size_t i) {
    const size_t count = list.size();
    Json loop{{"index", i + 1},        {"index0", i},
              {"revindex", count - i}, {"revindex0", count - i - 1},
              {"first", i == 0},       {"last", i + 1 == count},
              {"length", count}};
    if (i > 0) loop["previtem"] = list[i - 1];
    if (i + 1 < count) loop["nextitem"] = list[i + 1];
    return loop;
  }

  Run assignment() {
    const std::vector<std::string> names = targets();
    const std::string member = skip_op(".") ? name() : "";
    if (!skip_op("=")) {
      next(Kind::end, "%}");
      Run body = block({"endset"});
      finish("endset");
      return [=](Scope& scope, std::string&) {
        std::string text;
        body(scope, text);
        assign(scope, names, text);
      };
    }
    Evaluate value = tuple();
    next(Kind::end, "%}");
    if (member.empty()) return [=](Scope& scope, std::string&) { assign(scope, names, value(scope)); };
    return [=](Scope& scope, std::string&) {
      Json made = value(scope);
      Json* const object = scope.find(names[0]);
      if (object == nullptr || !object->is_object())
        fail("sets a member of (", names[0], "), which is no namespace");
      (*object)[member] = std::move(made);
    };
  }

  Run macro() {
    const std::string called = name();
    std::vector<std::pair<std::string, Evaluate>> parameters;
    next(Kind::op, "(");
    while (!skip_op(")")) {
      parameters.emplace_back(name(), Evaluate());
      if (skip_op("=")) parameters.back().second = expression();
      if (!is(Kind::op, ")")) next(Kind::op, ",");
    }
    next(Kind::end, "%}");
    Run body = block({"endmacro"});
    finish("endmacro");
    return [=](Scope& scope, std::string&) {
      scope.macros[called] = [=](Scope& inner, const Arguments& given) {
        if (++inner.calls > kMaxCalls) fail("calls (", called, ") too deep");
        std::map<std::string, Json> frame;
        for (size_t i = 0; i < parameters.size(); ++i) {
          const auto& [parameter, otherwise] = parameters[i];
          frame[parameter] = given.get(i, parameter.c_str(), otherwise ? otherwise(inner) : undefined());
        }
        inner.frames.push_back(std::move(frame));
        std::string text;
        body(inner, text);
        inner.frames.pop_back();
        --inner.calls;
        return Json(std::move(text));
      };
    };
  }

  // One expression, or several as a list.
  Evaluate tuple() {
    std::vector<Evaluate> parts{expression()};
    while (skip_op(",")) parts.push_back(expression());
    return parts.size() == 1 ? parts[0] : list_of(std::move(parts));
  }

  static Evaluate list_of(std::vector<Evaluate> parts) {
    return [parts = std::move(parts)](Scope& scope) {
      Json list = Json::array();
      for (const Evaluate& part : parts) list.push_back(part(scope));
      return list;
    };
  }

  Evaluate expression() {
    const Depth depth(depth_);
    Evaluate value = disjunction();
    while (skip_word("if")) {
      Evaluate test = disjunction(), otherwise = [](Scope&) { return undefined(); };
      if (skip_word("else")) otherwise = expression();
      value = [=](Scope& scope) { return is_true(test(scope)) ? value(scope) : otherwise(scope); };
    }
    return value;
  }

  Evaluate disjunction() {
    Evaluate left = conjunction();
    while (skip_word("or")) {
      left = [left, right = conjunction()](Scope& scope) {
        Json value = left(scope);
        return is_true(value) ? value : right(scope);
      };
    }
    return left;
  }

  Evaluate conjunction() {
    Evaluate left = negation();
    while (skip_word("and")) {
      left = [left, right = negation()](Scope& scope) {
        Json value = left(scope);
        return is_true(value) ? right(scope) : value;
      };
    }
    return left;
  }

  Evaluate negation() {
    if (!skip_word("not")) return comparison();
    const Depth depth(depth_);
    return [value = negation()](Scope& scope) { return Json(!is_true(value(scope))); };
  }

  Evaluate comparison() {
    Evaluate left = binary(0);
    std::vector<std::pair<std::string, Evaluate>> others;
    for (;;) {
      std::string op;
      for (const char* const symbol : {"==", "!=", "<=", ">=", "<", ">"})
        if (op.empty() && skip_op(symbol)) op = symbol;
      if (op.empty() && skip_word("in")) op = "in";
      if (op.empty() && is(Kind::name, "not") && is(Kind::name, "in", 1)) {
        at_ += 2;
        op = "not in";
      }
      if (op.empty()) break;
      others.emplace_back(op, binary(0));
    }
    if (others.empty()) return left;
    return [left, others](Scope& scope) {
      Json before = left(scope);
      for (const auto& [op, right] : others) {
        Json value = right(scope);
        if (!compares(op, before, value)) return Json(false);
        before = std::move(value);
      }
      return Json(true);
    };
  }

  Evaluate binary(size_t level) {
    static const std::vector<std::vector<const char*>> levels{{"+", "-"}, {"~"}, {"*", "/", "//", "%"}};
    if (level == levels.size()) return signed_value(true);
    Evaluate left = binary(level + 1);
    for (;;) {
      const auto op =
          std::ranges::find_if(levels[level], [&](const char* symbol) { return skip_op(symbol); });
      if (op == levels[level].end()) return left;
      left = [left, op = std::string(*op), right = binary(level + 1)](Scope& scope) {
        const Json value = left(scope);
        return calculated(op, value, right(scope));
      };
    }
  }

  Evaluate signed_value(bool takes_filters) {
    Evaluate value;
    if (skip_op("-")) {
      const Depth depth(depth_);
      value = [inner = signed_value(false)](Scope& scope) { return calculated("-", 0, inner(scope)); };
    } else {
      value = with_members(primary());
    }
    while (takes_filters) {
      if (skip_op("|")) {
        const std::string filter = name();
        value = [value, filter, given = is(Kind::op, "(") ? arguments() : none()](Scope& scope) {
          const Json filtered_value = value(scope);
          return filtered(filter, filtered_value, given(scope));
        };
      } else if (skip_word("is")) {
        const bool expected = !skip_word("not");
        const std::string test = name();
        value = [value, test, expected, given = argument_of_test()](Scope& scope) {
          const Json tested = value(scope);
          return Json(passes(test, tested, given(scope)) == expected);
        };
      } else {
        break;
      }
    }
    return value;
  }

  using Given = std::function<Arguments(Scope& scope)>;
  static Given none() {
    return [](Scope&) { return Arguments(); };
  }

  // In parentheses, or a single value behind the test's name.
  Given argument_of_test() {
    if (is(Kind::op, "(")) return arguments();
    const bool has_value =
        is(Kind::value) || is(Kind::op, "[") ||
        (is(Kind::name) && !std::ranges::any_of(std::array{"and", "or", "else", "if", "is", "not", "in"},
                                                [&](const char* word) { return is(Kind::name, word); }));
    if (!has_value) return none();
    return [value = with_members(primary())](Scope& scope) { return Arguments{{value(scope)}, {}}; };
  }

  Given arguments() {
    std::vector<std::pair<std::string, Evaluate>> given;
    next(Kind::op, "(");
    while (!skip_op(")")) {
      std::string key;
      if (is(Kind::name) && is(Kind::op, "=", 1)) {
        key = name();
        ++at_;
      }
      Evaluate value = expression();
      given.emplace_back(std::move(key), std::move(value));
      if (!is(Kind::op, ")")) next(Kind::op, ",");
    }
    return [given = std::move(given)](Scope& scope) {
      Arguments made;
      for (const auto& [key, value] : given) {
        if (key.empty()) {
          made.values.push_back(value(scope));
        } else {
          made.named[key] = value(scope);
        }
      }
      return made;
    };
  }

  Evaluate with_members(Evaluate value) {
    for (;;) {
      if (skip_op(".")) {
        const std::string member = name();
        if (is(Kind::op, "(")) {
          value = [value, member, given = arguments()](Scope& scope) {
            const Json object = value(scope);
            if (auto made = method(member, object, given(scope))) return *made;
            fail("calls the method (", member, ") of ", is_defined(object) ? object.type_name() : "undefined",
                 ", which is not supported");
          };
        } else {
          value = [value, member](Scope& scope) { return item_of(value(scope), member); };
        }
      } else if (skip_op("[")) {
        value = subscript(std::move(value));
      } else {
        return value;
      }
    }
  }

  Evaluate subscript(Evaluate value) {
    std::array<Evaluate, 3> bounds;
    bool is_slice = false;
    for (size_t i = 0; !is(Kind::op, "]");) {
      if (skip_op(":")) {
        is_slice = true;
        if (++i == bounds.size()) fail("has a slice of more than three parts");
      } else {
        bounds[i] = expression();
      }
    }
    next(Kind::op, "]");
    if (!is_slice && !bounds[0]) fail("has [] without an index");
    if (!is_slice) {
      return [value, index = bounds[0]](Scope& scope) {
        const Json object = value(scope);
        return item_of(object, index(scope));
      };
    }
    return [value, bounds](Scope& scope) {
      std::array<Json, 3> places;
      for (size_t i = 0; i < places.size(); ++i)
        if (bounds[i]) places[i] = bounds[i](scope);
      return slice_of(value(scope), places);
    };
  }

  Evaluate primary() {
    if (is(Kind::value)) return constant(tokens_[at_++].value);
    if (skip_op("(")) {
      Evaluate value = tuple();
      next(Kind::op, ")");
      return value;
    }
    if (skip_op("[")) {
      std::vector<Evaluate> parts;
      while (!skip_op("]")) {
        parts.push_back(expression());
        if (!is(Kind::op, "]")) next(Kind::op, ",");
      }
      return list_of(std::move(parts));
    }
    if (skip_op("{")) return object();
    const std::string word = name();
    if (word == "true" || word == "True") return constant(true);
    if (word == "false" || word == "False") return constant(false);
    if (word == "none" || word == "None") return constant(nullptr);
    if (is(Kind::op, "(")) {
      return [word, given = arguments()](Scope& scope) {
        scope.step();
        const auto macro = scope.macros.find(word);
        return macro == scope.macros.end() ? called(word, given(scope)) : macro->second(scope, given(scope));
      };
    }
    return [word](Scope& scope) {
      const Json* const found = scope.find(word);
      return found == nullptr ? undefined() : *found;
    };
  }

  static Evaluate constant(Json value) {
    return [value = std::move(value)](Scope&) { return value; };
  }

  Evaluate object() {
    std::vector<std::pair<Evaluate, Evaluate>> members;
    while (!skip_op("}")) {
      Evaluate key = expression();
      next(Kind::op, ":");
      members.emplace_back(std::move(key), expression());
      if (!is(Kind::op, "}")) next(Kind::op, ",");
    }
    return [members = std::move(members)](Scope& scope) {
      Json made = Json::object();
      for (const auto& [key, value] : members) made[text_of(key(scope))] = value(scope);
      return made;
    };
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<ChatTemplate> ChatTemplate::parse(std::string_view text) {
  try {
    return ChatTemplate(Parser(Lexer(text).all()).all());
  } catch (const Failure& failure) {
    return failure.error;
  }
}

Result<std::string> ChatTemplate::render(const Json& variables) const {
  Scope scope;
  scope.frames.emplace_back();
  for (const auto& [name, value] : variables.items()) scope.frames.back()[name] = value;
  std::string text;
  try {
    run_(scope, text);
  } catch (const Failure& failure) {
    return failure.error;
  } catch (const Json::exception& error) {
    return Error{Code::invalid_file, cat("The chat template fails: ", error.what(), ".")};
  }
  return text;
}

}  // namespace nnrt::tool
