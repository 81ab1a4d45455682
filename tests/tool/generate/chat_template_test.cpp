#include "tools/nnrt/generate/chat_template.h"

#include "core/base/text.h"

#include <gtest/gtest.h>

#include <fstream>

namespace nnrt::tool {
namespace {

using Json = ChatTemplate::Json;

Result<std::string> rendered(const std::string& text, const Json& variables = Json::object()) {
  NNRT_ASSIGN(const ChatTemplate made, ChatTemplate::parse(text));
  return made.render(variables);
}

std::string refusal(const std::string& text) {
  const Result<std::string> made = rendered(text);
  return made.ok() ? "rendered " + made.value() : made.error().message;
}

// Each line: variables, and what Jinja2 makes of templates with them, with the options of transformers.
TEST(ChatTemplate, AgreesWithJinja2) {
  std::ifstream lines(NNRT_TEST_DATA "/text/chat_templates.jsonl");
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json golden = Json::parse(line);
    for (const Json& expected : golden["texts"]) {
      SCOPED_TRACE(expected[0]);
      const Result<std::string> text = rendered(expected[0], golden["variables"]);
      ASSERT_TRUE(text.ok()) << text.error().message;
      EXPECT_EQ(text.value(), expected[1].get<std::string>());
      ++count;
    }
    for (const Json& expected : golden.value("refused", Json::array())) {
      const Result<std::string> text = rendered(expected[0], golden["variables"]);
      ASSERT_FALSE(text.ok()) << text.value();
      EXPECT_EQ(text.error().message, expected[1].get<std::string>());
    }
  }
  EXPECT_GT(count, 150u);
}

TEST(ChatTemplate, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal("{% include 'a' %}"),
            "The chat template has the statement (include), which is not supported.");
  EXPECT_EQ(refusal("{{ 'a' | md5 }}"), "The chat template has the filter (md5), which is not supported.");
  EXPECT_EQ(refusal("{{ 'a' is callable }}"),
            "The chat template has the test (callable), which is not supported.");
  EXPECT_EQ(refusal("{{ 'a'.title() }}"),
            "The chat template calls the method (title) of string, which is not supported.");
  EXPECT_EQ(refusal("{{ cycler(1) }}"), "The chat template calls (cycler), which is not supported.");
  EXPECT_EQ(refusal("{{ '\\u00e9' }}"), "The chat template has the escape (\\u), which is not supported.");
  EXPECT_EQ(refusal("{{ nothing.role }}"), "The chat template reads (role) of an undefined value.");
  EXPECT_EQ(refusal("{{ raise_exception('No.') }}"), "The chat template refuses: No.");
  // In parts that are not reached, only statements matter.
  EXPECT_EQ(refusal("{% if false %}{{ 'a' | md5 }}{% endif %}b"), "rendered b");
}

TEST(ChatTemplate, RefusesDamage) {
  for (const char* const text : {"{% if %}x",
                                 "{% if true %}",
                                 "{% endif %}",
                                 "{% for x in %}",
                                 "{% for %}{% endfor %}",
                                 "{{ 1 + }}",
                                 "{{ (1 }}",
                                 "{{ 'abc }}",
                                 "{{ 1 2 }}",
                                 "{{ n",
                                 "{# x",
                                 "{% set x %}",
                                 "{{ [1, }}",
                                 "{{ {'a' 1} }}",
                                 "{{ a[] }}",
                                 "{{ a[::::] }}",
                                 "{{ f(",
                                 "{{ \xff }}",
                                 "{{ 99999999999999999999999 % 2 }}",
                                 "{{ 1 / 0 }}",
                                 "{{ 999999999999999999 * 10 }}",
                                 "{{ range(99999999999) }}",
                                 "{{ 'a'[::0] }}",
                                 "{% macro f( %}"})
    EXPECT_TRUE(refusal(text).starts_with("The chat template ")) << text << ": " << refusal(text);
}

TEST(ChatTemplate, IsBounded) {
  std::string deep, wide = "{{ 1", loops;
  for (int i = 0; i < 1000; ++i) deep += "{{ (";
  EXPECT_TRUE(refusal(deep).starts_with("The chat template ")) << refusal(deep);
  EXPECT_EQ(refusal("{{ " + std::string(500, '(') + "1 }}"), "The chat template has more than 100 levels.");
  for (int i = 0; i < 1000; ++i) wide += " + 1";
  EXPECT_EQ(refusal(wide + " }}"), "The chat template has a tag of more than 1000 parts.");
  EXPECT_EQ(refusal("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
            "The chat template calls (f) too deep.");
  for (int i = 0; i < 4; ++i) loops += "{% for i in range(1000) %}";
  for (int i = 0; i < 4; ++i) loops += "{% endfor %}";
  EXPECT_EQ(refusal(loops), "The chat template takes more than 200000 steps.");
  EXPECT_EQ(refusal("{% set n = namespace(x='aaaaaaaa') %}{% for i in range(100) %}{% set n.x = n.x + n.x "
                    "%}{% endfor %}"),
            "The chat template makes a text of more than 67108864 bytes.");
  const std::string large = "{% set n = 999999999999999999 %}";
  EXPECT_EQ(refusal(large + "{{ (1.5 * n * n) | int }}"),
            "The chat template has a number that is too large.");
  EXPECT_EQ(rendered(large + "{{ range(n, n + 5, n * 9) | length }} {{ -2.5 | int }}").value(), "1 -2");
}

}  // namespace
}  // namespace nnrt::tool
