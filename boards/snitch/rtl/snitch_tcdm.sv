// The tightly coupled data memory: 32 banks of 64 bits behind a one-cycle interconnect. Each bank serves one
// access a cycle; requesters to the same bank are chosen by a round-robin tree.
//
//   bank = address[7:3], row = address[16:8]; the answer comes in the cycle after the grant.
module snitch_tcdm
  import snitch_pkg::*;
#(
    parameter int unsigned PORTS = 5,      // leaves of the arbitration trees that are connected
    parameter int unsigned BANKS = 32,
    parameter int unsigned AMO_CYCLES = 2  // a bank that does an atomic is busy for so long afterwards
) (
    input  logic             clk_i,
    input  logic             rst_i,
    input  logic [PORTS-1:0] req_valid_i,
    input  mem_req_t         req_i[PORTS],
    output logic [PORTS-1:0] req_ready_o,
    output logic [PORTS-1:0] rsp_valid_o,
    output logic [63:0]      rsp_data_o[PORTS],
    // The DMA's wide port: a whole superbank of eight banks, before everybody else.
    input  logic             wide_valid_i,
    input  logic             wide_write_i,
    input  logic [16:0]      wide_addr_i,
    input  logic [63:0]      wide_data_i[8],
    input  logic [63:0]      wide_strb_i,
    output logic [63:0]      wide_data_o[8],
    // Counters
    output logic [5:0]       accesses_o,
    output logic [5:0]       conflicts_o
);
  localparam int unsigned Words = 16384;
  localparam int unsigned Levels = $clog2(PORTS);
  localparam int unsigned Leaves = 1 << Levels;
  typedef logic [Levels-1:0] port_t;

  logic [63:0] mem_q[Words]  /* verilator public_flat_rw */;
  port_t pointer_q[BANKS];
  logic [1:0] amo_busy_q[BANKS];
  logic amo_any_q;

  // Which leaf wins a tree whose requests are `req`.
  function automatic port_t tree_pick(input logic [Leaves-1:0] req, input port_t pointer);
    // Walks down from the root: `low` is the first leaf of the node, `span` its width.
    int unsigned low, span;
    logic left, right;
    low = 0;
    span = Leaves;
    tree_pick = '0;
    for (int l = Levels - 1; l >= 0; l--) begin
      span = span / 2;
      left = 1'b0;
      right = 1'b0;
      for (int unsigned k = 0; k < Leaves; k++) begin
        if (req[k] && k >= low && k < low + span) left = 1'b1;
        if (req[k] && k >= low + span && k < low + 2 * span) right = 1'b1;
      end
      if (right && (!left || pointer[l])) begin
        tree_pick[l] = 1'b1;
        low = low + span;
      end
    end
  endfunction

  logic [4:0] bank[PORTS];
  logic [13:0] word[PORTS];
  always_comb
    for (int p = 0; p < PORTS; p++) begin
      bank[p] = req_i[p].addr[7:3];
      word[p] = req_i[p].addr[16:3];
    end

  port_t next[PORTS];
  always_comb begin
    accesses_o = '0;
    conflicts_o = '0;
    for (int p = 0; p < PORTS; p++) begin
      automatic logic [Leaves-1:0] rivals = '0;
      automatic logic alone = 1'b1;
      req_ready_o[p] = 1'b0;
      next[p] = port_t'(p);
      if (req_valid_i[p]) begin
        for (int q = 0; q < PORTS; q++)
          if (req_valid_i[q] && bank[q] == bank[p]) begin
            rivals[q] = 1'b1;
            if (q != p) alone = 1'b0;
          end
        req_ready_o[p] = alone || tree_pick(rivals, pointer_q[bank[p]]) == port_t'(p);
        if (amo_any_q && amo_busy_q[bank[p]] != '0) req_ready_o[p] = 1'b0;
        if (wide_valid_i && wide_addr_i[7:6] == bank[p][4:3]) req_ready_o[p] = 1'b0;
        if (!alone) begin
          next[p] = pointer_q[bank[p]];
          for (int k = PORTS - 1; k >= 0; k--)
            if (rivals[k] && port_t'(k) <= pointer_q[bank[p]]) next[p] = port_t'(k);
          for (int k = PORTS - 1; k >= 0; k--)
            if (rivals[k] && port_t'(k) > pointer_q[bank[p]]) next[p] = port_t'(k);
        end
        if (req_ready_o[p]) accesses_o = accesses_o + 1'b1;
        else conflicts_o = conflicts_o + 1'b1;
      end
    end
  end

  // Atomics work on the 32-bit word that the strobes select. Reservations: one a port.
  logic [PORTS-1:0] reserved_q;
  logic [13:0] reserved_word_q[PORTS];

  function automatic logic [31:0] amo_result(input amo_e amo, input logic [31:0] old,
                                             input logic [31:0] operand);
    unique case (amo)
      AmoAdd:  return old + operand;
      AmoAnd:  return old & operand;
      AmoOr:   return old | operand;
      AmoXor:  return old ^ operand;
      AmoMax:  return $signed(old) > $signed(operand) ? old : operand;
      AmoMin:  return $signed(old) < $signed(operand) ? old : operand;
      AmoMaxu: return old > operand ? old : operand;
      AmoMinu: return old < operand ? old : operand;
      AmoLr:   return old;
      default: return operand;
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rsp_valid_o <= '0;
      reserved_q <= '0;
      amo_any_q <= 1'b0;
      for (int b = 0; b < BANKS; b++) begin
        pointer_q[b] <= '0;
        amo_busy_q[b] <= '0;
      end
    end else begin
      rsp_valid_o <= req_valid_i & req_ready_o;
      if (amo_any_q) begin
        amo_any_q <= 1'b0;
        for (int b = 0; b < BANKS; b++)
          if (amo_busy_q[b] != '0) begin
            amo_busy_q[b] <= amo_busy_q[b] - 1'b1;
            amo_any_q <= 1'b1;
          end
      end
      for (int p = 0; p < PORTS; p++) begin
        if (req_valid_i[p] && req_ready_o[p]) begin
          automatic logic [63:0] old = mem_q[word[p]];
          automatic logic [63:0] data = req_i[p].data;
          automatic logic write = req_i[p].write;
          pointer_q[bank[p]] <= next[p];
          rsp_data_o[p] <= old;
          if (req_i[p].amo != AmoNone) begin
            automatic logic [31:0] half = req_i[p].addr[2] ? old[63:32] : old[31:0];
            automatic logic [31:0] operand = req_i[p].addr[2] ? data[63:32] : data[31:0];
            automatic logic kept = reserved_q[p] && reserved_word_q[p] == word[p];
            data = {2{amo_result(req_i[p].amo, half, operand)}};
            write = req_i[p].amo != AmoLr && (req_i[p].amo != AmoSc || kept);
            if (req_i[p].amo == AmoSc) begin
              rsp_data_o[p] <= {31'b0, !kept, 31'b0, !kept};
              reserved_q[p] <= 1'b0;
            end
            if (req_i[p].amo == AmoLr) begin
              reserved_q[p] <= 1'b1;
              reserved_word_q[p] <= word[p];
            end else if (req_i[p].amo != AmoSc) begin
              amo_busy_q[bank[p]] <= 2'(AMO_CYCLES);
              amo_any_q <= 1'b1;
            end
          end
          if (write) begin
            for (int k = 0; k < 8; k++)
              if (req_i[p].strb[k]) old[8*k+:8] = data[8*k+:8];
            mem_q[word[p]] <= old;
            if (reserved_q != '0)
              for (int q = 0; q < PORTS; q++)
                if (reserved_word_q[q] == word[p]) reserved_q[q] <= 1'b0;
          end
        end
      end
      if (wide_valid_i) begin
        for (int k = 0; k < 8; k++) begin
          automatic logic [63:0] old = mem_q[{wide_addr_i[16:6], 3'(k)}];
          wide_data_o[k] <= old;
          for (int n = 0; n < 8; n++)
            if (wide_strb_i[8*k+n]) old[8*n+:8] = wide_data_i[k][8*n+:8];
          if (wide_write_i) mem_q[{wide_addr_i[16:6], 3'(k)}] <= old;
        end
      end
    end
  end
endmodule
