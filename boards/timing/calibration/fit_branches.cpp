// Branches: jumps, the penalty of a wrong prediction, and what the predictor remembers.
#include <algorithm>
#include <cmath>

#include "boards/timing/calibration/fitting.h"
#include "boards/timing/calibration/loop_shapes.h"

namespace quern::timing {
namespace {

using namespace calibration;

const std::string issue = "/timing/issue/";

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void fit_group_end(Fitting& f) {
  if (!f.measured("jump")) return;
  const std::string pointer = issue + "taken_branch_ends_group";
  if (f.taken_branch_bubble > 0) return f.keep("jump 2", pointer, "a bubble ends the group", true);
  if (f.width == 1) return f.keep("jump 2", pointer, "one instruction a cycle", true);
  // A group that ends makes every round a whole number of cycles, but for an eighth of a cycle that
  // the loop itself takes. Otherwise one of the mixtures does not fill its cycles.
  bool whole = true;
  std::string loop = "jump 2";
  for (const int others : {2, 3, 4}) {
    const std::string name = "jump " + std::to_string(others);
    const double* cycles = f.measured(name);
    if (!cycles) return;
    const double part = *cycles - std::floor(*cycles);
    if (part > 0.25 && part < 0.9 && whole) whole = false, loop = name;
  }
  f.set(loop, pointer, whole, true);
}

void fit_penalty(Fitting& f) {
  const double *same = f.measured("jump-same"), *other = f.measured("jump-other");
  if (!same || !other) return;
  // What is predicted has its bubble.
  f.mispredict_penalty = std::max(0.0, std::round(*other - *same + f.taken_branch_bubble));
  f.set_whole("jump-other", issue + "mispredict_penalty", f.mispredict_penalty, 0);
}

// A pattern of one in p needs p - 1 branches of history; one more in p costs a wrong prediction.
int fit_history(Fitting& f) {
  const std::vector<double> period = f.family("branch-period-", 1, most_period);
  if (period.empty()) return -1;
  std::vector<double> more;
  for (std::size_t i = 1; i < period.size(); ++i) more.push_back(period[i] - period[i - 1]);
  const double usual = median(more), wrong = f.mispredict_penalty - f.taken_branch_bubble;
  constexpr int most = 20;  // that the model takes
  for (std::size_t i = 0; i < more.size(); ++i)
    if (more[i] - usual > 0.5 * wrong) {
      const int history = std::min(static_cast<int>(i), most);
      f.set_whole("branch-period-" + std::to_string(i + 2), issue + "predictor_history", history,
                  0);
      return history;
    }
  f.set_whole("branch-period-" + std::to_string(most_period), issue + "predictor_history", most, 0);
  return most;
}

// Two branches 2^b apart share a counter when b is not below the bits of the index. Below the bits
// of history they meet others' counters.
void fit_counters(Fitting& f, int history) {
  const auto distance = f.family("branch-distance-", first_site, last_site);
  const double* same = f.measured("branch-same");
  if (distance.empty() || !same || history < 0) return;
  const std::string pointer = issue + "predictor_bits", prefix = "branch-distance-";
  const auto shared = [&](int b) {
    return distance[static_cast<std::size_t>(b - first_site)] - *same + f.taken_branch_bubble >
           0.5 * f.mispredict_penalty + 0.5;
  };
  int b = std::max(history, first_site);
  while (b <= last_site && !shared(b)) ++b;
  if (b <= last_site) {
    if (b == first_site && history < b) b = std::max(history, std::min(b, f.before.predictor_bits));
    f.set_whole(prefix + std::to_string(std::max(b, first_site)), pointer, b, 0);
  } else {
    f.set_whole(prefix + std::to_string(last_site), pointer,
                std::max({last_site + 1, history, f.before.predictor_bits}), 0);
  }
}

}  // namespace

void fit_bubble(Fitting& f) {
  const double* jump = f.measured("jump");
  if (!jump) return;
  // Sixteen jumps and the loop's own branch.
  f.taken_branch_bubble = static_cast<int>(std::max(0.0, std::round(*jump * 16 / 17 - 1)));
  f.set_whole("jump", issue + "taken_branch_bubble", f.taken_branch_bubble, 0);
}

void fit_branches(Fitting& f) {
  fit_group_end(f);
  fit_penalty(f);
  if (!f.measured("jump-other")) return;
  if (f.mispredict_penalty - f.taken_branch_bubble < 2) {
    const std::string reason = "a wrong prediction costs next to nothing";
    f.keep("branch-period-1", issue + "predictor_history", reason);
    f.keep("branch-same", issue + "predictor_bits", reason);
    return;
  }
  fit_counters(f, fit_history(f));
}

}  // namespace quern::timing
