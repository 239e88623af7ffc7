// TLB, latencies, line times, miss slots, store queue and streaming stores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "boards/timing/calibration/fitting.h"
#include "boards/timing/calibration/gather.h"
#include "boards/timing/calibration/loop_shapes.h"

namespace quern::timing {
namespace {

using namespace calibration;

const std::string memory = "/timing/memory/";

class MemoryFitter {
 public:
  explicit MemoryFitter(Fitting& f) : f_(f) {
    const auto bytes = [](const CacheGeometry& c) {
      return static_cast<std::size_t>(c.sets) * static_cast<std::size_t>(c.ways) *
             static_cast<std::size_t>(c.line_bytes);
    };
    const std::size_t l1 = bytes(f.before.memory.l1), l2 = bytes(f.before.memory.l2);
    near_pages_ = static_cast<double>(near_bytes(l1, l2) / page_bytes);
    far_pages_ = static_cast<double>(far_bytes(l2) / page_bytes);
    const ClassTiming& load = f.before.classes[static_cast<std::size_t>(InstructionClass::load)];
    const double* chain = f.measured("load latency");
    hit_ = chain ? std::round(*chain) : static_cast<double>(load.latency[3][3]) / ticks_per_cycle;
    const double* rate = f.measured("load occupancy");
    loads_cycle_ = rate ? std::max(1.0, std::round(1 / *rate)) : 1;
  }

  void run() {
    fit_tlb();
    fit_latencies();
    fit_streaming();  // before what can be measured by streaming stores only
    fit_store_queue();
    fit_write_lines();
    fit_lines();
  }

 private:
  // The largest jump between n and 2 n pages.
  void fit_tlb() {
    std::vector<double> pages;
    for (int n = fewest_pages; n <= most_pages; n *= 2) {
      const double* cycles = f_.measured("tlb-" + std::to_string(n));
      if (!cycles) return;
      pages.push_back(*cycles);
    }
    const double* l2 = f_.measured("load-latency l2");
    if (!l2) return;
    double most = 0;
    int entries = 0;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      // A few of the lines may be in L1 after all, so that time falls a little.
      const double less = std::max(i > 0 ? pages[i - 1] : *l2, i > 1 ? pages[i - 2] : 0);
      if (pages[i] - less > most) {
        most = pages[i] - less;
        entries = (fewest_pages << i) / 2;
      }
    }
    const std::string loop = "tlb-" + std::to_string(2 * entries);
    if (most < std::max(1.5, 0.04 * *l2)) {
      const std::string reason = "no step in time up to 2048 pages";
      f_.keep("tlb-2048", memory + "tlb_entries", reason);
      f_.keep("tlb-2048", memory + "tlb_walk", reason);
      return;
    }
    entries_ = entries;
    walk_ = std::round(most);
    f_.set_whole(loop, memory + "tlb_entries", entries_);
    f_.set_whole(loop, memory + "tlb_walk", walk_);
  }

  // What the TLB adds to a step where a page has `steps` of them.
  double walk(bool near, int steps) const {
    return (near ? near_pages_ : far_pages_) > entries_ ? walk_ / steps : 0;
  }

  void fit_latencies() {
    constexpr int steps = page_bytes / line_bytes;
    for (const bool near : {true, false}) {
      const std::string loop = near ? "load-latency l2" : "load-latency dram";
      const double* cycles = f_.measured(loop);
      if (!cycles) continue;
      double& latency = near ? l2_latency_ : dram_latency_;
      latency = std::max(1.0, std::round(*cycles - walk(near, steps)));
      f_.set_whole(loop, memory + (near ? "l2_latency" : "dram_latency"), latency);
    }
  }

  struct Lines {
    bool known = false;
    double cycles = 0;                                       // of a line
    double error = std::numeric_limits<double>::infinity();  // squares, relative
  };

  GatherModel model_of(int slots, bool near, double first) const {
    GatherModel model;
    model.slots = slots;
    model.latency = near ? l2_latency_ : dram_latency_;
    model.hit = hit_;
    model.step = std::max(0.0, std::round(first - model.latency));
    model.loads_cycle = loads_cycle_;
    return model;
  }

