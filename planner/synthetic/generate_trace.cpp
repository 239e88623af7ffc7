// planner_generate_trace KIND A B C: prints a synthetic trace as JSON, for experiments by hand.
#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "planner/synthetic/trace_builder.h"

int main(int argc, char** argv) {
  using namespace quern::planner;
  if (argc != 5) {
    fmt::print(stderr,
               "usage: planner_generate_trace matmul M N K | attention QUERIES KEYS HEADS | "
               "convolution LAYERS TILES TILE_SIZE | odd SEED OPERATIONS 0 | "
               "cluster M N K | accelerator M N K\n");
    return 2;
  }
  const int a = std::atoi(argv[2]), b = std::atoi(argv[3]), c = std::atoi(argv[4]);
  const std::string kind = argv[1];
  const Trace trace = kind == "matmul"        ? matmul_trace(a, b, c)
                      : kind == "attention"   ? attention_trace(a, b, c)
                      : kind == "odd"         ? odd_trace(a, b)
                      : kind == "cluster"     ? cluster_trace(a, b, c)
                      : kind == "accelerator" ? accelerator_trace(a, b, c)
                                              : convolution_trace(a, b, c);
  fmt::print("{{\"Nodes\": [\n");
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const TraceNode& node = trace.nodes[i];
    fmt::print("{}{{\"Id\": {}, \"Op\": \"{}\"", i == 0 ? "" : ",\n", node.id, node.op);
    if (node.has_buffers) {
      fmt::print(", \"Pipe\": \"{}\", \"Cycles\": {}, \"Bufs\": [", node.pipe, node.cycles);
      for (std::size_t b_i = 0; b_i < node.buffers.size(); ++b_i) {
        fmt::print("{}{}", b_i == 0 ? "" : ", ", node.buffers[b_i]);
      }
      fmt::print("]}}");
    } else {
      fmt::print(", \"BufId\": {}, \"Size\": {}, \"Type\": \"{}\"}}", node.buffer, node.size,
                 node.type);
    }
  }
  fmt::print("],\n\"Edges\": [");
  for (std::size_t i = 0; i < trace.edges.size(); ++i) {
    fmt::print("{}[{}, {}]", i == 0 ? "" : ", ", trace.edges[i].first, trace.edges[i].second);
  }
  fmt::print("]}}\n");
  return 0;
}
