// Builds traces node by node, the way a kernel would be recorded: name the buffers an operation
// writes and reads, and the ALLOC, FREE and dependency edges follow. For tests and for measuring
// how planning scales.
//
//   TraceBuilder t("tiny");
//   int a = t.buffer("L1", 128);
//   t.op("COPY_IN", "MTE2", 325, {a}, {});
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "planner/model/command_graph.h"

namespace quern::planner {

class TraceBuilder {
 public:
  explicit TraceBuilder(std::string name) { trace_.name = trace_.file = std::move(name); }

  int buffer(const std::string& tier, std::int64_t size);
  // Adds an operation after the last writer of everything it names. Returns its node id.
  int op(const std::string& op, const std::string& pipe, std::int64_t cycles,
         std::vector<int> writes, std::vector<int> reads);
  // Adds the FREE nodes and hands the trace over.
  Trace finish();

 private:
  struct BufferState {
    std::string tier;
    std::int64_t size = 0;
    int alloc = -1;
    int writer = -1;
    std::vector<int> readers;  // since the last write
  };
  int new_node(const std::string& op);

  Trace trace_;
  std::vector<BufferState> buffers_;
};

// C(m x n) = A(m x k) B(k x n), one 128-unit tile of A and B each per step of k; sizes, pipes and
// cycles as in the published Matmul traces. matmul_trace(8, 8, 8) is as large as Matmul_Case0, (16,
// 16, 16) as Case1.
Trace matmul_trace(int m, int n, int k);

// Attention with `queries` x `keys` blocks for each of `heads` heads: scores, running maximum and
// sum, weighted values, as in the published FlashAttention traces.
Trace attention_trace(int queries, int keys, int heads);

// A chain of convolution layers with residual additions; each layer splits its channels into tiles
// that all read all tiles of the layer before and stream their weights through L1.
Trace convolution_trace(int layers, int tiles, int tile_size);

// C(m x n) = A(m x k) B(k x n) in 8 KiB tiles on the Snitch cluster: the DMA engine fills the TCDM,
// the tiles of C go to the cores in turn.
Trace cluster_trace(int m, int n, int k);

// The same on the accelerator: weights wait in T1 and come to T0 by DMA, activations stream in,
// GEMM makes raw sums that the RISC-V core adds up and scales.
Trace accelerator_trace(int m, int n, int k);

// A graph of no kernel: tiles that are loaded, multiplied, joined and reduced at random, old ones
// as well as new ones, of mixed sizes. The same seed gives the same graph.
Trace odd_trace(int seed, int operations);

}  // namespace quern::planner
