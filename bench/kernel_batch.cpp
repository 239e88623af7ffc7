#include "bench/kernel_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <thread>

namespace quern::bench {
namespace {

// From this many on, batches pay: a start-up of clang with the vector intrinsics takes as long as
// ten kernels.
constexpr std::size_t few = 4;
// Compile time of a unit grows a little faster than its length, and one kernel that does not
// compile costs its whole batch again.
constexpr std::size_t batch_size = 32;

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The functions that a C text defines for itself: "static inline void accumulate(" at the start of
// a line.
std::set<std::string> static_functions(const std::string& text) {
  std::set<std::string> out;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text.compare(at, 7, "static ") == 0) {
      const auto open = text.find('(', at);
      auto begin = open;
      while (begin != std::string::npos && begin > at && in_word(text[begin - 1])) --begin;
      if (open != std::string::npos && begin < open) out.insert(text.substr(begin, open - begin));
    }
    if (text.find('\n', at) == std::string::npos) break;
  }
  return out;
}

// `text` with `suffix` behind every word that is one of `names` or, in assembly, a local label.
std::string with_own_names(const std::string& text, const std::set<std::string>& names,
                           bool assembly, const std::string& suffix) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    const bool label = assembly && text.compare(at, 2, ".L") == 0;
    std::size_t end = label ? at + 2 : at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string word = text.substr(at, end - at);
    out += word;
    if (label || names.contains(word)) out += suffix;
    at = end;
  }
  return out;
}

}  // namespace

std::string batch_text(std::span<const generator::Kernel> kernels) {
  std::string out;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const bool assembly = kernels[i].extension == ".S";
    const auto names = assembly ? std::set<std::string>{} : static_functions(kernels[i].source);
    out += with_own_names(kernels[i].source, names, assembly, fmt::format("_{}", i));
    if (!out.ends_with('\n')) out += '\n';
  }
  return out;
}

std::vector<boards::Compiled> compile_kernels(const boards::Compiler& compiler,
                                              const std::vector<generator::Kernel>& kernels) {
  std::vector<boards::Compiled> out(kernels.size());
  std::map<std::string, std::vector<std::size_t>> by_language;
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string& extension = kernels[i].extension;
    if (extension == ".c" || extension == ".S") {
      by_language[extension].push_back(i);
    } else {
      alone.push_back(i);
    }
  }

  std::vector<boards::Unit> units;
  std::vector<std::vector<std::size_t>> members;
  const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
  for (const auto& [extension, all] : by_language) {
    if (all.size() <= few) {
      alone.insert(alone.end(), all.begin(), all.end());
      continue;
    }
    // Batches of equal size, at least one for each processor.
    const std::size_t batches = std::max(std::min(processors, all.size() / few),
                                         (all.size() + batch_size - 1) / batch_size);
    for (std::size_t b = 0; b < batches; ++b) {
      const std::size_t first = all.size() * b / batches, last = all.size() * (b + 1) / batches;
      std::vector<generator::Kernel> batch;
      members.emplace_back(all.begin() + static_cast<long>(first),
                           all.begin() + static_cast<long>(last));
      for (const std::size_t i : members.back()) batch.push_back(kernels[i]);
      units.push_back({fmt::format("batch-of-{}{}", batch.size(), extension), batch_text(batch)});
    }
  }
  const auto batches = compiler.compile(units);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (const std::size_t i : members[b]) {
      if (batches[b].good) {
        out[i] = batches[b];
      } else {
        alone.push_back(i);
      }
    }
  }

  units.clear();
  for (const std::size_t i : alone)
    units.push_back({kernels[i].id + kernels[i].extension, kernels[i].source, {}});
  const auto singles = compiler.compile(units);
  for (std::size_t s = 0; s < singles.size(); ++s) out[alone[s]] = singles[s];
  return out;
}

}  // namespace quern::bench