  // The time of a line that explains the loops best if there are so many slots. `counts[i]` lines
  // took `times[i]`, the first of them one line.
  Lines best_line(int slots, bool near, const std::vector<int>& counts,
                  const std::vector<double>& times) const {
    GatherModel model = model_of(slots, near, times[0]);
    const auto error_of = [&](double line) {
      model.line = line;
      double error = 0;
      for (std::size_t c = 0; c < counts.size(); ++c)
        error += std::pow(model.cycles(counts[c]) / times[c] - 1, 2);
      return error;
    };
    std::size_t last = 0;  // as many lines as have a slot
    while (last + 1 < counts.size() && counts[last + 1] <= slots) ++last;
    if (last == 0) return {false, 1, error_of(1)};
    const double guess = std::max(0.5, (times[last] - times[0]) / (counts[last] - 1));
    std::vector<double> lines = {std::round(2 * guess) / 2};
    for (int i = -24; i <= 24; ++i) lines.push_back(guess * (1 + 0.0025 * i));
    std::vector<double> errors;
    for (const double line : lines) errors.push_back(error_of(line));
    Lines best{true, 0, *std::min_element(errors.begin(), errors.end())};
    // Data arrives on whole cycles, so that a range of times explains the loops alike: the whole
    // (or half) number in it, or its middle.
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (errors[i] <= 1.1 * best.error + 1e-7)
        low = std::min(low, lines[i]), high = std::max(high, lines[i]);
    best.cycles = low <= lines[0] && lines[0] <= high ? lines[0] : (low + high) / 2;
    return best;
  }

  void fit_lines() {
    std::vector<int> counts;
    for (int i = 1; i <= most_gather; ++i) counts.push_back(i);
    std::vector<double> near = f_.family("gather-", 1, most_gather, " l2"),
                        far = f_.family("gather-", 1, most_gather, " dram");
    if (near.empty() || far.empty() || l2_latency_ == 0 || dram_latency_ == 0) return;
    constexpr int steps = 4;  // of a gather in a page
    for (double& t : near) t -= walk(true, steps);
    for (double& t : far) t -= walk(false, steps);
    if (f_.order == InOrder::all) {
      const std::string reason = "a result in order lets no second miss begin";
      f_.keep("gather-2 l2", memory + "l2_read_cycles", reason);
      f_.keep("gather-2 dram", memory + "dram_read_cycles", reason);
      f_.keep("gather-16 dram", memory + "miss_slots", reason);
      if (write_line_ == 0) f_.keep("dirty-2 dram", memory + "dram_write_cycles", reason);
      return;
    }
    std::vector<Lines> l2{{}}, dram{{}};
    double least = std::numeric_limits<double>::infinity();
    for (int slots = 1; slots <= most_gather; ++slots) {
      l2.push_back(best_line(slots, true, counts, near));
      dram.push_back(best_line(slots, false, counts, far));
      least = std::min(least, l2.back().error + dram.back().error);
    }
    // Slots beyond what the lines' own times can keep busy make no difference.
    std::vector<int> alike;
    for (std::size_t slots = 1; slots < l2.size(); ++slots)
      if (l2[slots].error + dram[slots].error <= 1.02 * least + 1e-5)
        alike.push_back(static_cast<int>(slots));
    const int before = f_.before.memory.miss_slots;
    int slots = alike.front();
    const std::string decisive =
        "gather-" + std::to_string(std::min(slots + 1, most_gather)) + " dram";
    // (Lines that came a whole latency apart would look like one slot: taken as that.)
    if (slots > 1 && alike.size() > 1 &&
        (std::find(alike.begin(), alike.end(), before) != alike.end() ||
         (alike.back() == most_gather && before > most_gather))) {
      slots = before;
      f_.keep(decisive, memory + "miss_slots", "line times hide how many there are");
    } else {
      f_.set_whole(decisive, memory + "miss_slots", slots);
    }
    const auto index = static_cast<std::size_t>(std::min(slots, most_gather));
    set_reads(slots, l2[index], dram[index]);
  }

  void set_reads(int slots, const Lines& l2, const Lines& dram) {
    const std::string loop = "gather-" + std::to_string(std::clamp(slots, 2, most_gather));
    if (!l2.known) {
      f_.keep("gather-2 l2", memory + "l2_read_cycles", "one miss slot: lines never meet");
      f_.keep("gather-2 dram", memory + "dram_read_cycles", "one miss slot: lines never meet");
      if (write_line_ == 0)
        f_.keep("dirty-2 dram", memory + "dram_write_cycles", "one miss slot: lines never meet");
      return;
    }
    f_.set_number(loop + " l2", memory + "l2_read_cycles", l2.cycles);
    // From DRAM a line comes through L2, so the slower of the two shows.
    const bool seen = dram.cycles > 1.04 * l2.cycles;
    const auto both = dirty_line(slots);  // a line read and a line written
    if (seen)
      f_.set_number(loop + " dram", memory + "dram_read_cycles", dram.cycles);
    else if (write_line_ > 0 && both > 1.04 * l2.cycles)
      f_.set_number("dirty-2 dram", memory + "dram_read_cycles", both - write_line_);
    else
      f_.keep(loop + " dram", memory + "dram_read_cycles", "L2 takes longer for a line than DRAM");
    if (write_line_ > 0) return;
    if (seen && both > 1.04 * dram.cycles)
      f_.set_number("dirty-2 dram", memory + "dram_write_cycles", both - dram.cycles);
    else
      f_.keep("dirty-2 dram", memory + "dram_write_cycles", "reading lines hides writing them");
  }

