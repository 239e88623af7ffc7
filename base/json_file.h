// JSON files as user input: parsed with the line of a syntax error, checked against a JSON schema
// with the pointer of the offending value.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace quern {

using Json = nlohmann::json;

// Parses text. `name` is what messages call it (usually the path). Throws bad_input
// "name:line:column: ...". A key given twice in one object is an error too, since one of the two
// would be silently ignored.
Json parse_json(std::string_view text, std::string_view name);

// Reads and parses a file.
Json read_json(const std::filesystem::path& path);

// Checks `document` against `schema` (JSON Schema draft 7). Throws bad_input "name: /json/pointer:
// ..." for the first violations (up to three).
void validate_json(const Json& document, const Json& schema, std::string_view name);

}  // namespace quern
