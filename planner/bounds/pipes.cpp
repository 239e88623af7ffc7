#include "planner/bounds/pipes.h"

#include <algorithm>
#include <queue>

#include "planner/bounds/closure.h"

namespace quern::planner {
namespace {

struct Job {
  std::int64_t head = 0, work = 0, tail = 0;
};

// When Jackson's preemptive schedule ends, tails included.
std::int64_t preemptive_end(std::vector<Job> jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.head < b.head; });
  const auto shorter_tail = [](const Job& a, const Job& b) { return a.tail < b.tail; };
  std::priority_queue<Job, std::vector<Job>, decltype(shorter_tail)> ready(shorter_tail);
  std::int64_t now = 0, end = 0;
  for (std::size_t i = 0; i < jobs.size() || !ready.empty();) {
    if (ready.empty()) now = std::max(now, jobs[i].head);
    for (; i < jobs.size() && jobs[i].head <= now; ++i) ready.push(jobs[i]);
    Job job = ready.top();
    ready.pop();
    const std::int64_t until =
        i < jobs.size() ? std::min(now + job.work, jobs[i].head) : now + job.work;
    job.work -= until - now;
    now = until;
    if (job.work > 0)
      ready.push(job);
    else
      end = std::max(end, now + job.tail);
  }
  return end;
}

}  // namespace

PipeBounds pipe_bounds(const Problem& problem, const UnavoidableTransfers& transfers) {
  const std::vector<int> order = topological_order(problem);
  std::vector<Job> job(problem.operations());
  PipeBounds bounds;
  for (int operation : order) {
    job[operation].work = problem.cycles[operation];
    for (int before : problem.predecessors[operation]) {
      job[operation].head = std::max(job[operation].head, job[before].head + job[before].work);
    }
    bounds.critical_path =
        std::max(bounds.critical_path, job[operation].head + job[operation].work);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    for (int next : problem.successors[order[i]]) {
      job[order[i]].tail = std::max(job[order[i]].tail, job[next].work + job[next].tail);
    }
  }
  std::vector<std::vector<Job>> jobs(problem.machine->pipes.size());
  for (int operation : order) jobs[problem.pipe[operation]].push_back(job[operation]);
  jobs[problem.machine->transfer.in_pipe].push_back({0, transfers.in_cycles, 0});
  jobs[problem.machine->transfer.out_pipe].push_back({0, transfers.out_cycles, 0});
  for (std::size_t pipe = 0; pipe < jobs.size(); ++pipe) {
    std::int64_t work = 0;
    for (const Job& each : jobs[pipe]) work += each.work;
    const std::int64_t scheduled = preemptive_end(jobs[pipe]);
    if (work > bounds.busiest_pipe) {
      bounds.busiest_pipe = work;
      bounds.busiest_name = problem.machine->pipes[pipe];
    }
    if (scheduled > bounds.scheduled) {
      bounds.scheduled = scheduled;
      bounds.scheduled_name = problem.machine->pipes[pipe];
    }
  }
  return bounds;
}

}  // namespace quern::planner
