#include "planner/bounds/phases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace quern::planner {
namespace {

// Limits: phase lengths tried, phases of one length, and pairs of sums looked at for the roles.
constexpr std::int64_t most_lengths = 512;
constexpr std::int64_t most_phases = 1 << 14;
constexpr std::int64_t most_pairs = 2'000'000;

constexpr double never = std::numeric_limits<double>::infinity();

// Buffers that belong together, and on which of two sides each of them is.
class Groups {
 public:
  explicit Groups(int size) : parent_(size), flipped_(size, 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  // Puts x and y into one group, on the same side or not. Does nothing if they are in one already.
  void join(int x, int y, bool opposite = false) {
    const bool flip = side(x) != side(y);
    const int from = root(x), to = root(y);
    if (from == to) return;
    parent_[from] = to;
    flipped_[from] = static_cast<char>(flip != opposite);
  }
  int root(int x) {
    while (parent_[x] != x) {  // path halving
      const int up = parent_[x];
      flipped_[x] = static_cast<char>(flipped_[x] != flipped_[up]);
      parent_[x] = parent_[up];
      x = parent_[x];
    }
    return x;
  }
  bool side(int x) const {
    bool side = false;
    for (; parent_[x] != x; x = parent_[x]) side = side != (flipped_[x] != 0);
    return side;
  }

 private:
  std::vector<int> parent_;
  std::vector<char> flipped_;  // against the parent
};

struct Product {
  int a = 0, b = 0, sum = 0;
  std::vector<int> parts;
};

// The products of a tier, of those whose sums are in the tier as well or of those whose sums are
// not. No part belongs to two products. The roles a and b are not yet told apart.
std::vector<Product> find_products(const Problem& problem, int tier, bool sums_inside) {
  std::vector<Product> products;
  std::vector<char> is_part(problem.buffers(), 0), is_sum(problem.buffers(), 0);
  std::vector<int> inside, outside, parts;
  for (int operation = 0; operation < problem.operations(); ++operation) {
    inside.clear();
    outside.clear();
    parts.clear();
    const auto add_inside = [&](int of) {
      bool any = false;
      for (int buffer : problem.buffers_of[of]) {
        if (problem.tier[buffer] != tier) continue;
        any = true;
        if (std::ranges::find(inside, buffer) == inside.end()) inside.push_back(buffer);
      }
      return any;
    };
    add_inside(operation);
    for (int buffer : problem.buffers_of[operation]) {
      if (problem.tier[buffer] == tier) continue;
      const auto& users = problem.operations_of[buffer];
      const bool fed = users.size() == 2 && add_inside(users[0] == operation ? users[1] : users[0]);
      if (fed)
        parts.push_back(buffer);
      else if (users.size() >= 2)
        outside.push_back(buffer);
    }
    Product product{.parts = parts};
    if (sums_inside) {
      if (inside.size() != 3) continue;
      // The sum is the one that cannot be fetched again.
      const auto backed = [&](int buffer) { return problem.graph->buffers[buffer].backed; };
      std::ranges::stable_partition(inside, backed);
      if (!backed(inside[1]) || backed(inside[2])) continue;
      product.sum = inside[2];
    } else {
      if (inside.size() != 2 || outside.size() != 1) continue;
      product.sum = outside[0];
    }
    product.a = inside[0];
    product.b = inside[1];
    bool usable = is_part[product.sum] == 0;
    for (int buffer : {product.a, product.b, product.sum})
      usable = usable && problem.size[buffer] > 0;
    for (int part : parts)
      usable = usable && is_part[part] == 0 && is_sum[part] == 0 && problem.size[part] > 0;
    if (!usable) continue;
    is_sum[product.sum] = 1;
    for (int part : parts) is_part[part] = 1;
    products.push_back(std::move(product));
  }
  return products;
}

// Tells a from b: the two of a product differ, and buffers that the same two sums meet play the
// same part. Whatever is decided, the bound is true; products that do not fit are left out.
void tell_roles_apart(const Problem& problem, std::vector<Product>& products) {
  Groups groups(problem.buffers());
  for (const Product& product : products) groups.join(product.a, product.b, true);
  std::vector<std::vector<int>> sums_of(problem.buffers());
  for (const Product& product : products) {
    sums_of[product.a].push_back(product.sum);
    sums_of[product.b].push_back(product.sum);
  }
  std::map<std::pair<int, int>, int> met_by;
  std::int64_t pairs = 0;
  for (int buffer = 0; buffer < problem.buffers() && pairs < most_pairs; ++buffer) {
    std::vector<int>& sums = sums_of[buffer];
    std::ranges::sort(sums);
    sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
    for (std::size_t i = 0; i < sums.size() && pairs < most_pairs; ++i) {
      for (std::size_t j = 0; j < i; ++j, ++pairs) {
        groups.join(buffer, met_by.try_emplace({sums[i], sums[j]}, buffer).first->second);
      }
    }
  }
  std::erase_if(products, [&](Product& product) {
    if (groups.side(product.a)) std::swap(product.a, product.b);
    return groups.side(product.a) || !groups.side(product.b);
  });
}

// Most products with the same indices (m of the header).
std::int64_t most_alike(const Problem& problem, const std::vector<Product>& products) {
  Groups i(problem.buffers()), j(problem.buffers()), k(problem.buffers());
  for (const Product& product : products) {
    i.join(product.a, product.sum);
    j.join(product.b, product.sum);
    k.join(product.a, product.b);
  }
  std::map<std::array<int, 3>, std::int64_t> alike;
  std::int64_t most = 0;
  for (const Product& product : products) {
    most = std::max(most, ++alike[{i.root(product.a), j.root(product.b), k.root(product.a)}]);
  }
  return most;
}

// Buffers that play one part: how many they are, the smallest, the cheapest eviction, and how many
// can be in memory at once.
struct Role {
  std::vector<char> plays;
  std::int64_t count = 0;
  double smallest = never, price = never;
  double at_once = 0;

