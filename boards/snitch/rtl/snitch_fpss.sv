// The FP subsystem: sequencer, FP register file with its scoreboard, FPU, FP load/store unit and the
// switch that maps f0, f1, f2 to the streams.
module snitch_fpss
  import snitch_pkg::*;
#(
    parameter int unsigned SEQUENCER_DEPTH = 64,
    parameter int unsigned SEQUENCER_LOOPS = 2
) (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic         valid_i,
    output logic         ready_o,
    input  offload_t     data_i,
    output logic         ans_valid_o,
    input  logic         ans_ready_i,
    output offload_rsp_t ans_o,
    input  logic [2:0]   frm_i,
    input  logic [1:0]   fmode_i,
    output logic         flags_valid_o,
    output logic [4:0]   flags_o,
    // Memory
    output logic         req_valid_o,
    input  logic         req_ready_i,
    output mem_req_t     req_o,
    input  logic         rsp_valid_i,
    output logic         rsp_ready_o,
    input  logic [63:0]  rsp_data_i,
    output logic         mem_done_o,
    // Streams
    input  logic [2:0]   ssr_read_valid_i,
    input  logic [63:0]  ssr_read_data_i[3],
    output logic [2:0]   ssr_read_pop_o,
    output logic [2:0]   ssr_write_valid_o,
    output logic [63:0]  ssr_write_data_o,
    input  logic [2:0]   ssr_write_ready_i,
    // Observation
    output logic         issue_o,
    output logic         issue_fpu_o,
    output logic         issue_repeated_o,
    output logic         busy_o,
    output logic [31:0]  insn_o,
    output logic [2:0]   waits_read_o,
    output logic [2:0]   waits_write_o,
    output logic         buffered_o
);
  logic seq_valid, seq_ready, seq_repeated, seq_empty;
  offload_t op;
  snitch_sequencer #(
      .DEPTH(SEQUENCER_DEPTH),
      .LOOPS(SEQUENCER_LOOPS)
  ) i_sequencer (
      .clk_i,
      .rst_i,
      .valid_i,
      .ready_o,
      .data_i,
      .valid_o(seq_valid),
      .ready_i(seq_ready),
      .data_o(op),
      .repeated_o(seq_repeated),
      .empty_o(seq_empty)
  );

  logic [63:0] rf_q[32];
  logic [31:0] busy_q;
  logic [31:0] chain_q;        // registers in scalar-chaining mode
  logic [31:0] chain_valid_q;
  logic ssr_q;                 // stream semantics on

  logic [4:0] rs1, rs2, rs3, rd;
  assign rd = op.insn[11:7];
  assign rs1 = op.insn[19:15];
  assign rs2 = op.insn[24:20];
  assign rs3 = op.insn[31:27];

  function automatic logic is_stream(input logic [4:0] r, input logic enabled);
    return enabled && r < 5'd3;
  endfunction

  // Which streams are read; each is popped once, whatever the number of operands that read it.
  logic [2:0] reads_stream;
  logic rs1_wait, rs2_wait, rs3_wait, rd_wait, rd_stream;
  always_comb begin
    reads_stream = '0;
    rs1_wait = 1'b0;
    rs2_wait = 1'b0;
    rs3_wait = 1'b0;
    if (op.fp.use_rs1) begin
      if (is_stream(rs1, ssr_q)) reads_stream[rs1[1:0]] = 1'b1;
      else rs1_wait = chain_q[rs1] ? !chain_valid_q[rs1] : busy_q[rs1];
    end
    if (op.fp.use_rs2) begin
      if (is_stream(rs2, ssr_q)) reads_stream[rs2[1:0]] = 1'b1;
      else rs2_wait = chain_q[rs2] ? !chain_valid_q[rs2] : busy_q[rs2];
    end
    if (op.fp.use_rs3) begin
      if (is_stream(rs3, ssr_q)) reads_stream[rs3[1:0]] = 1'b1;
      else rs3_wait = chain_q[rs3] ? !chain_valid_q[rs3] : busy_q[rs3];
    end else if (op.fp.use_rd) begin
      if (is_stream(rd, ssr_q)) reads_stream[rd[1:0]] = 1'b1;
      else rs3_wait = chain_q[rd] ? !chain_valid_q[rd] : busy_q[rd];
    end
    rd_stream = op.fp.write_fp && is_stream(rd, ssr_q);
    rd_wait = op.fp.write_fp && !rd_stream && !chain_q[rd] && busy_q[rd];
  end

  logic streams_ready, operands_ready;
  assign streams_ready = (reads_stream & ~ssr_read_valid_i) == '0;
  assign operands_ready = streams_ready && !rs1_wait && !rs2_wait && !rs3_wait && !rd_wait;

  function automatic logic [63:0] operand(input logic [4:0] r, input logic enabled,
                                          input logic [63:0] s0, input logic [63:0] s1,
                                          input logic [63:0] s2, input logic [63:0] f);
    if (enabled && r == 5'd0) return s0;
    if (enabled && r == 5'd1) return s1;
    if (enabled && r == 5'd2) return s2;
    return f;
  endfunction
  logic [63:0] a, b, c, d;
  assign a = op.fp.int_rs1 ? {32'b0, op.a}
                           : operand(rs1, ssr_q, ssr_read_data_i[0], ssr_read_data_i[1],
                                     ssr_read_data_i[2], rf_q[rs1]);
  assign b = operand(rs2, ssr_q, ssr_read_data_i[0], ssr_read_data_i[1], ssr_read_data_i[2], rf_q[rs2]);
  assign c = operand(rs3, ssr_q, ssr_read_data_i[0], ssr_read_data_i[1], ssr_read_data_i[2], rf_q[rs3]);
  assign d = operand(rd, ssr_q, ssr_read_data_i[0], ssr_read_data_i[1], ssr_read_data_i[2], rf_q[rd]);

  logic is_mem, is_csr, fpu_valid, fpu_ready, lsu_valid, lsu_ready, issue;
  assign is_mem = op.fp.is_load || op.fp.is_store;
  assign is_csr = op.fp.is_ssr_csr || op.fp.is_chain_csr;
  assign fpu_valid = seq_valid && operands_ready && !is_mem && !is_csr;
  assign lsu_valid = seq_valid && operands_ready && is_mem;
  assign issue = seq_valid && operands_ready && (is_csr || (is_mem ? lsu_ready : fpu_ready));
  assign seq_ready = operands_ready && (is_csr || (is_mem ? lsu_ready : fpu_ready));
  assign ssr_read_pop_o = issue ? reads_stream : '0;

  // FPU. Tag: to the integer core, to a stream, register.
  logic res_valid, res_ready, res_int, res_stream;
  logic [4:0] res_rd;
  logic [63:0] res_value;
  logic [4:0] res_flags;
  logic fpu_idle;
  snitch_fpu #(
      .TAG(7)
  ) i_fpu (
      .clk_i,
      .rst_i,
      .valid_i(fpu_valid),
      .ready_o(fpu_ready),
      .group_i(op.fp.group),
      .insn_i(op.insn),
      .rs1_i(a),
      .rs2_i(b),
      .rs3_i(c),
      .rd_i(d),
      .frm_i,
      .fmode_i,
      .tag_i({op.fp.int_rd, rd_stream, rd}),
      .valid_o(res_valid),
      .ready_i(res_ready),
      .value_o(res_value),
      .flags_o(res_flags),
      .tag_o({res_int, res_stream, res_rd}),
      .idle_o(fpu_idle)
  );

  // FP load/store unit.
  logic load_valid, load_ready, lsu_empty;
  logic [4:0] load_rd;
  logic [63:0] load_data;
  logic mem_done, mem_tracked;
  // The core tracks an access once; the repetitions of a loop are its own business.
  assign mem_done_o = mem_done && mem_tracked;
  snitch_lsu #(
      .OUTSTANDING(4),
      .TAG(6),
      .BOX(1'b1)
  ) i_lsu (
      .clk_i,
      .rst_i,
      .valid_i(lsu_valid),
      .ready_o(lsu_ready),
      .write_i(op.fp.is_store),
      .size_i(op.insn[13:12]),
      .signed_i(1'b0),
      .amo_i(AmoNone),
      .addr_i(op.b),
      .data_i(b),
      .tag_i({!seq_repeated, rd}),
      .req_valid_o,
      .req_ready_i,
      .req_o,
      .rsp_valid_i,
      .rsp_ready_o,
      .rsp_data_i,
      .load_valid_o(load_valid),
      .load_ready_i(load_ready),
      .load_tag_o({mem_tracked, load_rd}),
      .load_data_o(load_data),
      .done_o(mem_done),
      .empty_o(lsu_empty)
  );

  // Results. The FPU's go first at the one register-file port.
  logic chain_blocks;
  assign chain_blocks = chain_q[res_rd] && chain_valid_q[res_rd];
  always_comb begin
    if (res_int) res_ready = ans_ready_i;
    else if (res_stream) res_ready = ssr_write_ready_i[res_rd[1:0]];
    else res_ready = !chain_blocks;
  end
  assign ans_valid_o = res_valid && res_int;
  assign ans_o = '{rd: res_rd, data: res_value[31:0]};
  always_comb begin
    ssr_write_valid_o = '0;
    if (res_valid && res_stream && !res_int) ssr_write_valid_o[res_rd[1:0]] = 1'b1;
  end
  assign ssr_write_data_o = res_value;
  assign load_ready = !(res_valid && !res_int);
  assign flags_valid_o = res_valid && res_ready;
  assign flags_o = res_flags;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= '0;
      chain_q <= '0;
      chain_valid_q <= '0;
      ssr_q <= 1'b0;
      for (int k = 0; k < 32; k++) rf_q[k] <= '0;
    end else begin
      if (load_valid && load_ready) begin
        rf_q[load_rd] <= load_data;
        busy_q[load_rd] <= 1'b0;
        if (chain_q[load_rd]) chain_valid_q[load_rd] <= 1'b1;
      end
      if (issue) begin
        if (op.fp.write_fp && !rd_stream) busy_q[rd] <= 1'b1;
        if (chain_q != '0) begin
          if (op.fp.use_rs1 && chain_q[rs1]) chain_valid_q[rs1] <= 1'b0;
          if (op.fp.use_rs2 && chain_q[rs2]) chain_valid_q[rs2] <= 1'b0;
          if (op.fp.use_rs3 && chain_q[rs3]) chain_valid_q[rs3] <= 1'b0;
          if (op.fp.use_rd && chain_q[rd]) chain_valid_q[rd] <= 1'b0;
        end
        if (op.fp.is_ssr_csr && op.insn[15]) ssr_q <= !op.insn[12];
        if (op.fp.is_chain_csr) chain_q <= op.insn[12] ? chain_q & ~op.a : chain_q | op.a;
      end
      if (res_valid && res_ready && !res_int && !res_stream) begin
        rf_q[res_rd] <= res_value;
        busy_q[res_rd] <= 1'b0;
        if (chain_q[res_rd]) chain_valid_q[res_rd] <= 1'b1;
      end
      if (ssr_q) busy_q[2:0] <= '0;
    end
  end

  assign issue_o = issue;
  assign issue_fpu_o = issue && !is_mem && !is_csr;
  assign issue_repeated_o = seq_repeated;
  assign busy_o = !seq_empty || !fpu_idle || !lsu_empty;
  assign buffered_o = seq_valid;
  assign insn_o = op.insn;
  assign waits_read_o = seq_valid ? reads_stream & ~ssr_read_valid_i : '0;
  assign waits_write_o = ssr_write_valid_o & ~ssr_write_ready_i;
endmodule
