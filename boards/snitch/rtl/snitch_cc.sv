// The core complex: one integer core with its FP subsystem and streams, the queues between them, and the
// multiplexing of their memory accesses onto three TCDM ports and one port to the rest of the machine.
//
//   core ─> spill ─┬─> FP subsystem ──┐              core LSU ─> spill ─┐
//                  ├─> mul/div (shared)├─> spill ─>   FP LSU  ─> spill ─┴> mux ─┬> port 0 <─ stream 0
//                  ├─> stream config ──┤                                        └> outside
//                  └─> DMA ────────────┘ core                                      port 1 <─ stream 1
//                                                                                  port 2 <─ stream 2
module snitch_cc
  import snitch_pkg::*;
#(
    parameter int unsigned SEQUENCER_DEPTH = 64,
    parameter int unsigned SEQUENCER_LOOPS = 2,
    parameter bit HAS_FP = 1'b1,
    parameter bit HAS_DMA = 1'b0
) (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic [31:0]  hart_i,
    input  logic [31:0]  boot_i,
    input  logic         interrupt_i,
    output logic         fetch_valid_o,
    output logic [31:0]  fetch_addr_o,
    input  logic         fetch_ready_i,
    input  logic [31:0]  fetch_data_i,
    output logic         flush_o,
    // TCDM
    output logic [2:0]   tcdm_valid_o,
    output mem_req_t     tcdm_req_o[3],
    input  logic [2:0]   tcdm_ready_i,
    input  logic [2:0]   tcdm_rsp_valid_i,
    input  logic [63:0]  tcdm_rsp_data_i[3],
    // Everything outside the TCDM
    output logic         ext_valid_o,
    output mem_req_t     ext_req_o,
    input  logic         ext_ready_i,
    input  logic         ext_rsp_valid_i,
    input  logic [63:0]  ext_rsp_data_i,
    // Shared multiplier and divider
    output logic         md_valid_o,
    input  logic         md_ready_i,
    output offload_t     md_o,
    input  logic         md_ans_valid_i,
    output logic         md_ans_ready_o,
    input  offload_rsp_t md_ans_i,
    // DMA
    output logic         dma_valid_o,
    input  logic         dma_ready_i,
    output offload_t     dma_o,
    input  logic         dma_ans_valid_i,
    output logic         dma_ans_ready_o,
    input  offload_rsp_t dma_ans_i,
    // Cluster
    output logic         barrier_o,
    input  logic         barrier_release_i,
    // Observation
    output logic         retire_o,
    output logic [2:0]   wrote_o,
    output logic [31:0]  pc_o,
    output logic [31:0]  insn_o,
    output logic         sleeping_o,
    output stop_e        stop_o,
    output logic         fp_issue_o,
    output logic         fpu_issue_o,
    output logic         fpu_repeated_o,
    output logic [31:0]  fp_insn_o,
    output logic         fp_busy_o,
    output logic         offload_fp_o,
    output logic [2:0]   waits_read_o,
    output logic [2:0]   waits_write_o,
    output logic [2:0]   stream_running_o,
    output logic [2:0]   stream_write_o,
    output logic [31:0]  stream_delivered_o[3],
    output logic [31:0]  stream_issued_o[3]
);
  localparam int unsigned OffWidth = $bits(offload_t);
  localparam int unsigned AnsWidth = $bits(offload_rsp_t);

  // --- Core ----------------------------------------------------------------------------------------------
  logic core_req_valid, core_req_ready, core_rsp_valid, core_rsp_ready;
  mem_req_t core_req;
  logic [63:0] core_rsp_data;
  logic off_valid, off_ready, ans_valid, ans_ready;
  offload_t off;
  offload_rsp_t ans;
  logic fp_mem_done, flags_valid;
  logic [4:0] flags;
  logic [2:0] frm;
  logic [1:0] fmode;
  snitch_core #(
      .HAS_FP(HAS_FP),
      .HAS_DMA(HAS_DMA)
  ) i_core (
      .clk_i,
      .rst_i,
      .hart_i,
      .boot_i,
      .interrupt_i,
      .fetch_valid_o,
      .fetch_addr_o,
      .fetch_ready_i,
      .fetch_data_i,
      .flush_o,
      .req_valid_o(core_req_valid),
      .req_ready_i(core_req_ready),
      .req_o(core_req),
      .rsp_valid_i(core_rsp_valid),
      .rsp_ready_o(core_rsp_ready),
      .rsp_data_i(core_rsp_data),
      .off_valid_o(off_valid),
      .off_ready_i(off_ready),
      .off_o(off),
      .ans_valid_i(ans_valid),
      .ans_ready_o(ans_ready),
      .ans_i(ans),
      .fp_mem_done_i(fp_mem_done),
      .flags_valid_i(flags_valid),
      .flags_i(flags),
      .frm_o(frm),
      .fmode_o(fmode),
      .barrier_o,
      .barrier_release_i,
      .retire_o,
      .wrote_o,
      .pc_o,
      .insn_o,
      .sleeping_o,
      .stop_o
  );
  assign offload_fp_o = off_valid && off_ready && off.unit == UnitFp;

  // --- Offload queue -------------------------------------------------------------------------------------
  logic q_valid, q_ready;
  offload_t q;
  fifo #(
      .WIDTH(OffWidth),
      .DEPTH(2)
  ) i_offload_spill (
      .clk_i,
      .rst_i,
      .push_valid_i(off_valid),
      .push_ready_o(off_ready),
      .push_data_i(off),
      .pop_valid_o(q_valid),
      .pop_ready_i(q_ready),
      .pop_data_o(q)
  );
  logic fp_valid, fp_ready, ssr_valid, ssr_ready;
  assign fp_valid = q_valid && q.unit == UnitFp;
  assign md_valid_o = q_valid && q.unit == UnitMulDiv;
  assign ssr_valid = q_valid && q.unit == UnitSsr;
  assign dma_valid_o = q_valid && q.unit == UnitDma;
  assign md_o = q;
  assign dma_o = q;
  always_comb begin
    unique case (q.unit)
      UnitFp: q_ready = fp_ready;
      UnitMulDiv: q_ready = md_ready_i;
      UnitSsr: q_ready = ssr_ready;
      UnitDma: q_ready = dma_ready_i;
    endcase
  end

  logic fp_ans_valid, fp_ans_ready, ssr_ans_valid, ssr_ans_ready;
  offload_rsp_t fp_ans, ssr_ans, ans_pick;
  logic [7:0] ans_request;
  logic [2:0] ans_pointer_q, ans_winner;
  logic ans_any, ans_go;
  assign ans_request = {3'b0, ssr_ans_valid, 1'b0, dma_ans_valid_i, md_ans_valid_i, fp_ans_valid};
  assign ans_any = ans_request != '0;
  assign ans_winner = rr8_pick(ans_request, ans_pointer_q);
  always_comb begin
    fp_ans_ready = 1'b0;
    md_ans_ready_o = 1'b0;
    dma_ans_ready_o = 1'b0;
    ssr_ans_ready = 1'b0;
    unique case (ans_winner)
      3'd1: begin
        ans_pick = md_ans_i;
        md_ans_ready_o = ans_go;
      end
      3'd2: begin
        ans_pick = dma_ans_i;
        dma_ans_ready_o = ans_go;
      end
      3'd4: begin
        ans_pick = ssr_ans;
        ssr_ans_ready = ans_go;
      end
      default: begin
        ans_pick = fp_ans;
        fp_ans_ready = ans_go;
      end
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) ans_pointer_q <= '0;
    else if (ans_any && ans_go) ans_pointer_q <= rr8_next(ans_request, ans_pointer_q);
  end
  fifo #(
      .WIDTH(AnsWidth),
      .DEPTH(2)
  ) i_answer_spill (
      .clk_i,
      .rst_i,
      .push_valid_i(ans_any),
      .push_ready_o(ans_go),
      .push_data_i(ans_pick),
      .pop_valid_o(ans_valid),
      .pop_ready_i(ans_ready),
      .pop_data_o(ans)
  );

  // --- Core and FP memory accesses -----------------------------------------------------------------------
  logic fp_req_valid, fp_req_ready, fp_rsp_valid, fp_rsp_ready;
  mem_req_t fp_req, m_req;
  logic [63:0] fp_rsp_data;
  logic core_tcdm_valid, core_tcdm_ready, core_tcdm_rsp;
  assign ext_req_o = m_req;
  snitch_data_mux i_data_mux (
      .clk_i,
      .rst_i,
      .core_req_valid_i(core_req_valid),
      .core_req_ready_o(core_req_ready),
      .core_req_i(core_req),
      .core_rsp_valid_o(core_rsp_valid),
      .core_rsp_ready_i(core_rsp_ready),
      .core_rsp_data_o(core_rsp_data),
      .fp_req_valid_i(fp_req_valid),
      .fp_req_ready_o(fp_req_ready),
      .fp_req_i(fp_req),
      .fp_rsp_valid_o(fp_rsp_valid),
      .fp_rsp_ready_i(fp_rsp_ready),
      .fp_rsp_data_o(fp_rsp_data),
      .req_o(m_req),
      .tcdm_valid_o(core_tcdm_valid),
      .tcdm_ready_i(core_tcdm_ready),
      .tcdm_rsp_valid_i(core_tcdm_rsp),
      .tcdm_rsp_data_i(tcdm_rsp_data_i[0]),
      .ext_valid_o,
      .ext_ready_i,
      .ext_rsp_valid_i,
      .ext_rsp_data_i
  );

  // --- FP subsystem and streams --------------------------------------------------------------------------
  if (HAS_FP) begin : gen_fp
    logic [2:0] s_read_valid, s_pop, s_write_valid, s_write_ready;
    logic [63:0] s_read[3];
    logic [63:0] s_write;
    logic fp_buffered;
    snitch_fpss #(
        .SEQUENCER_DEPTH(SEQUENCER_DEPTH),
        .SEQUENCER_LOOPS(SEQUENCER_LOOPS)
    ) i_fpss (
        .clk_i,
        .rst_i,
        .valid_i(fp_valid),
        .ready_o(fp_ready),
        .data_i(q),
        .ans_valid_o(fp_ans_valid),
        .ans_ready_i(fp_ans_ready),
        .ans_o(fp_ans),
        .frm_i(frm),
        .fmode_i(fmode),
        .flags_valid_o(flags_valid),
        .flags_o(flags),
        .req_valid_o(fp_req_valid),
        .req_ready_i(fp_req_ready),
        .req_o(fp_req),
        .rsp_valid_i(fp_rsp_valid),
        .rsp_ready_o(fp_rsp_ready),
        .rsp_data_i(fp_rsp_data),
        .mem_done_o(fp_mem_done),
        .ssr_read_valid_i(s_read_valid),
        .ssr_read_data_i(s_read),
        .ssr_read_pop_o(s_pop),
        .ssr_write_valid_o(s_write_valid),
        .ssr_write_data_o(s_write),
        .ssr_write_ready_i(s_write_ready),
        .issue_o(fp_issue_o),
        .issue_fpu_o(fpu_issue_o),
        .issue_repeated_o(fpu_repeated_o),
        .busy_o(fp_busy_o),
        .insn_o(fp_insn_o),
        .waits_read_o,
        .waits_write_o,
        .buffered_o(fp_buffered)
    );
    logic unused;
    assign unused = fp_buffered;

    // Configuration: address in the immediate (scfgwi, scfgri) or in rs2.
    logic [11:0] cfg_addr;
    logic cfg_write, cfg_all;
    logic [4:0] cfg_ssr, cfg_reg;
    logic [2:0] cfg_select, cfg_ready;
    logic [31:0] cfg_read[3];
    assign cfg_write = q.insn[13:12] == 2'd2;
    assign cfg_addr = (cfg_write ? q.insn[11:7] == 5'd1 : q.insn[19:15] == 5'd1) ? q.b[11:0] : q.insn[31:20];
    assign {cfg_reg, cfg_ssr} = cfg_addr[9:0];
    assign cfg_all = cfg_ssr == 5'd31;
    always_comb for (int s = 0; s < 3; s++) cfg_select[s] = cfg_all || cfg_ssr == 5'(s);
    logic cfg_go, cfg_ans_ready;
    assign cfg_go = (cfg_select & ~cfg_ready) == '0;
    // The answer of a read takes one cycle more right behind a write.
    logic cfg_written_q, cfg_late_q, cfg_ans_valid;
    always_ff @(posedge clk_i) begin
      cfg_written_q <= !rst_i && ssr_valid && cfg_write && cfg_go;
      cfg_late_q <= !rst_i && ssr_valid && !cfg_write && cfg_ans_ready && cfg_written_q;
    end
    assign ssr_ans_valid = cfg_ans_valid && !cfg_late_q;
    assign ssr_ready = cfg_write ? cfg_go : cfg_ans_ready;
    logic [31:0] cfg_data;
    assign cfg_data = cfg_ssr == 5'd1 ? cfg_read[1] : cfg_ssr == 5'd2 ? cfg_read[2] : cfg_read[0];
    fifo #(
        .WIDTH(AnsWidth),
        .DEPTH(2)
    ) i_cfg_answer (
        .clk_i,
        .rst_i,
        .push_valid_i(ssr_valid && !cfg_write),
        .push_ready_o(cfg_ans_ready),
        .push_data_i({q.insn[11:7], cfg_data}),
        .pop_valid_o(cfg_ans_valid),
        .pop_ready_i(ssr_ans_ready && !cfg_late_q),
        .pop_data_o(ssr_ans)
    );

    logic [2:0] s_req_valid, s_req_ready, s_rsp_valid;
    mem_req_t s_req[3];
    for (genvar s = 0; s < 3; s++) begin : gen_ssr
      snitch_ssr i_ssr (
          .clk_i,
          .rst_i,
          .cfg_valid_i(ssr_valid && cfg_select[s] && (cfg_go || !cfg_write)),
          .cfg_write_i(cfg_write),
          .cfg_reg_i(cfg_reg),
          .cfg_data_i(q.a),
          .cfg_ready_o(cfg_ready[s]),
          .cfg_data_o(cfg_read[s]),
          .read_valid_o(s_read_valid[s]),
          .read_data_o(s_read[s]),
          .read_pop_i(s_pop[s]),
          .write_valid_i(s_write_valid[s]),
          .write_data_i(s_write),
          .write_ready_o(s_write_ready[s]),
          .req_valid_o(s_req_valid[s]),
          .req_o(s_req[s]),
          .req_ready_i(s_req_ready[s]),
          .rsp_valid_i(s_rsp_valid[s]),
          .rsp_data_i(tcdm_rsp_data_i[s]),
          .running_o(stream_running_o[s]),
          .job_write_o(stream_write_o[s]),
          .delivered_o(stream_delivered_o[s]),
          .issued_o(stream_issued_o[s])
      );
    end

    // Port 0: stream 0 and the load/store units in turn.
    logic port_pointer_q, pick_core, core_granted_q;
    assign pick_core = rr2_pick({core_tcdm_valid, s_req_valid[0]}, port_pointer_q);
    assign tcdm_valid_o = {s_req_valid[2:1], core_tcdm_valid || s_req_valid[0]};
    assign tcdm_req_o[0] = pick_core ? m_req : s_req[0];
    assign tcdm_req_o[1] = s_req[1];
    assign tcdm_req_o[2] = s_req[2];
    assign core_tcdm_ready = pick_core && tcdm_ready_i[0];
    assign s_req_ready = {tcdm_ready_i[2:1], !pick_core && tcdm_ready_i[0]};
    assign core_tcdm_rsp = tcdm_rsp_valid_i[0] && core_granted_q;
    assign s_rsp_valid = {tcdm_rsp_valid_i[2:1], tcdm_rsp_valid_i[0] && !core_granted_q};
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        port_pointer_q <= 1'b0;
        core_granted_q <= 1'b0;
      end else if (tcdm_valid_o[0] && tcdm_ready_i[0]) begin
        port_pointer_q <= rr2_next({core_tcdm_valid, s_req_valid[0]}, port_pointer_q);
        core_granted_q <= pick_core;
      end
    end
  end else begin : gen_no_fp
    assign fp_ready = 1'b1;
    assign fp_ans_valid = 1'b0;
    assign fp_ans = '0;
    assign flags_valid = 1'b0;
    assign flags = '0;
    assign fp_req_valid = 1'b0;
    assign fp_req = '0;
    assign fp_rsp_ready = 1'b1;
    assign fp_mem_done = 1'b0;
    assign ssr_ready = 1'b1;
    assign ssr_ans_valid = 1'b0;
    assign ssr_ans = '0;
    assign fp_issue_o = 1'b0;
    assign fpu_issue_o = 1'b0;
    assign fpu_repeated_o = 1'b0;
    assign fp_insn_o = '0;
    assign fp_busy_o = 1'b0;
    assign waits_read_o = '0;
    assign waits_write_o = '0;
    assign stream_running_o = '0;
    assign stream_write_o = '0;
    for (genvar s = 0; s < 3; s++) begin : gen_none
      assign stream_delivered_o[s] = '0;
      assign stream_issued_o[s] = '0;
    end
    assign tcdm_valid_o = {2'b0, core_tcdm_valid};
    assign tcdm_req_o[0] = m_req;
    assign tcdm_req_o[1] = '0;
    assign tcdm_req_o[2] = '0;
    assign core_tcdm_ready = tcdm_ready_i[0];
    assign core_tcdm_rsp = tcdm_rsp_valid_i[0];
    logic unused;
    assign unused = ^{frm, fmode, fp_valid, ssr_valid, fp_ans_ready, ssr_ans_ready, fp_req_ready, fp_rsp_valid,
                      tcdm_ready_i[2:1], tcdm_rsp_valid_i[2:1], tcdm_rsp_data_i[1], tcdm_rsp_data_i[2]};
  end
endmodule