  Role(const Problem& problem, const std::vector<int>& buffers) : plays(problem.buffers(), 0) {
    std::map<int, std::int64_t> smallest_in;
    for (int buffer : buffers) {
      if (plays[buffer] != 0) continue;
      plays[buffer] = 1;
      ++count;
      const std::int64_t size = problem.size[buffer];
      smallest = std::min(smallest, static_cast<double>(size));
      price = std::min(price, static_cast<double>(problem.pair_traffic[buffer]));
      auto& least = smallest_in.try_emplace(problem.tier[buffer], size).first->second;
      least = std::min(least, size);
    }
    for (const auto& [tier, size] : smallest_in)
      at_once += static_cast<double>(problem.machine->tiers[tier].capacity / size);
  }
};

Role role_of(const Problem& problem, const std::vector<Product>& products, int Product::*member) {
  std::vector<int> buffers;
  for (const Product& product : products) buffers.push_back(product.*member);
  return {problem, buffers};
}

Role parts_of(const Problem& problem, const std::vector<Product>& products) {
  std::vector<int> buffers;
  for (const Product& product : products)
    buffers.insert(buffers.end(), product.parts.begin(), product.parts.end());
  return {problem, buffers};
}

// The inequalities of the header for one tier.
class Phases {
 public:
  Phases(const Problem& problem, int tier, bool sums_inside, const std::vector<Product>& products)
      : sums_inside_(sums_inside),
        products_(static_cast<double>(products.size())),
        alike_(static_cast<double>(most_alike(problem, products))),
        a_(role_of(problem, products, &Product::a)),
        b_(role_of(problem, products, &Product::b)),
        sums_(role_of(problem, products, &Product::sum)),
        parts_(parts_of(problem, products)) {
    bool backed = false;
    for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
      const bool counts = a_.plays[buffer] != 0 || b_.plays[buffer] != 0 ||
                          (sums_inside && sums_.plays[buffer] != 0);
      if (!counts) continue;
      step_ = std::gcd(step_, problem.size[buffer]);
      largest_ = std::max(largest_, problem.size[buffer]);
      first_arrivals_ += problem.size[buffer];
      backed = backed || problem.graph->buffers[buffer].backed;
    }
    reload_price_ = backed ? 1 : 2;
    capacity_ = problem.machine->tiers[tier].capacity / step_ * step_;
  }

  double bound() const {
    double best = 0;
    const std::int64_t stride = (first_arrivals_ / step_ + most_lengths - 1) / most_lengths * step_;
    for (std::int64_t length = stride; length <= first_arrivals_; length += stride)
      best = std::max(best, bound(length));
    return best;
  }

 private:
  double bound(std::int64_t length) const {
    double least = never;
    for (std::int64_t phases = 1; phases <= most_phases; ++phases) {
      const std::int64_t arrived = phases == 1 ? 0 : capacity_ + (phases - 1) * length + step_;
      const double reloads =
          static_cast<double>(reload_price_ * std::max<std::int64_t>(0, arrived - first_arrivals_));
      if (reloads >= least) return least;
      const double all = reloads + evictions(static_cast<double>(phases), length);
      least = std::min(least, all);
    }
    return 0;  // too many to look at them all
  }

  // The cheapest evictions with which `phases` do all products.
  double evictions(double phases, std::int64_t length) const {
    const double units = static_cast<double>(capacity_ + length + largest_ - step_);
    const double cuts = phases - 1;
    const double missing = products_ - parts_.at_once * cuts;
    if (sums_inside_) {
      const double third = units / 3;
      const double done =
          phases * alike_ *
          std::sqrt(third / a_.smallest * (third / b_.smallest) * (third / sums_.smallest));
      return done >= missing ? 0 : (missing - done) * parts_.price;
    }
    if (missing <= 0) return 0;
    const double rate = alike_ * units / (2 * std::sqrt(a_.smallest * b_.smallest));
    const double met = static_cast<double>(sums_.count) + sums_.at_once * cuts;
    // Evictions of sums that do it alone.
    const double enough = missing / rate * (missing / rate) / phases - met;
    if (enough <= 0) return 0;
    if (parts_.count == 0) return enough * sums_.price;
    // What is done grows with the root of them; from some number on, parts are cheaper.
    const double slope = rate * parts_.price / (2 * sums_.price);
    const double of_sums = std::clamp(phases * slope * slope - met, 0.0, enough);
    const double done = rate * std::sqrt(phases * (met + of_sums));
    return of_sums * sums_.price + std::max(0.0, missing - done) * parts_.price;
  }

  bool sums_inside_;
  double products_, alike_;
  Role a_, b_, sums_, parts_;
  std::int64_t step_ = 0, largest_ = 0, first_arrivals_ = 0, capacity_ = 0;
  std::int64_t reload_price_ = 1;
};

}  // namespace

std::int64_t least_phase_traffic(const Problem& problem) {
  double best = 0;
  for (std::size_t tier = 0; tier < problem.machine->tiers.size(); ++tier) {
    for (bool sums_inside : {false, true}) {
      std::vector<Product> products = find_products(problem, static_cast<int>(tier), sums_inside);
      tell_roles_apart(problem, products);
      if (products.empty()) continue;
      best = std::max(best, Phases(problem, static_cast<int>(tier), sums_inside, products).bound());
    }
  }
  // Traffic is whole; the margin is for the rounding of the roots.
  return static_cast<std::int64_t>(std::ceil(best * (1 - 1e-9) - 1e-6));
}

}  // namespace quern::planner
