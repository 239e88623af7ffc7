#include "planner/synthetic/trace_builder.h"

#include <algorithm>

namespace quern::planner {

int TraceBuilder::new_node(const std::string& op) {
  TraceNode node;
  node.id = static_cast<std::int64_t>(trace_.nodes.size());
  node.op = op;
  trace_.nodes.push_back(node);
  return static_cast<int>(node.id);
}

int TraceBuilder::buffer(const std::string& tier, std::int64_t size) {
  const int id = static_cast<int>(buffers_.size());
  const int node = new_node("ALLOC");
  trace_.nodes[node].buffer = id;
  trace_.nodes[node].size = size;
  trace_.nodes[node].type = tier;
  buffers_.push_back({tier, size, node, -1, {}});
  return id;
}

int TraceBuilder::op(const std::string& op, const std::string& pipe, std::int64_t cycles,
                     std::vector<int> writes, std::vector<int> reads) {
  const int node = new_node(op);
  TraceNode& facts = trace_.nodes[node];
  facts.pipe = pipe;
  facts.cycles = cycles;
  facts.has_buffers = true;
  std::vector<int> before;
  for (int id : reads) {
    BufferState& buffer = buffers_[id];
    before.push_back(buffer.writer >= 0 ? buffer.writer : buffer.alloc);
    buffer.readers.push_back(node);
    facts.buffers.push_back(id);
  }
  for (int id : writes) {
    BufferState& buffer = buffers_[id];
    before.push_back(buffer.writer >= 0 ? buffer.writer : buffer.alloc);
    before.insert(before.end(), buffer.readers.begin(), buffer.readers.end());
    buffer.writer = node;
    buffer.readers.clear();
    if (std::find(facts.buffers.begin(), facts.buffers.end(), id) == facts.buffers.end()) {
      facts.buffers.push_back(id);
    }
  }
  std::sort(before.begin(), before.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  for (int other : before) {
    if (other != node) trace_.edges.emplace_back(other, node);
  }
  return node;
}

Trace TraceBuilder::finish() {
  for (std::size_t id = 0; id < buffers_.size(); ++id) {
    const BufferState& buffer = buffers_[id];
    const int node = new_node("FREE");
    trace_.nodes[node].buffer = static_cast<std::int64_t>(id);
    trace_.nodes[node].size = buffer.size;
    trace_.nodes[node].type = buffer.tier;
    trace_.edges.emplace_back(buffer.alloc, node);
    if (buffer.writer >= 0) trace_.edges.emplace_back(buffer.writer, node);
    for (int reader : buffer.readers) {
      if (reader != buffer.writer) trace_.edges.emplace_back(reader, node);
    }
  }
  return std::move(trace_);
}

Trace matmul_trace(int m, int n, int k) {
  TraceBuilder t("matmul_" + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
  std::vector<int> a(m * k, -1), b(k * n, -1);
  const auto tile = [&](std::vector<int>& tiles, int index) {
    if (tiles[index] < 0) {
      tiles[index] = t.buffer("L1", 128);
      t.op("COPY_IN", "MTE2", 325, {tiles[index]}, {});
    }
    return tiles[index];
  };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const int c = t.buffer("L0C", 256);
      for (int step = 0; step < k; ++step) {
        const int from_a = tile(a, i * k + step), from_b = tile(b, step * n + j);
        const int l0a = t.buffer("L0A", 128), l0b = t.buffer("L0B", 128);
        t.op("MOVE", "MTE1", 31, {l0a}, {from_a});
        t.op("MOVE", "MTE1", 31, {l0b}, {from_b});
        t.op("MATMUL", "CUBE", 128, {c}, {l0b, l0a});
      }
      t.op("COPY_OUT", "FIXP", 263, {}, {c});
    }
  }
  return t.finish();
}

namespace {

// One head of attention: its operand tiles and its vector helpers.
class AttentionHead {
 public:
  AttentionHead(TraceBuilder& t, int queries, int keys) : t_(t), queries_(queries), keys_(keys) {
    q_.assign(queries * 2, -1);
    k_.assign(keys * 2, -1);
    v_.assign(keys * 2, -1);
  }

  void run() {
    std::vector<Row> rows(queries_);
    for (int key = 0; key < keys_; ++key) {
      for (int query = 0; query < queries_; ++query) step(rows[query], query, key);
    }
    for (Row& row : rows) finish(row);
  }

 private:
  struct Row {
    int maximum = -1, sum = -1;
    int out[2] = {-1, -1};
  };

