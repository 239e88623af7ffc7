#include "boards/timing/parameter_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace quern::timing {

void Reader::fail(const std::string& member, const std::string& what) const {
  throw bad_input("{}: {}{}: {}", name_, pointer_, member.empty() ? "" : "/" + member, what);
}

Reader Reader::child(const std::string& key) const {
  if (!json_.is_object()) fail("", "expected an object");
  if (!json_.contains(key)) fail(key, "missing");
  return Reader(json_[key], name_, pointer_ + "/" + key);
}

Reader Reader::item(std::size_t index) const {
  return Reader(json_.at(index), name_, pointer_ + "/" + std::to_string(index));
}

double Reader::plain_number(double low, double high) const {
  if (!json_.is_number()) fail("", fmt::format("expected a number, not {}", json_.dump()));
  const double v = json_;
  if (!(v >= low && v <= high)) fail("", fmt::format("{} is outside {} .. {}", v, low, high));
  return v;
}

std::int64_t Reader::plain_integer(std::int64_t low, std::int64_t high) const {
  const double v = plain_number(static_cast<double>(low), static_cast<double>(high));
  if (v != std::floor(v)) fail("", fmt::format("{} is not a whole number", v));
  return static_cast<std::int64_t>(v);
}

double Reader::number(const std::string& key, double low, double high) const {
  const Reader entry = child(key);
  entry.check_source();
  entry.allow({"value", "source"});
  return entry.child("value").plain_number(low, high);
}

int Reader::integer(const std::string& key, int low, int high) const {
  const Reader entry = child(key);
  entry.check_source();
  entry.allow({"value", "source"});
  return static_cast<int>(entry.child("value").plain_integer(low, high));
}

bool Reader::boolean(const std::string& key) const {
  const Reader entry = child(key);
  entry.check_source();
  entry.allow({"value", "source"});
  const Reader value = entry.child("value");
  if (!value.json().is_boolean()) value.fail("", "expected true or false");
  return value.json();
}

int Reader::one_of(const std::string& key, std::initializer_list<const char*> words) const {
  const Reader entry = child(key);
  entry.check_source();
  entry.allow({"value", "source"});
  const Reader value = entry.child("value");
  int index = 0;
  for (const char* word : words) {
    if (value.json() == word) return index;
    ++index;
  }
  std::string found = value.json().dump();
  if (found.size() > 40) found = found.substr(0, 37) + "...";
  value.fail("", fmt::format("expected one of {}, not {}", fmt::join(words, ", "), found));
}

void Reader::check_source() const {
  const Reader source = child("source");
  if (!source.json().is_string() || source.json().get<std::string>().empty())
    source.fail("", "expected a reference, or a text that begins with \"assumed\"");
}

void Reader::allow(std::initializer_list<const char*> keys) const {
  if (!json_.is_object()) fail("", "expected an object");
  for (const auto& [key, value] : json_.items())
    if (std::none_of(keys.begin(), keys.end(), [&](const char* k) { return key == k; }))
      fail(key, "unknown member");
}

}  // namespace quern::timing
