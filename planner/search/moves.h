// The neighbourhood of a search: small changes of an anchor order, some blind, most along the
// structure (chains, shared buffers), and of the genes that steer placement.
#pragma once

#include <vector>

#include "planner/decode/decoder.h"
#include "planner/search/random.h"
#include "planner/search/structure.h"

namespace quern::planner {

class Neighbourhood {
 public:
  Neighbourhood(const Problem& problem, const Structure& structure);

  // Changes the order at random, around place `at` of it if that is not -1. The result is a
  // permutation, not necessarily a legal order.
  void change_order(std::vector<int>& anchors, Random& random, int at = -1);
  // Changes how buffers are placed and evicted.
  void change_placement(Genes& genes, Random& random, bool cycles) const;

 private:
  void move_segment(std::vector<int>& anchors, Random& random, int at) const;
  void swap_segments(std::vector<int>& anchors, Random& random) const;
  void move_chain(std::vector<int>& anchors, Random& random, int place);
  void interleave_chains(std::vector<int>& anchors, Random& random, int place);
  void bring_together(std::vector<int>& anchors, Random& random, int place);
  // Takes `members` out and puts them, in their order, where `at` of the remaining anchors come
  // before.
  void relocate(std::vector<int>& anchors, const std::vector<int>& members, int at);
  void index(const std::vector<int>& anchors);

  const Problem& problem_;
  const Structure& structure_;
  std::vector<int> position_;
  std::vector<char> marked_;
  std::vector<int> rest_, group_;
};

}  // namespace quern::planner
