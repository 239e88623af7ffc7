// What every order must hold at some moment, from the deaths of buffers: a lower bound on residency
// for every legal order at once.
//
// A buffer dies with its last user. Take any set B of buffers and any legal order, and number them
// as they die there: b1, b2, ... When bj dies, everything that comes before the users of b1..bj has
// run, so every buffer that this touches has been born; and of B only b1..b(j-1) are gone. Hence
//
//   when bj dies,   T(b1) + ... + T(bj)  without  b1..b(j-1)   is live,
//
// T(b) being the buffers of B that the users of b and the operations before them touch.
//
//   inputs   i1 i2 i3       every output needs every input, so the first input to die
//             |\/|\/|       has seen all outputs begin: T(i1) = i1 i2 i3 o1 o2 o3
//   outputs  o1 o2 o3
//
// The bound is the least, over all sequences b1, b2, ..., of the most that is ever live. Sequences
// are searched best first. Once a few deaths leave no more live than there was before them, they
// are final: T grows by unions, so whatever follows holds no more with them than without them, and
// no other beginning need be tried. When the work runs out, the best open beginning is the bound.
//
// Any B gives a bound. Buffers whose death tells little (a weight tile with one user) hide what the
// others tell; leaving out, again and again, the one that tells least finds a B that tells much.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/bounds/bits.h"

namespace quern::planner {

// A set of live buffers, as far as its price goes.
struct Live {
  std::int64_t units = 0;
  std::int64_t unbacked = 0;  // units without a copy outside

  void add(const Live& other) {
    units += other.units;
    unbacked += other.unbacked;
  }
  void remove(const Live& other) {
    units -= other.units;
    unbacked -= other.unbacked;
  }
};

// Traffic that a live set forces on a tier: what does not fit is outside, and each unit of it costs
// one unit if a copy was there already and two otherwise. With more unbacked units than fit, the
// surplus of those cannot be any others. A capacity of 0 with all units backed prices residency
// itself.
inline std::int64_t forced_traffic(const Live& live, std::int64_t capacity) {
  const std::int64_t over = live.units - capacity, unbacked_over = live.unbacked - capacity;
  return (over > 0 ? over : 0) + (unbacked_over > 0 ? unbacked_over : 0);
}

struct Deaths {
  std::vector<Live> buffers;  // B
  std::vector<Bits> touched;  // T, as sets of indices into `buffers`; each holds its own buffer
  std::int64_t capacity = 0;  // of forced_traffic
};

// The indices of the B that tells most by the first death alone, and what that is. Empty if the
// sets are too large to be worth it.
struct TellingSet {
  std::vector<int> members;
  std::int64_t first_death = 0;
};
TellingSet telling_set(const Deaths& deaths);

// `deaths` for some of its buffers.
Deaths restricted(const Deaths& deaths, const std::vector<int>& members);

// The bound, in forced_traffic. `work` limits the search, in words of sets.
std::int64_t least_held(const Deaths& deaths, std::int64_t work);

}  // namespace quern::planner
