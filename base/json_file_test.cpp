#include "base/json_file.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace quern {
namespace {

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(JsonFile, SyntaxErrorNamesLine) {
  const auto message = message_of([] { parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}", "f.json"); });
  EXPECT_EQ(message.substr(0, 9), "f.json:3:") << message;
}

TEST(JsonFile, NumberBeyondDoubleIsBadInput) {
  EXPECT_NE(message_of([] { parse_json(R"({"clock_hz": 1e400})", "f.json"); }).find("f.json"),
            std::string::npos);
}

TEST(JsonFile, DuplicateKeyIsRefusedOnlyWithinOneObject) {
  EXPECT_NE(message_of([] { parse_json(R"({"a":{"x":1,"x":2}})", "f"); }).find("\"x\""),
            std::string::npos);
  EXPECT_EQ(parse_json(R"([{"a":{"x":1},"x":2},{"x":3}])", "f").size(), 2u);
}

TEST(JsonFile, SchemaViolationNamesThePointer) {
  const Json schema = Json::parse(
      R"({"type":"object","properties":{"caches":{"type":"array","items":
          {"type":"object","properties":{"ways":{"type":"integer","minimum":1}}}}}})");
  validate_json(Json::parse(R"({"caches":[{"ways":4}]})"), schema, "b.json");
  const auto message = message_of([&] {
    validate_json(Json::parse(R"({"caches":[{"ways":4},{"ways":0}]})"), schema, "b.json");
  });
  EXPECT_NE(message.find("b.json: /caches/1/ways: "), std::string::npos) << message;
}

TEST(JsonFile, SchemaViolationSaysWhatWasExpected) {
  const Json schema = Json::parse(R"({"type":"object","definitions":{"size":{"enum":[128,256]}},
      "properties":{"core":{"type":"object","properties":{"vlen":{"$ref":"#/definitions/size"},
                                                          "isa":{"pattern":"^rv64"}}},
                    "hz":{"type":"number"}}})");
  const struct {
    const char* document;
    const char* expected;
  } cases[] = {
      {R"({"core":{"vlen":2048}})", "b.json: /core/vlen: expected one of 128, 256"},
      {R"({"core":{"isa":"banana"}})", "b.json: /core/isa: expected a match of ^rv64"},
      {R"({"hz":"x"})", "b.json: /hz: expected a value of type \"number\""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(message_of([&] { validate_json(Json::parse(c.document), schema, "b.json"); }),
              c.expected);
  }
}

}  // namespace
}  // namespace quern