  double dirty_line(int slots) const {
    std::vector<int> counts;
    std::vector<double> times;
    for (const int count : dirty_gathers) {
      const double* cycles = f_.measured(fmt::format("dirty-{} dram", count));
      if (!cycles) return 0;
      counts.push_back(count);
      times.push_back(*cycles - walk(false, 4));
    }
    const Lines lines = best_line(slots, false, counts, times);
    return lines.known ? lines.cycles : 0;
  }

  void fit_streaming() {
    const auto run = f_.family("write-run-", 1, most_run),
               near = f_.family("write-run-", 1, most_run, " near");
    if (run.empty() || near.empty() || l2_latency_ == 0) return;
    std::size_t first = 0;  // the first line that went past L1
    while (first < run.size() && run[first] - near[first] < 0.5 * (l2_latency_ - hit_)) ++first;
    const std::string loop = "write-run-" + std::to_string(std::min<std::size_t>(first + 1, 16));
    streams_ = first < run.size();
    f_.set(loop, memory + "combine_lines", first == 0, false);
    if (first == 0)
      f_.keep(loop, memory + "streaming_after", "every whole line goes past L1");
    else
      f_.set_whole(loop, memory + "streaming_after", streams_ ? static_cast<double>(first) : 0, 0);
  }

  // Lines that go past L1 are the only ones whose writing anything waits for.
  void fit_write_lines() {
    const std::string l2_key = memory + "l2_write_cycles", dram_key = memory + "dram_write_cycles";
    if (!streams_) {
      f_.keep("write-line l2 vector", l2_key, "no line goes past L1: nothing waits for it");
      return;
    }
    const double *scalar = f_.measured("write-line l1 scalar"),
                 *vector = f_.measured("write-line l1 vector");
    if (!scalar || !vector) return;
    // With the instructions that take less time themselves.
    const std::string how = *vector < *scalar ? " vector" : " scalar";
    const double l1 = std::min(*scalar, *vector);
    const double *l2 = f_.measured("write-line l2" + how),
                 *dram = f_.measured("write-line dram" + how);
    if (!l2 || !dram) return;
    // With one place in the store queue a line is collected only when the one before has gone;
    // with more the slower of the two shows.
    const bool alone = store_queue_ == 1;
    if (alone || *l2 > 1.03 * l1)
      f_.set_number("write-line l2" + how, l2_key, alone ? *l2 - l1 : *l2);
    else
      f_.keep("write-line l2" + how, l2_key, "the stores themselves take as long");
    if (*dram > 1.03 * *l2) {
      write_line_ = alone ? *dram - l1 : *dram;
      f_.set_number("write-line dram" + how, dram_key, write_line_);
    }
  }

  void fit_store_queue() {
    const auto burst = f_.family("store-burst-", 1, most_stores);
    if (burst.empty() || dram_latency_ == 0) return;
    for (std::size_t i = 1; i < burst.size(); ++i)
      if (burst[i] - burst[i - 1] > 0.4 * dram_latency_) {
        store_queue_ = static_cast<int>(i);
        f_.set_whole("store-burst-" + std::to_string(i + 1), memory + "store_queue",
                     static_cast<double>(i));
        return;
      }
    f_.set_whole("store-burst-" + std::to_string(most_stores), memory + "store_queue",
                 std::max(most_stores, f_.before.memory.store_queue));
  }

  Fitting& f_;
  double near_pages_ = 0, far_pages_ = 0;
  double hit_ = 1, loads_cycle_ = 1;
  double entries_ = std::numeric_limits<double>::infinity(), walk_ = 0;
  double l2_latency_ = 0, dram_latency_ = 0;
  bool streams_ = false;
  int store_queue_ = 0;    // places, where they were found
  double write_line_ = 0;  // of DRAM, from streaming stores
};

}  // namespace

void fit_memory(Fitting& f) { MemoryFitter(f).run(); }

}  // namespace quern::timing
