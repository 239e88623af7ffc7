// The cluster: compute cores, one DMA core if asked for, TCDM, instruction cache, shared multiplier and
// divider, barrier, peripherals, and the way to the memory outside. The top of the simulation.
//
// The memory outside (DRAM, console, tohost) is the test bench's: a DPI call when a request is taken and an
// answer EXT_READ_CYCLES or EXT_WRITE_CYCLES later.
module snitch_cluster
  import snitch_pkg::*;
#(
    parameter int unsigned CORES = 1,            // compute cores: harts 0 .. CORES-1
    parameter bit DMA_CORE = 1'b0,               // hart CORES, without an FPU
    parameter int unsigned SEQUENCER_DEPTH = 64,
    parameter int unsigned SEQUENCER_LOOPS = 2,
    parameter int unsigned EXT_READ_CYCLES = 8,
    parameter int unsigned EXT_WRITE_CYCLES = 9  // data follow their address a cycle later
) (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic [31:0] boot_i,
    input  logic        trace_i,
    // Observation of one hart
    input  logic [3:0]  look_i,
    output logic [31:0] look_pc_o,
    output logic [31:0] look_insn_o,
    output logic [31:0] look_fp_insn_o,
    output logic        look_fp_busy_o,
    output logic        look_sleeping_o,
    output logic        look_barrier_o,
    output logic [2:0]  look_waits_read_o,
    output logic [2:0]  look_waits_write_o,
    output logic [2:0]  look_running_o,
    output logic [2:0]  look_write_o,
    output logic [31:0] look_delivered_o[3],
    output logic [31:0] look_issued_o[3],
    output logic [63:0] look_retired_o,
    output logic [63:0] look_fpu_issues_o,
    // Cycles since anything was retired or issued by any hart
    output logic [31:0] quiet_o,
    output logic [63:0] cycle_o
);
  localparam int unsigned Harts = CORES + (DMA_CORE ? 1 : 0);
  localparam int unsigned Ports = 3 * CORES + 2;  // the DMA core's and the AXI port always have a leaf
  localparam int unsigned HartWidth = Harts > 1 ? $clog2(Harts) : 1;
  typedef logic [HartWidth-1:0] hart_t;

  import "DPI-C" function longint quern_snitch_read(input int addr);
  import "DPI-C" function void quern_snitch_write(input int hart, input int addr, input longint data, input int strb);
  import "DPI-C" function void quern_snitch_stop(input int hart, input int why, input int pc,
                                                 input int insn);
  import "DPI-C" function void quern_snitch_trace(input int hart, input longint cycle, input int pc,
                                                  input int insn, input int kind);

  logic [Harts-1:0] fetch_valid, fetch_ready, flush, l0_req, l0_req_ready, l0_rsp;
  logic [31:0] fetch_addr[Harts];
  logic [31:0] fetch_data[Harts];
  logic [25:0] l0_line[Harts];
  logic [31:0] l1_data[16];

  logic [Ports-1:0] tcdm_valid, tcdm_ready, tcdm_rsp;
  mem_req_t tcdm_req[Ports];
  logic [63:0] tcdm_data[Ports];

  logic [Harts-1:0] md_valid, md_ready, md_ans_valid, md_ans_ready;
  offload_t md_op[Harts];
  offload_rsp_t md_ans;

  logic [Harts-1:0] barrier, retire, sleeping, fp_issue, fpu_issue, fpu_repeated, fp_busy;
  logic [31:0] pc[Harts];
  logic [31:0] insn[Harts];
  logic [31:0] fp_insn[Harts];
  stop_e stop[Harts];
  logic [2:0] waits_read[Harts];
  logic [2:0] waits_write[Harts];
  logic [2:0] stream_running[Harts];
  logic [2:0] stream_write[Harts];
  logic [31:0] stream_delivered[Harts][3];
  logic [31:0] stream_issued[Harts][3];
  logic [63:0] retired_q[Harts];
  logic [63:0] fpu_issues_q[Harts];
  logic [Harts-1:0] interrupt;
  hart_events_t events[Harts];

  logic [63:0] cycle_q;

  // Barrier: all harts wait, then all go in the next cycle.
  logic barrier_go_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) barrier_go_q <= 1'b0;
    else barrier_go_q <= &barrier && !barrier_go_q;
  end

  logic [Harts-1:0] per_valid, per_write;
  logic [31:0] per_addr[Harts];
  logic [63:0] per_wdata[Harts];
  logic [63:0] per_rdata[Harts];

  for (genvar h = 0; h < Harts; h++) begin : gen_hart
    localparam bit IsDma = h == CORES;
    logic [2:0] t_valid, t_ready, t_rsp;
    mem_req_t t_req[3];
    logic [63:0] t_data[3];
    logic ext_valid, ext_ready, ext_rsp_valid;
    mem_req_t ext_req;
    logic [63:0] ext_rsp_data;
    logic dma_valid, offload_fp, l0_miss, l0_prefetch;
    logic [2:0] wrote;
    offload_t dma_op;

    snitch_cc #(
        .SEQUENCER_DEPTH(SEQUENCER_DEPTH),
        .SEQUENCER_LOOPS(SEQUENCER_LOOPS),
        .HAS_FP(!IsDma),
        .HAS_DMA(IsDma)
    ) i_cc (
        .clk_i,
        .rst_i,
        .hart_i(h),
        .boot_i,
        .interrupt_i(interrupt[h]),
        .fetch_valid_o(fetch_valid[h]),
        .fetch_addr_o(fetch_addr[h]),
        .fetch_ready_i(fetch_ready[h]),
        .fetch_data_i(fetch_data[h]),
        .flush_o(flush[h]),
        .tcdm_valid_o(t_valid),
        .tcdm_req_o(t_req),
        .tcdm_ready_i(t_ready),
        .tcdm_rsp_valid_i(t_rsp),
        .tcdm_rsp_data_i(t_data),
        .ext_valid_o(ext_valid),
        .ext_req_o(ext_req),
        .ext_ready_i(ext_ready),
        .ext_rsp_valid_i(ext_rsp_valid),
        .ext_rsp_data_i(ext_rsp_data),
        .md_valid_o(md_valid[h]),
        .md_ready_i(md_ready[h]),
        .md_o(md_op[h]),
        .md_ans_valid_i(md_ans_valid[h]),
        .md_ans_ready_o(md_ans_ready[h]),
        .md_ans_i(md_ans),
        .dma_valid_o(dma_valid),
        .dma_ready_i(1'b1),
        .dma_o(dma_op),
        .dma_ans_valid_i(1'b0),
        .dma_ans_ready_o(),
        .dma_ans_i('0),
        .barrier_o(barrier[h]),
        .barrier_release_i(barrier_go_q),
        .retire_o(retire[h]),
        .wrote_o(wrote),
        .pc_o(pc[h]),
        .insn_o(insn[h]),
        .sleeping_o(sleeping[h]),
        .stop_o(stop[h]),
        .fp_issue_o(fp_issue[h]),
        .fpu_issue_o(fpu_issue[h]),
        .fpu_repeated_o(fpu_repeated[h]),
        .fp_insn_o(fp_insn[h]),
        .fp_busy_o(fp_busy[h]),
        .offload_fp_o(offload_fp),
        .waits_read_o(waits_read[h]),
        .waits_write_o(waits_write[h]),
        .stream_running_o(stream_running[h]),
        .stream_write_o(stream_write[h]),
        .stream_delivered_o(stream_delivered[h]),
        .stream_issued_o(stream_issued[h])
    );
    for (genvar p = 0; p < (IsDma ? 1 : 3); p++) begin : gen_port
      assign tcdm_valid[3*h+p] = t_valid[p];
      assign tcdm_req[3*h+p] = t_req[p];
      assign t_ready[p] = tcdm_ready[3*h+p];
      assign t_rsp[p] = tcdm_rsp[3*h+p];
      assign t_data[p] = tcdm_data[3*h+p];
    end
    if (IsDma) begin : gen_no_ports
      assign t_ready[2:1] = '0;
      assign t_rsp[2:1] = '0;
      assign t_data[1] = '0;
      assign t_data[2] = '0;
    end

    snitch_icache_l0 i_l0 (
        .clk_i,
        .rst_i,
        .flush_i(flush[h]),
        .fetch_valid_i(fetch_valid[h]),
        .fetch_addr_i(fetch_addr[h]),
        .fetch_ready_o(fetch_ready[h]),
        .fetch_data_o(fetch_data[h]),
        .req_valid_o(l0_req[h]),
        .req_line_o(l0_line[h]),
        .req_ready_i(l0_req_ready[h]),
        .rsp_valid_i(l0_rsp[h]),
        .rsp_data_i(l1_data),
        .miss_o(l0_miss),
        .prefetch_o(l0_prefetch)
    );
    assign events[h] = '{
        retired: retire[h],
        wrote_alu: wrote[0],
        wrote_load: wrote[1],
        wrote_answer: wrote[2],
        core_to_fpss: offload_fp,
        issue_fpss: fp_issue[h],
        issue_fpu: fpu_issue[h],
        l0_hit: fetch_valid[h] && fetch_ready[h],
        l0_miss: l0_miss,
        l0_prefetch: l0_prefetch,
        l0_stall: fetch_valid[h] && !fetch_ready[h]
    };

    // Memory outside: answers in order, two accesses under way at most. Reads and writes keep their order by
    // not being under way together: a read waits for the last write's answer, a write for the last read's.
    //
    // On its way (request +2 cycles, answer -3) the adapter for atomics notes what is under way in a queue
    // that takes a request or gives one up, not both in one cycle, requests first: an answer that would
    // arrive five cycles after a new request comes a cycle later.
    localparam int unsigned NotedToAnswered = 5;
    logic [63:0] out_data_q[2];
    logic [63:0] out_due_q[2];
    logic out_head_q, out_tail_q, out_is_write_q, out_drained;
    logic [1:0] out_count_q;
    logic is_peripheral;
    assign is_peripheral = ext_req.addr[31:16] == 16'h1002 && ext_req.addr[15:12] != '0;
    assign out_drained = out_count_q == '0 || (out_count_q == 2'd1 && ext_rsp_valid);
    assign ext_ready = out_count_q != 2'd2 && (out_drained || out_is_write_q == ext_req.write);
    assign ext_rsp_valid = out_count_q != '0 && out_due_q[out_head_q] <= cycle_q;
    assign ext_rsp_data = out_data_q[out_head_q];
    assign per_valid[h] = ext_valid && ext_ready && is_peripheral;
    assign per_write[h] = ext_req.write && ext_req.strb[0];  // the upper halves hold nothing
    assign per_addr[h] = ext_req.addr;
    assign per_wdata[h] = ext_req.data;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        out_head_q <= '0;
        out_tail_q <= '0;
        out_count_q <= '0;
      end else begin
        if (ext_valid && ext_ready) begin
          out_tail_q <= !out_tail_q;
          out_is_write_q <= ext_req.write;
          if (out_count_q != '0 && out_due_q[out_head_q] == cycle_q + 64'(NotedToAnswered))
            out_due_q[out_head_q] <= out_due_q[out_head_q] + 1'b1;
          out_due_q[out_tail_q] <= cycle_q +
              (ext_req.write ? 64'(EXT_WRITE_CYCLES) : 64'(EXT_READ_CYCLES));
          if (is_peripheral) begin
            out_data_q[out_tail_q] <= per_rdata[h];
          end else if (ext_req.amo != AmoNone) begin
            quern_snitch_stop(h, {28'b0, StopAccess}, pc[h], ext_req.addr);
          end else if (ext_req.write) begin
            quern_snitch_write(h, ext_req.addr, ext_req.data, {24'b0, ext_req.strb});
          end else begin
            out_data_q[out_tail_q] <= quern_snitch_read(ext_req.addr);
          end
        end
        if (ext_rsp_valid) out_head_q <= !out_head_q;
        out_count_q <= out_count_q + 2'(ext_valid && ext_ready) - 2'(ext_rsp_valid);
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        retired_q[h] <= '0;
        fpu_issues_q[h] <= '0;
      end else begin
        if (retire[h]) retired_q[h] <= retired_q[h] + 1;
        if (fpu_issue[h]) fpu_issues_q[h] <= fpu_issues_q[h] + 1;
        if (stop[h] != StopNone) quern_snitch_stop(h, {28'b0, stop[h]}, pc[h], insn[h]);
        if (trace_i && retire[h]) quern_snitch_trace(h, cycle_q, pc[h], insn[h], 0);
        if (trace_i && fp_issue[h])
          quern_snitch_trace(h, cycle_q, 0, fp_insn[h], fpu_repeated[h] ? 2 : 1);
      end
    end
    logic unused;
    assign unused = ^{dma_valid, dma_op};
  end
  if (!DMA_CORE) begin : gen_no_dma
    assign tcdm_valid[Ports-2] = 1'b0;
    assign tcdm_req[Ports-2] = '0;
  end
  assign tcdm_valid[Ports-1] = 1'b0;
  assign tcdm_req[Ports-1] = '0;

  logic [63:0] wide_zero[8];
  logic [63:0] wide_out[8];
  always_comb for (int k = 0; k < 8; k++) wide_zero[k] = '0;
  logic [5:0] accesses, conflicts;
  snitch_tcdm #(
      .PORTS(Ports)
  ) i_tcdm (
      .clk_i,
      .rst_i,
      .req_valid_i(tcdm_valid),
      .req_i(tcdm_req),
      .req_ready_o(tcdm_ready),
      .rsp_valid_o(tcdm_rsp),
      .rsp_data_o(tcdm_data),
      .wide_valid_i(1'b0),
      .wide_write_i(1'b0),
      .wide_addr_i('0),
      .wide_data_i(wide_zero),
      .wide_strb_i('0),
      .wide_data_o(wide_out),
      .accesses_o(accesses),
      .conflicts_o(conflicts)
  );

  snitch_icache_l1 #(
      .CORES(Harts)
  ) i_l1 (
      .clk_i,
      .rst_i,
      .flush_i(|flush),
      .req_valid_i(l0_req),
      .req_line_i(l0_line),
      .req_ready_o(l0_req_ready),
      .rsp_valid_o(l0_rsp),
      .rsp_data_o(l1_data)
  );

  // Shared multiplier and divider: round robin over the harts.
  hart_t md_pointer_q, md_pick;
  logic md_go;
  always_comb begin
    md_pick = md_pointer_q;
    for (int h = Harts - 1; h >= 0; h--) if (md_valid[h] && hart_t'(h) < md_pointer_q) md_pick = hart_t'(h);
    for (int h = Harts - 1; h >= 0; h--) if (md_valid[h] && hart_t'(h) >= md_pointer_q) md_pick = hart_t'(h);
  end
  always_comb begin
    md_ready = '0;
    md_ready[md_pick] = md_go;
  end
  logic md_out_valid;
  logic [HartWidth+4:0] md_out_id;
  hart_t md_out_hart;
  assign md_out_hart = md_out_id[HartWidth+4:5];
  assign md_ans.rd = md_out_id[4:0];
  always_comb begin
    md_ans_valid = '0;
    md_ans_valid[md_out_hart] = md_out_valid;
  end
  snitch_muldiv #(
      .ID(HartWidth + 5)
  ) i_muldiv (
      .clk_i,
      .rst_i,
      .valid_i(md_valid[md_pick]),
      .ready_o(md_go),
      .op_i(md_op[md_pick].insn[14:12]),
      .a_i(md_op[md_pick].a),
      .b_i(md_op[md_pick].b),
      .id_i({md_pick, md_op[md_pick].insn[11:7]}),
      .valid_o(md_out_valid),
      .ready_i(md_ans_ready[md_out_hart]),
      .data_o(md_ans.data),
      .id_o(md_out_id)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) md_pointer_q <= '0;
    else if (md_valid[md_pick] && md_go)
      md_pointer_q <= md_pick == hart_t'(Harts - 1) ? '0 : md_pick + 1'b1;
  end

  snitch_peripheral #(
      .HARTS(Harts)
  ) i_peripheral (
      .clk_i,
      .rst_i,
      .valid_i(per_valid),
      .write_i(per_write),
      .addr_i(per_addr),
      .data_i(per_wdata),
      .data_o(per_rdata),
      .interrupt_o(interrupt),
      .events_i(events),
      .tcdm_accesses_i(accesses),
      .tcdm_conflicts_i(conflicts)
  );

  // Observation.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cycle_q <= '0;
      quiet_o <= '0;
    end else begin
      cycle_q <= cycle_q + 1;
      quiet_o <= retire != '0 || fp_issue != '0 ? '0 : quiet_o + 1;
    end
  end
  assign cycle_o = cycle_q;
  hart_t look;
  assign look = hart_t'(look_i);
  always_comb begin
    look_pc_o = pc[look];
    look_insn_o = insn[look];
    look_fp_insn_o = fp_insn[look];
    look_fp_busy_o = fp_busy[look];
    look_sleeping_o = sleeping[look];
    look_barrier_o = barrier[look];
    look_waits_read_o = waits_read[look];
    look_waits_write_o = waits_write[look];
    look_running_o = stream_running[look];
    look_write_o = stream_write[look];
    look_retired_o = retired_q[look];
    look_fpu_issues_o = fpu_issues_q[look];
    for (int s = 0; s < 3; s++) begin
      look_delivered_o[s] = stream_delivered[look][s];
      look_issued_o[s] = stream_issued[look][s];
    end
  end
  logic unused;
  assign unused = ^wide_out[0];
endmodule