  int load(std::vector<int>& tiles, int index) {
    if (tiles[index] < 0) {
      tiles[index] = t_.buffer("L1", 256);
      t_.op("COPY_IN", "MTE2", 581, {tiles[index]}, {});
    }
    return tiles[index];
  }
  void multiply(int c, int left, int right) {
    const int l0a = t_.buffer("L0A", 128), l0b = t_.buffer("L0B", 128);
    t_.op("MOVE", "MTE1", 31, {l0a}, {left});
    t_.op("MOVE", "MTE1", 54, {l0b}, {right});
    t_.op("MATMUL", "CUBE", 128, {c}, {l0b, l0a});
  }
  int to_vector(int c) {
    const int out = t_.buffer("UB", 128);
    t_.op("COPY", "FIXP", 41, {out}, {c});
    return out;
  }
  int vector(const char* op, std::int64_t cycles, std::int64_t size, std::vector<int> inputs) {
    const int out = t_.buffer("UB", size);
    t_.op(op, "VECTOR", cycles, {out}, std::move(inputs));
    return out;
  }
  int compact(int wide) {
    const int out = t_.buffer("UB", 2), work = t_.buffer("UB", 16);
    t_.op("COMPACT", "VECTOR", 113, {out, work}, {wide});
    return out;
  }

  void step(Row& row, int query, int key) {
    const int c = t_.buffer("L0C", 256);
    for (int half = 0; half < 2; ++half) {
      multiply(c, load(q_, query * 2 + half), load(k_, key * 2 + half));
    }
    const int scores = to_vector(c);
    const int wide_maximum = vector("ROWMAX", 310, 128, {scores});
    const int maximum = compact(wide_maximum);
    const int shifted = vector("SUB", 151, 128, {scores, wide_maximum});
    const int weights = vector("EXP", 218, 128, {shifted});
    const int sum = compact(vector("ROWSUM", 342, 128, {weights}));
    const int stored = t_.buffer("L1", 256);
    t_.op("COPY", "MTE3", 271, {stored}, {weights});
    int out[2];
    for (int half = 0; half < 2; ++half) {
      const int part = t_.buffer("L0C", 256);
      multiply(part, stored, load(v_, key * 2 + half));
      out[half] = to_vector(part);
    }
    if (row.maximum < 0) {
      row = {maximum, sum, {out[0], out[1]}};
      return;
    }
    const int joint = vector("MAX", 23, 2, {row.maximum, maximum});
    const int old_scale = vector("EXP", 31, 2, {vector("SUB", 24, 2, {row.maximum, joint})});
    const int new_scale = vector("EXP", 31, 2, {vector("SUB", 24, 2, {maximum, joint})});
    const int new_sum = vector("MUL", 25, 2, {new_scale, sum});
    const int old_sum = vector("MUL", 25, 2, {old_scale, row.sum});
    Row next{joint, vector("ADD", 24, 2, {old_sum, new_sum}), {}};
    for (int half = 0; half < 2; ++half) {
      const int scaled = vector("MUL", 38, 128, {out[half], new_scale});
      const int old = vector("MUL", 38, 128, {row.out[half], old_scale});
      next.out[half] = vector("ADD", 37, 128, {old, scaled});
    }
    row = next;
  }

  void finish(Row& row) {
    const int inverse = vector("REC", 37, 2, {row.sum});
    for (int half = 0; half < 2; ++half) {
      const int result = vector("MUL", 38, 128, {row.out[half], inverse});
      t_.op("COPY_OUT", "MTE3", 191, {}, {result});
    }
  }

  TraceBuilder& t_;
  int queries_, keys_;
  std::vector<int> q_, k_, v_;
};

}  // namespace

Trace attention_trace(int queries, int keys, int heads) {
  TraceBuilder t("attention_" + std::to_string(queries) + "x" + std::to_string(keys) + "x" +
                 std::to_string(heads));
  for (int head = 0; head < heads; ++head) AttentionHead(t, queries, keys).run();
  return t.finish();
}

Trace convolution_trace(int layers, int tiles, int tile_size) {
  TraceBuilder t("convolution_" + std::to_string(layers) + "x" + std::to_string(tiles) + "x" +
                 std::to_string(tile_size));
  std::vector<int> inputs(tiles), shortcut;
  for (int& input : inputs) {
    input = t.buffer("L1", tile_size);
    t.op("COPY_IN", "MTE2", 69 + 2 * tile_size, {input}, {});
  }
  for (int layer = 0; layer < layers; ++layer) {
    if (layer % 2 == 0) shortcut = inputs;
    std::vector<int> outputs;
    for (int out = 0; out < tiles; ++out) {
      const int partial = t.buffer("L1", 2 * tile_size), result = t.buffer("L1", tile_size);
      for (int in = 0; in < tiles; ++in) {
        const int weights = t.buffer("L1", 144), feed = t.buffer("L0B", 72);
        t.op("COPY_IN", "MTE2", 357, {weights}, {});
        t.op("MOVE", "MTE1", 63, {feed}, {weights});
        const bool last = in + 1 == tiles;
        std::vector<int> reads{feed, inputs[in]};
        if (last && layer % 2 == 1) reads.push_back(shortcut[out]);
        if (in > 0) reads.push_back(partial);
        t.op(reads.size() > 3 && last ? "CONV_ADD" : "CONV", "CUBE", 5 * tile_size,
             {last ? result : partial}, reads);
      }
      outputs.push_back(result);
    }
    inputs = outputs;
  }
  for (int input : inputs) t.op("COPY_OUT", "MTE3", 69 + 2 * tile_size, {}, {input});
  return t.finish();
}

namespace {

std::string shape_name(const char* kind, int m, int n, int k) {
  return std::string(kind) + "_" + std::to_string(m) + "x" + std::to_string(n) + "x" +
         std::to_string(k);
}

}  // namespace

Trace cluster_trace(int m, int n, int k) {
  TraceBuilder t(shape_name("cluster", m, n, k));
  constexpr int tile = 8192, move = 28 + tile / 64;
  std::vector<int> a(m * k, -1), b(k * n, -1);
  const auto loaded = [&](int& buffer) {
    if (buffer < 0) {
      buffer = t.buffer("TCDM", tile);
      t.op("DMA_IN", "DMA", move, {buffer}, {});
    }
    return buffer;
  };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const int c = t.buffer("TCDM", tile);
      const std::string core = "CORE" + std::to_string((i * n + j) % 8);
      for (int step = 0; step < k; ++step) {
        t.op("MATMUL", core, 32'829, {c}, {loaded(a[i * k + step]), loaded(b[step * n + j])});
      }
      t.op("DMA_OUT", "DMA", move, {}, {c});
    }
  }
  return t.finish();
}

