// Traffic that no plan avoids because a tier is small beside the products it feeds: a bound in the
// manner of Hong and Kung (1981) and of Irony, Toledo and Tiskin (2004), read off the graph.
//
// A product is a command X that works on two buffers a, b of one tier (size `capacity`) and on a
// sum c:
//
//   a ─MOVE─► pa ─┐                pa, pb: parts, buffers of other tiers that only X and its MOVE
//                 X ──► c          use; a command may also work on a and b directly (no parts)
//   b ─MOVE─► pb ─┘                c: a buffer that several products work on
//
// Indices. Call the connected components of "a and c meet in a product" i, of "b and c meet" j, of
// "a and b meet" k. So a has one (i,k), b one (k,j), c one (i,j), whatever the graph; let m be the
// most products with the same (i,j,k). By Loomis and Whitney (1949), |A| different a, |B| different
// b and |C| different c have at most m sqrt(|A| |B| |C|) products among them. (In a matrix product
// these are its indices and m is 1; where the components run together m is large and the bound 0.)
//
// Phases. Take any legal plan and the a and b in it (and c, if it is in the tier as well); all
// sizes are multiples of g, the largest is s. Whatever brings one into the tier, birth or reload,
// is an arrival. Cut the plan before the first arrival that raises the units arrived so far above
// capacity + V, capacity + 2 V, ...:
//
//   arrived  |0 ........ capacity + V | ... + V | ... + V |      Q phases, so at least
//   phase    |           1            |    2    |    3    |      capacity + (Q - 1) V + g arrived
//
// F units arrive in any case; what arrives beyond them was evicted before and cost a unit of
// traffic each, or two where nothing is backed. What a phase uses was there when it began or
// arrived in it: at most M = capacity + V + s - g units.
//
// Products of a phase. Let a product belong to a phase if X and its MOVEs run in it. Any other has
// a part that is live where the later of the two phases begins: either in memory, as at most Kp
// parts can be at one cut, or evicted, one eviction for each such product. A phase with |C| sums
// has at most m M / (2 sqrt(sa sb)) sqrt(|C|) products, because sa |A| + sb |B| <= M, sa and sb
// being the smallest sizes. A sum that occurs in q phases is live at the beginning of all of them
// but the first: in memory, as at most Kc sums can be at one cut, or evicted and back in this
// phase, one eviction for each. So the |C| of all phases sum up to no more than
//   (number of sums) + Kc (Q - 1) + Ec,
// and by Cauchy and Schwarz a plan of Q phases with Ec evictions of sums and Ep of parts has
//
//   products <= m M / (2 sqrt(sa sb)) sqrt(Q (sums + Kc (Q - 1) + Ec)) + Kp (Q - 1) + Ep.
//
// If the sums are in the tier too, sa |A| + sb |B| + sc |C| <= M instead, and
//
//   products <= Q m sqrt((M / 3)^3 / (sa sb sc)) + Kp (Q - 1) + Ep.
//
// All products run. So for every V the traffic is at least the least, over Q, of what Q phases have
// to reload and the cheapest evictions (of sums and parts, which are other buffers) that make up
// for what Q phases cannot do. The bound is the most over V.
#pragma once

#include <cstdint>

#include "planner/decode/problem.h"

namespace quern::planner {

// Lower bound on the traffic of every plan, all tiers included. 0 where nothing follows.
std::int64_t least_phase_traffic(const Problem& problem);

}  // namespace quern::planner
