// The shared L1 instruction cache: two ways of 64 sets. It keeps tags and time; the words of a line come from
// the memory behind when the line goes to an L0.
module snitch_icache_l1 #(
    parameter int unsigned CORES = 1,
    parameter int unsigned SETS = 64,
    parameter int unsigned WAYS = 2,
    parameter int unsigned MISS_CYCLES = 8  // more than a hit takes
) (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic        flush_i,
    input  logic [CORES-1:0] req_valid_i,
    input  logic [25:0] req_line_i[CORES],
    output logic [CORES-1:0] req_ready_o,
    output logic [CORES-1:0] rsp_valid_o,
    output logic [31:0] rsp_data_o[16]
);
  import "DPI-C" function longint quern_snitch_fetch(input int addr);

  localparam int unsigned SetWidth = $clog2(SETS);
  localparam int unsigned WayWidth = WAYS > 1 ? $clog2(WAYS) : 1;
  localparam int unsigned CoreWidth = CORES > 1 ? $clog2(CORES) : 1;
  typedef logic [CoreWidth-1:0] core_t;
  typedef logic [WayWidth-1:0] way_t;

  logic [25:0] tag_q[SETS][WAYS];
  logic [WAYS-1:0] valid_q[SETS];
  way_t victim_q;  // one counter for all sets, a step a refill

  // One lookup at a time; a miss occupies the refill for a fixed time.
  logic busy_q;
  core_t core_q, pointer_q, pick;
  logic [25:0] line_q;
  logic [4:0] wait_q;
  logic looked_q;

  always_comb begin
    pick = pointer_q;
    for (int k = CORES - 1; k >= 0; k--) if (req_valid_i[k] && core_t'(k) < pointer_q) pick = core_t'(k);
    for (int k = CORES - 1; k >= 0; k--) if (req_valid_i[k] && core_t'(k) >= pointer_q) pick = core_t'(k);
    req_ready_o = '0;
    if (!busy_q || respond) req_ready_o[pick] = req_valid_i[pick];
  end

  logic [SetWidth-1:0] set;
  logic hit, respond;
  assign set = line_q[SetWidth-1:0];
  always_comb begin
    hit = 1'b0;
    for (int w = 0; w < WAYS; w++) if (valid_q[set][w] && tag_q[set][w] == line_q) hit = 1'b1;
    respond = busy_q && (looked_q ? wait_q == '0 : hit);
    rsp_valid_o = '0;
    rsp_valid_o[core_q] = respond;
    for (int k = 0; k < 8; k++)
      {rsp_data_o[2*k+1], rsp_data_o[2*k]} =
          respond ? quern_snitch_fetch({line_q, 3'(k), 3'b0}) : 64'b0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= 1'b0;
      pointer_q <= '0;
      looked_q <= 1'b0;
      victim_q <= '0;
      for (int s = 0; s < SETS; s++) valid_q[s] <= '0;
    end else begin
      if (respond) busy_q <= 1'b0;
      if ((!busy_q || respond) && req_valid_i != '0) begin
        busy_q <= 1'b1;
        core_q <= pick;
        pointer_q <= pick == core_t'(CORES - 1) ? '0 : pick + 1'b1;
        line_q <= req_line_i[pick];
        looked_q <= 1'b0;
      end else if (busy_q && !looked_q && !hit) begin
        looked_q <= 1'b1;
        wait_q <= 5'(MISS_CYCLES - 1);
        tag_q[set][victim_q] <= line_q;
        valid_q[set][victim_q] <= 1'b1;
        victim_q <= victim_q == way_t'(WAYS - 1) ? '0 : victim_q + 1'b1;
      end else if (looked_q && wait_q != '0) begin
        wait_q <= wait_q - 1'b1;
      end
      if (flush_i) for (int s = 0; s < SETS; s++) valid_q[s] <= '0;
    end
  end
endmodule