Trace accelerator_trace(int m, int n, int k) {
  TraceBuilder t(shape_name("accelerator", m, n, k));
  constexpr int operand = 256, sums = 1024;
  std::vector<int> x(m * k), home(k * n), weights(k * n, -1);
  for (int& buffer : home) {
    buffer = t.buffer("T1", operand);
    t.op("DMA_IN", "DMA1", 16, {buffer}, {});
  }
  for (int& buffer : x) {
    buffer = t.buffer("T0", operand);
    t.op("LOAD", "LOAD", 16, {buffer}, {});
  }
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const int total = t.buffer("T0", sums);
      for (int step = 0; step < k; ++step) {
        int& w = weights[step * n + j];
        if (w < 0) {
          w = t.buffer("T0", operand);
          t.op("DMA_IN", "DMA0", 16, {w}, {home[step * n + j]});
        }
        const int part = t.buffer("T0", sums);
        t.op("GEMM", "GEMM", 67, {part}, {x[i * k + step], w});
        t.op("ADD", "RISCV", 1024, {total}, {part});
      }
      t.op("STORE", "STORE", 28, {}, {total});
    }
  }
  return t.finish();
}

Trace odd_trace(int seed, int operations) {
  TraceBuilder t("odd_" + std::to_string(seed) + "x" + std::to_string(operations));
  std::uint64_t state = static_cast<std::uint64_t>(seed) * 2'654'435'761U + 12345;
  const auto below = [&](std::size_t n) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<int>((state >> 33) % n);
  };
  constexpr int tile_sizes[] = {48, 128, 192, 256, 640}, vector_sizes[] = {2, 32, 128, 200};
  std::vector<int> tiles, vectors;
  // Three times out of four one of the latest few, so that some stay live long.
  const auto pick = [&](const std::vector<int>& from) {
    const std::size_t late = std::min<std::size_t>(6, from.size());
    return below(4) > 0 ? from[from.size() - 1 - below(late)] : from[below(from.size())];
  };
  for (int done = 0; done < operations;) {
    const int kind = below(10);
    if (tiles.size() < 3 || kind < 2) {
      const int size = tile_sizes[below(5)];
      tiles.push_back(t.buffer("L1", size));
      t.op("COPY_IN", "MTE2", 69 + 2 * size, {tiles.back()}, {});
      done += 1;
    } else if (kind < 6 || vectors.size() < 3) {
      const int c = t.buffer("L0C", 128 + 128 * below(2));
      for (int steps = 1 + below(4); steps > 0; --steps, done += 3) {
        const int l0a = t.buffer("L0A", 128), l0b = t.buffer("L0B", 128);
        t.op("MOVE", "MTE1", 31, {l0a}, {pick(tiles)});
        t.op("MOVE", "MTE1", 31, {l0b}, {pick(tiles)});
        t.op("MATMUL", "CUBE", 128, {c}, {l0b, l0a});
      }
      vectors.push_back(t.buffer("UB", vector_sizes[below(4)]));
      t.op("COPY", "FIXP", 41 + below(200), {vectors.back()}, {c});
      done += 1;
    } else if (kind < 9) {
      std::vector<int> inputs{pick(vectors)};
      if (const int other = pick(vectors); below(2) == 0 && other != inputs[0]) {
        inputs.push_back(other);
      }
      vectors.push_back(t.buffer("UB", vector_sizes[below(4)]));
      t.op("ADD", "VECTOR", 20 + below(300), {vectors.back()}, inputs);
      done += 1;
    } else {
      if (below(2) == 0) {
        const int stored = t.buffer("L1", tile_sizes[below(4)]);
        t.op("COPY", "MTE3", 271, {stored}, {pick(vectors)});
        tiles.push_back(stored);
      } else {
        t.op("COPY_OUT", "MTE3", 191, {}, {pick(vectors)});
      }
      done += 1;
    }
  }
  return t.finish();
}

}  // namespace quern::planner
