// The L0 instruction buffer of one core: eight lines of 64 bytes, fully associative, a hit in the cycle of
// the fetch. The line after the current one, or the line that a backward branch or a jump in it leads to, is
// fetched ahead. One refill is outstanding at a time.
module snitch_icache_l0 #(
    parameter int unsigned LINES = 8
) (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic        flush_i,
    input  logic        fetch_valid_i,
    input  logic [31:0] fetch_addr_i,
    output logic        fetch_ready_o,
    output logic [31:0] fetch_data_o,
    output logic        req_valid_o,
    output logic [25:0] req_line_o,
    input  logic        req_ready_i,
    input  logic        rsp_valid_i,
    input  logic [31:0] rsp_data_i[16],
    // A demand refill, a prefetch begins
    output logic        miss_o,
    output logic        prefetch_o
);
  localparam int unsigned IndexWidth = $clog2(LINES);
  typedef logic [IndexWidth-1:0] index_t;

  logic [25:0] tag_q[LINES];
  logic [LINES-1:0] valid_q, known_q;  // known: the tag is of a line that is here or on its way
  logic [31:0] data_q[LINES][16];
  logic [15:0] jumps_q[LINES];  // predicted-taken instructions of the line
  index_t evict_q, pending_index_q;
  logic pending_q, pending_flushed_q;
  logic prefetch_valid_q;
  logic [25:0] prefetch_line_q;

  logic [25:0] line;
  logic hit;
  index_t hit_index;
  assign line = fetch_addr_i[31:6];
  always_comb begin
    hit = 1'b0;
    hit_index = '0;
    for (int k = 0; k < LINES; k++)
      if (valid_q[k] && tag_q[k] == line) begin
        hit = 1'b1;
        hit_index = index_t'(k);
      end
  end
  assign fetch_ready_o = hit;
  assign fetch_data_o = data_q[hit_index][fetch_addr_i[5:2]];

  // What to fetch ahead.
  logic [25:0] target;
  logic [15:0] ahead;
  always_comb begin
    logic [31:0] insn, offset, address;
    logic [3:0] at;
    target = line + 1'b1;
    at = '0;
    insn = '0;
    offset = '0;
    address = '0;
    ahead = jumps_q[hit_index] & (16'hffff << fetch_addr_i[5:2]);
    if (ahead != '0) begin
      for (int k = 15; k >= 0; k--) if (ahead[k]) at = 4'(k);
      insn = data_q[hit_index][at];
      offset = insn[2] ? {{12{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0}
                       : {{20{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
      address = {line, at, 2'b00} + offset;
      target = address[31:6];
    end
  end
  logic target_known;
  always_comb begin
    target_known = 1'b0;
    for (int k = 0; k < LINES; k++) if (known_q[k] && tag_q[k] == target) target_known = 1'b1;
  end
  logic latch_prefetch;
  assign latch_prefetch = fetch_valid_i && hit && !target_known && !prefetch_valid_q;

  logic miss;
  assign miss = fetch_valid_i && !hit;
  assign req_valid_o = !pending_q && (miss || prefetch_valid_q);
  assign req_line_o = prefetch_valid_q ? prefetch_line_q : line;  // in the order of their need
  logic request;
  assign request = req_valid_o && req_ready_i;
  assign miss_o = request && !prefetch_valid_q;
  assign prefetch_o = request && prefetch_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      known_q <= '0;
      evict_q <= '0;
      pending_q <= 1'b0;
      pending_flushed_q <= 1'b0;
      prefetch_valid_q <= 1'b0;
      for (int k = 0; k < LINES; k++) tag_q[k] <= '0;
    end else begin
      if (latch_prefetch) begin
        prefetch_valid_q <= 1'b1;
        prefetch_line_q <= target;
      end
      if (request) begin
        pending_q <= 1'b1;
        pending_index_q <= evict_q;
        tag_q[evict_q] <= req_line_o;
        valid_q[evict_q] <= 1'b0;
        known_q[evict_q] <= 1'b1;
        evict_q <= evict_q + 1'b1;
        prefetch_valid_q <= 1'b0;
      end
      if (rsp_valid_i) begin
        pending_q <= 1'b0;
        pending_flushed_q <= 1'b0;
        valid_q[pending_index_q] <= !pending_flushed_q;
        known_q[pending_index_q] <= !pending_flushed_q;
        for (int k = 0; k < 16; k++) begin
          data_q[pending_index_q][k] <= rsp_data_i[k];
          jumps_q[pending_index_q][k] <= rsp_data_i[k][6:0] == 7'h6f ||
                                         (rsp_data_i[k][6:0] == 7'h63 && rsp_data_i[k][31]);
        end
      end
      if (flush_i) begin
        valid_q <= '0;
        known_q <= '0;
        prefetch_valid_q <= 1'b0;
        pending_flushed_q <= pending_q && !rsp_valid_i;
      end
    end
  end
endmodule
