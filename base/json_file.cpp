#include "base/json_file.h"

#include <algorithm>
#include <set>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace quern {
namespace {

// "line:column" of a byte offset, both from 1.
std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n');
  const auto column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return fmt::format("{}:{}", line, std::max<std::size_t>(column, 1));
}

// valijson writes a place as "<root>[a][0][b]"; messages use the JSON pointer "/a/0/b".
std::string pointer(const std::string& context) {
  std::string out;
  for (char c : context.substr(std::min(context.size(), std::string("<root>").size()))) {
    if (c == '[')
      out += '/';
    else if (c != ']')
      out += c;
  }
  return out.empty() ? "/" : out;
}

}  // namespace

Json parse_json(std::string_view text, std::string_view name) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto note_keys = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      if (twice.empty()) twice = parsed.get<std::string>();
    }
    return true;
  };
  try {
    Json document = Json::parse(text, note_keys);
    if (!twice.empty()) throw bad_input("{}: key \"{}\" is given twice in one object", name, twice);
    return document;
  } catch (const Json::parse_error& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: text" -> "text"
    if (const auto at = what.find(": "); at != std::string::npos) what = what.substr(at + 2);
    throw bad_input("{}:{}: not JSON: {}", name, position(text, error.byte), what);
  } catch (const Json::exception& error) {  // a number that no double holds
    throw bad_input("{}: not JSON that can be read: {}", name, error.what());
  }
}

Json read_json(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string());
}

// What the schema wants at a place of the document, "one of a, b" or "a match of REGEX"; empty
// where it does not say it in one of these ways.
static std::string expectation(const Json& schema, const std::string& place) {
  const auto resolved = [&](const Json* part) {
    if (!part->contains("$ref")) return part;
    const Json::json_pointer target(part->at("$ref").get<std::string>().substr(1));  // "#/..."
    return schema.contains(target) ? &schema.at(target) : part;
  };
  const Json* at = &schema;
  for (std::size_t begin = 1; begin < place.size();) {
    const auto end = std::min(place.find('/', begin), place.size());
    const std::string key = place.substr(begin, end - begin);
    if (at->contains("properties") && at->at("properties").contains(key)) {
      at = resolved(&at->at("properties").at(key));
    } else if (at->contains("items")) {
      at = resolved(&at->at("items"));
    } else {
      return "";
    }
    begin = end + 1;
  }
  if (at->contains("enum")) {
    std::string values;
    for (const Json& value : at->at("enum")) {
      values += values.empty() ? "" : ", ";
      values += value.dump();
    }
    return "one of " + values;
  }
  if (at->contains("pattern")) return "a match of " + at->at("pattern").get<std::string>();
  if (at->contains("type")) return "a value of type " + at->at("type").dump();
  return "";
}

void validate_json(const Json& document, const Json& schema, std::string_view name) {
  valijson::Schema compiled;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  if (validator.validate(compiled, valijson::adapters::NlohmannJsonAdapter(document), &results))
    return;
  // The innermost violations say most; valijson reports them first.
  std::string message;
  valijson::ValidationResults::Error error;
  for (int shown = 0; shown < 3 && results.popError(error);) {
    // That a part of it is wrong is all that is wrong with the whole.
    if (!message.empty() && error.description.starts_with("Failed to validate")) continue;
    std::string where;
    for (const auto& part : error.context) where += part;
    const std::string place = pointer(where);
    const bool unsaid = error.description.find("enum values") != std::string::npos ||
                        error.description.find("regex") != std::string::npos ||
                        error.description.find("'type'") != std::string::npos;
    const std::string wanted = unsaid ? expectation(schema, place) : "";
    if (!message.empty()) message += "\n";
    message += fmt::format("{}: {}: {}", name, place,
                           wanted.empty() ? error.description : "expected " + wanted);
    ++shown;
  }
  throw Error(ExitCode::bad_input, message);
}

}  // namespace quern
