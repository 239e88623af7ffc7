// The cluster's peripheral registers, 64 bits apart from 0x1002_1000:
//
//   +0x000  enable  of counter 0..15
//   +0x080  select  of counter 0..15: hart in [15:0], metric in [31:16]
//   +0x100  counter 0..15; a write clears it
//   +0x180  scratch 0..3
//   +0x1a0  set, +0x1a8 clear: one interrupt bit a hart
//
// Metrics, by the number in `select`. The hardware's documentation gives names; what 7..9 and 26..30 count is
// a reading of them: the three users of the register-file write port, and the L0 instruction buffer.
module snitch_peripheral
  import snitch_pkg::*;
#(
    parameter int unsigned HARTS = 1,
    parameter int unsigned COUNTERS = 16
) (
    input  logic             clk_i,
    input  logic             rst_i,
    input  logic [HARTS-1:0] valid_i,
    input  logic [HARTS-1:0] write_i,
    input  logic [31:0]      addr_i[HARTS],
    input  logic [63:0]      data_i[HARTS],
    output logic [63:0]      data_o[HARTS],
    output logic [HARTS-1:0] interrupt_o,
    // What is counted
    input  hart_events_t     events_i[HARTS],
    input  logic [5:0]       tcdm_accesses_i,
    input  logic [5:0]       tcdm_conflicts_i
);
  localparam int unsigned IndexWidth = $clog2(COUNTERS);
  localparam int unsigned HartWidth = HARTS > 1 ? $clog2(HARTS) : 1;
  typedef logic [IndexWidth-1:0] index_t;

  logic [COUNTERS-1:0] enable_q;
  logic [31:0] select_q[COUNTERS];
  logic [47:0] count_q[COUNTERS];
  logic [31:0] scratch_q[4];

  function automatic logic [5:0] amount(input logic [15:0] metric, input hart_events_t e,
                                        input logic [5:0] accesses, input logic [5:0] conflicts);
    unique case (metric)
      16'd0: return 6'd1;
      16'd1: return accesses;
      16'd2: return conflicts;
      16'd3: return {5'b0, e.issue_fpu};
      16'd4: return {5'b0, e.issue_fpss};
      16'd5: return {5'b0, e.core_to_fpss};
      16'd6: return {5'b0, e.retired};
      16'd7: return {5'b0, e.wrote_load};
      16'd8: return {5'b0, e.wrote_alu};
      16'd9: return {5'b0, e.wrote_answer};
      16'd26: return {5'b0, e.l0_miss};
      16'd27: return {5'b0, e.l0_hit};
      16'd28: return {5'b0, e.l0_prefetch};
      16'd30: return {5'b0, e.l0_stall};
      default: return '0;  // the DMA's, and double hits, which do not happen here
    endcase
  endfunction

  // Which register of a group an address names.
  logic [HARTS-1:0] is_enable, is_select, is_counter, is_scratch, is_set, is_clear;
  index_t index[HARTS];
  always_comb
    for (int h = 0; h < HARTS; h++) begin
      is_enable[h] = addr_i[h][11:7] == 5'd0;
      is_select[h] = addr_i[h][11:7] == 5'd1;
      is_counter[h] = addr_i[h][11:7] == 5'd2;
      is_scratch[h] = addr_i[h][11:5] == 7'h0c;
      is_set[h] = addr_i[h][11:3] == 9'h034;
      is_clear[h] = addr_i[h][11:3] == 9'h035;
      index[h] = addr_i[h][3+:IndexWidth];
      data_o[h] = '0;
      if (is_enable[h]) data_o[h] = {63'b0, enable_q[index[h]]};
      if (is_select[h]) data_o[h] = {32'b0, select_q[index[h]]};
      if (is_counter[h]) data_o[h] = {16'b0, count_q[index[h]]};
      if (is_scratch[h]) data_o[h] = {32'b0, scratch_q[addr_i[h][4:3]]};
    end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      enable_q <= '0;
      interrupt_o <= '0;
      for (int k = 0; k < COUNTERS; k++) begin
        select_q[k] <= '0;
        count_q[k] <= '0;
      end
      for (int k = 0; k < 4; k++) scratch_q[k] <= '0;
    end else begin
      if (enable_q != '0)
        for (int k = 0; k < COUNTERS; k++)
          if (enable_q[k] && select_q[k][15:0] < 16'(HARTS))
            count_q[k] <= count_q[k] + 48'(amount(select_q[k][31:16],
                                                  events_i[select_q[k][HartWidth-1:0]],
                                                  tcdm_accesses_i, tcdm_conflicts_i));
      for (int h = 0; h < HARTS; h++)
        if (valid_i[h] && write_i[h]) begin
          if (is_enable[h]) enable_q[index[h]] <= data_i[h][0];
          if (is_select[h]) select_q[index[h]] <= data_i[h][31:0];
          if (is_counter[h]) count_q[index[h]] <= '0;
          if (is_scratch[h]) scratch_q[addr_i[h][4:3]] <= data_i[h][31:0];
          if (is_set[h]) interrupt_o <= interrupt_o | data_i[h][HARTS-1:0];
          if (is_clear[h]) interrupt_o <= interrupt_o & ~data_i[h][HARTS-1:0];
        end
    end
  end
endmodule
