#include "bench/snitch/published.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json_file.h"

namespace quern::bench::snitch {

std::vector<PublishedRow> read_published(const std::filesystem::path& file,
                                         const std::filesystem::path& root) {
  const Json document = read_json(file);
  validate_json(document, read_json(root / "results/published/snitch_kernels.schema.json"),
                file.string());
  std::vector<PublishedRow> rows;
  for (const Json& json : document.at("rows")) {
    PublishedRow row;
    try {
      row.point.kernel = generator::snitch::parse_kernel(json.at("kernel").get<std::string>());
      row.point.type = generator::snitch::parse_type(json.at("dtype").get<std::string>());
      row.point.m = json.at("m");
      row.point.n = json.at("n");
      row.point.k = json.at("k");
      check(row.point);
    } catch (const Error& error) {
      throw bad_input("{}: /rows/{}: {}", file.string(), rows.size(), error.what());
    }
    row.cycles = json.at("cycles");
    row.implementation = json.at("implementation");
    rows.push_back(std::move(row));
  }
  return rows;
}

bool reaches(const PublishedRow& row, const Result& result) {
  return result.correct && result.cycles && *result.cycles <= row.cycles;
}

}  // namespace quern::bench::snitch
