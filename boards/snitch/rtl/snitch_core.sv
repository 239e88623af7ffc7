// The integer core: single stage, single issue, in order. One instruction a cycle is fetched, decoded,
// executed and retired; loads and offloaded instructions write back later through a scoreboard.
//
//   fetch (L0) -> decode -> operands -> ALU ------------------> register file (one write port)
//                              │ \-> LSU ---------> load data ----^  2nd
//                              \---> offload queue -> answers ----^  3rd priority
module snitch_core
  import snitch_pkg::*;
#(
    parameter bit HAS_FP = 1'b1,
    parameter bit HAS_DMA = 1'b0
) (
    input  logic         clk_i,
    input  logic         rst_i,
    input  logic [31:0]  hart_i,
    input  logic [31:0]  boot_i,
    input  logic         interrupt_i,
    // Fetch
    output logic         fetch_valid_o,
    output logic [31:0]  fetch_addr_o,
    input  logic         fetch_ready_i,
    input  logic [31:0]  fetch_data_i,
    output logic         flush_o,
    // Data
    output logic         req_valid_o,
    input  logic         req_ready_i,
    output mem_req_t     req_o,
    input  logic         rsp_valid_i,
    output logic         rsp_ready_o,
    input  logic [63:0]  rsp_data_i,
    // Offload
    output logic         off_valid_o,
    input  logic         off_ready_i,
    output offload_t     off_o,
    input  logic         ans_valid_i,
    output logic         ans_ready_o,
    input  offload_rsp_t ans_i,
    input  logic         fp_mem_done_i,
    input  logic         flags_valid_i,
    input  logic [4:0]   flags_i,
    output logic [2:0]   frm_o,
    output logic [1:0]   fmode_o,
    // Cluster
    output logic         barrier_o,
    input  logic         barrier_release_i,
    // Observation
    output logic         retire_o,
    output logic [2:0]   wrote_o,  // register file: answer, load, own result
    output logic [31:0]  pc_o,
    output logic [31:0]  insn_o,
    output logic         sleeping_o,
    output stop_e        stop_o
);
  // --- State ---------------------------------------------------------------------------------------------
  logic [31:0] pc_q, pc_d;
  logic [31:0] rf_q[32];
  logic [31:0] busy_q;  // scoreboard
  logic [63:0] cycle_q, instret_q;
  logic [4:0] fflags_q;
  logic [2:0] frm_q;
  logic [1:0] fmode_q;
  logic [31:0] mtvec_q, mepc_q, mcause_q, mscratch_q, mie_q, mstatus_q, mseg_q;
  logic asleep_q;

  // --- Decode --------------------------------------------------------------------------------------------
  logic [31:0] insn;
  logic [6:0] opcode;
  logic [2:0] f3;
  logic [6:0] f7;
  logic [4:0] rd, rs1, rs2;
  assign insn = fetch_data_i;
  assign opcode = insn[6:0];
  assign f3 = insn[14:12];
  assign f7 = insn[31:25];
  assign rd = insn[11:7];
  assign rs1 = insn[19:15];
  assign rs2 = insn[24:20];

  logic [31:0] imm_i, imm_s, imm_b, imm_u, imm_j;
  assign imm_i = {{20{insn[31]}}, insn[31:20]};
  assign imm_s = {{20{insn[31]}}, insn[31:25], insn[11:7]};
  assign imm_b = {{20{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
  assign imm_u = {insn[31:12], 12'b0};
  assign imm_j = {{12{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0};

  core_op_t op;
  snitch_decoder #(
      .HAS_FP(HAS_FP),
      .HAS_DMA(HAS_DMA)
  ) i_decoder (
      .insn_i(insn),
      .op_o(op)
  );
  logic [11:0] csr;
  assign csr = insn[31:20];

  // --- Operands ------------------------------------------------------------------------------------------
  logic [31:0] a, b;
  assign a = rf_q[rs1];
  assign b = rf_q[rs2];
  logic operands_ready, rd_ready;
  assign operands_ready = !(op.use_rs1 && busy_q[rs1]) && !(op.use_rs2 && busy_q[rs2]);
  // The scoreboard looks at bits 11:7 of every instruction, also where they are no register (stores,
  // branches) or an FP register: `fadd.d fa2, ...` and `sw a4, 44(a1)` wait for a load to a2.
  assign rd_ready = !busy_q[rd];

  logic present;
  assign fetch_valid_o = !asleep_q;
  assign fetch_addr_o = pc_q;
  assign present = fetch_valid_o && fetch_ready_i;

  // --- CSRs ----------------------------------------------------------------------------------------------
  logic [31:0] csr_old, csr_new, csr_operand;
  logic csr_known, csr_write;
  logic is_barrier;
  assign is_barrier = op.is_csr && csr == 12'h7c2;
  always_comb begin
    csr_known = 1'b1;
    csr_old = '0;
    unique case (csr)
      12'h001: csr_old = {27'b0, fflags_q};
      12'h002: csr_old = {29'b0, frm_q};
      12'h003: csr_old = {24'b0, frm_q, fflags_q};
      12'h800: csr_old = {30'b0, fmode_q};
      12'h300: csr_old = mstatus_q;
      12'h301: csr_old = 32'h4000_1129;
      12'h304: csr_old = mie_q;
      12'h305: csr_old = mtvec_q;
      12'h340: csr_old = mscratch_q;
      12'h341: csr_old = mepc_q;
      12'h342: csr_old = mcause_q;
      12'h344: csr_old = {12'b0, interrupt_i, 19'b0};
      12'h7c0, 12'h7c2, 12'h7c3, 12'h7c4, 12'h7c5, 12'h7c6, 12'h343, 12'hf11, 12'hf12, 12'hf13: ;
      12'hbc0: csr_old = mseg_q;
      12'hb00, 12'hc00: csr_old = cycle_q[31:0];
      12'hb80, 12'hc80: csr_old = cycle_q[63:32];
      12'hb02, 12'hc02: csr_old = instret_q[31:0];
      12'hb82, 12'hc82: csr_old = instret_q[63:32];
      12'hf14: csr_old = hart_i;
      default: csr_known = 1'b0;
    endcase
  end
  assign csr_operand = f3[2] ? {27'b0, rs1} : a;
  assign csr_write = f3[1:0] == 2'd1 || rs1 != '0;
  always_comb begin
    unique case (f3[1:0])
      2'd2: csr_new = csr_old | csr_operand;
      2'd3: csr_new = csr_old & ~csr_operand;
      default: csr_new = csr_operand;
    endcase
  end

  // --- Execute -------------------------------------------------------------------------------------------
  logic [31:0] alu, operand_b, address;
  logic less, less_u, taken;
  assign operand_b = opcode == 7'h33 ? b : imm_i;
  assign less = $signed(a) < $signed(opcode == 7'h63 ? b : operand_b);
  assign less_u = a < (opcode == 7'h63 ? b : operand_b);
  assign address = op.is_amo ? a : a + (opcode[5] ? imm_s : imm_i);
  always_comb begin
    unique case (f3)
      3'd0: alu = opcode == 7'h33 && f7[5] ? a - b : a + operand_b;
      3'd1: alu = a << operand_b[4:0];
      3'd2: alu = {31'b0, less};
      3'd3: alu = {31'b0, less_u};
      3'd4: alu = a ^ operand_b;
      3'd5: alu = f7[5] ? $unsigned($signed(a) >>> operand_b[4:0]) : a >> operand_b[4:0];
      3'd6: alu = a | operand_b;
      3'd7: alu = a & operand_b;
    endcase
    unique case (opcode)
      7'h37: alu = imm_u;
      7'h17: alu = pc_q + imm_u;
      7'h6f, 7'h67: alu = pc_q + 32'd4;
      7'h73: alu = csr_old;
      7'h33: if (insn[31]) alu = '0;  // a lost move, see snitch_pkg
      default: ;
    endcase
    unique case (f3)
      3'd0: taken = a == b;
      3'd1: taken = a != b;
      3'd4: taken = less;
      3'd5: taken = !less;
      3'd6: taken = less_u;
      default: taken = !less_u;
    endcase
  end

  // --- Exceptions ----------------------------------------------------------------------------------------
  stop_e cause;
  logic misaligned;
  always_comb begin
    unique case (f3[1:0])
      2'd0: misaligned = 1'b0;
      2'd1: misaligned = address[0];
      2'd2: misaligned = address[1:0] != '0;
      2'd3: misaligned = address[2:0] != '0;
    endcase
    cause = StopNone;
    if (!op.legal || (op.is_csr && !csr_known)) cause = StopIllegal;
    else if (op.is_break) cause = StopBreak;
    else if (op.is_ecall) cause = StopEcall;
    else if ((op.is_load || (op.is_fp_mem && op.fp.is_load)) && misaligned) cause = StopMisalignedLoad;
    else if ((op.is_store || op.is_amo || (op.is_fp_mem && op.fp.is_store)) && misaligned)
      cause = StopMisalignedStore;
    else if (pc_d[1:0] != '0) cause = StopMisalignedFetch;
  end
  logic exception;
  assign exception = present && operands_ready && rd_ready && cause != StopNone;
  assign stop_o = exception && mtvec_q == '0 ? cause : StopNone;

  // --- Memory --------------------------------------------------------------------------------------------
  // Outstanding FP accesses, oldest first: an integer access to the same word waits.
  localparam int unsigned CaqDepth = 8;
  logic [15:0] caq_tag_q[CaqDepth];
  logic [CaqDepth-1:0] caq_valid_q, caq_write_q;
  logic [2:0] caq_push_q, caq_pop_q;
  logic caq_hit, caq_full;
  always_comb begin
    caq_hit = 1'b0;
    if (caq_valid_q != '0)
      for (int k = 0; k < CaqDepth; k++)
        if (caq_valid_q[k] && caq_tag_q[k] == address[18:3] &&
            (op.is_store || op.is_amo || caq_write_q[k])) caq_hit = 1'b1;
  end
  assign caq_full = caq_valid_q[caq_push_q];

  logic lsu_valid, lsu_ready, lsu_empty, load_valid, load_ready;
  logic [4:0] load_rd;
  logic [63:0] load_data;
  amo_e amo;
  always_comb begin
    unique case (insn[31:27])
      5'b00001: amo = AmoSwap;
      5'b00000: amo = AmoAdd;
      5'b01100: amo = AmoAnd;
      5'b01000: amo = AmoOr;
      5'b00100: amo = AmoXor;
      5'b10100: amo = AmoMax;
      5'b11100: amo = AmoMaxu;
      5'b10000: amo = AmoMin;
      5'b11000: amo = AmoMinu;
      5'b00010: amo = AmoLr;
      default:  amo = AmoSc;
    endcase
    if (!op.is_amo) amo = AmoNone;
  end
  logic can_go;  // everything but the units is ready
  assign can_go = present && operands_ready && rd_ready && cause == StopNone;
  assign lsu_valid = can_go && (op.is_load || op.is_store || op.is_amo) && !caq_hit;
  snitch_lsu #(
      .OUTSTANDING(4),
      .TAG(5)
  ) i_lsu (
      .clk_i,
      .rst_i,
      .valid_i(lsu_valid),
      .ready_o(lsu_ready),
      .write_i(op.is_store),
      .size_i(f3[1:0]),
      .signed_i(!f3[2]),
      .amo_i(amo),
      .addr_i(address),
      .data_i({32'b0, b}),
      .tag_i(rd),
      .req_valid_o,
      .req_ready_i,
      .req_o,
      .rsp_valid_i,
      .rsp_ready_o,
      .rsp_data_i,
      .load_valid_o(load_valid),
      .load_ready_i(load_ready),
      .load_tag_o(load_rd),
      .load_data_o(load_data),
      .done_o(),
      .empty_o(lsu_empty)
  );

  // --- Offload -------------------------------------------------------------------------------------------
  assign off_valid_o = can_go && op.offload && !(op.is_fp_mem && caq_full);
  assign off_o = '{insn: insn, a: op.fp.is_chain_csr ? csr_operand : a, b: op.is_fp_mem ? address : b,
                   unit: op.unit, fp: op.fp};

  // --- Retire --------------------------------------------------------------------------------------------
  logic unit_ready, retire, write_now;
  always_comb begin
    unit_ready = 1'b1;
    if (op.is_load || op.is_store || op.is_amo) unit_ready = lsu_ready && !caq_hit;
    else if (op.offload) unit_ready = off_ready_i && !(op.is_fp_mem && caq_full);
    else if (op.is_fence) unit_ready = lsu_empty && caq_valid_q == '0;
    else if (is_barrier) unit_ready = barrier_release_i;
  end
  assign retire = can_go && unit_ready;
  assign barrier_o = can_go && is_barrier;
  assign write_now = retire && op.write_alu && rd != '0;
  assign load_ready = !write_now;
  assign ans_ready_o = !write_now && !load_valid;
  assign flush_o = retire && op.is_fence_i;

  logic [31:0] imm_jalr;
  assign imm_jalr = a + imm_i;
  always_comb begin
    pc_d = pc_q + 32'd4;
    if (op.is_jal) pc_d = pc_q + imm_j;
    else if (op.is_jalr) pc_d = {imm_jalr[31:1], 1'b0};
    else if (op.is_branch && taken) pc_d = pc_q + imm_b;
    else if (op.is_mret) pc_d = mepc_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pc_q <= boot_i;
      busy_q <= '0;
      cycle_q <= '0;
      instret_q <= '0;
      fflags_q <= '0;
      frm_q <= '0;
      fmode_q <= '0;
      mtvec_q <= '0;
      mepc_q <= '0;
      mcause_q <= '0;
      mscratch_q <= '0;
      mie_q <= '0;
      mstatus_q <= 32'h0000_1800;
      mseg_q <= '0;
      asleep_q <= 1'b0;
      caq_valid_q <= '0;
      caq_push_q <= '0;
      caq_pop_q <= '0;
      for (int k = 0; k < 32; k++) rf_q[k] <= '0;
    end else begin
      cycle_q <= cycle_q + 1'b1;
      if (flags_valid_i) fflags_q <= fflags_q | flags_i;
      if (retire) begin
        pc_q <= pc_d;
        instret_q <= instret_q + 1'b1;
        if (op.is_wfi) asleep_q <= !(interrupt_i && mie_q != '0);
        if (op.is_csr && csr_write) begin
          unique case (csr)
            12'h001: fflags_q <= csr_new[4:0];
            12'h002: frm_q <= csr_new[2:0];
            12'h003: {frm_q, fflags_q} <= csr_new[7:0];
            12'h800: fmode_q <= csr_new[1:0];
            12'h300: mstatus_q <= csr_new;
            12'h304: mie_q <= csr_new;
            12'h305: mtvec_q <= csr_new;
            12'h340: mscratch_q <= csr_new;
            12'h341: mepc_q <= csr_new;
            12'h342: mcause_q <= csr_new;
            12'hbc0: mseg_q <= csr_new;
            default: ;
          endcase
        end
      end else if (exception && mtvec_q != '0) begin
        pc_q <= {mtvec_q[31:2], 2'b0};
        mepc_q <= pc_q;
        unique case (cause)
          StopMisalignedFetch: mcause_q <= 32'd0;
          StopBreak: mcause_q <= 32'd3;
          StopMisalignedLoad: mcause_q <= 32'd4;
          StopMisalignedStore: mcause_q <= 32'd6;
          StopEcall: mcause_q <= 32'd11;
          default: mcause_q <= 32'd2;
        endcase
      end
      if (asleep_q && interrupt_i && mie_q != '0) asleep_q <= 1'b0;

      // Register file: one write a cycle.
      if (write_now) begin
        rf_q[rd] <= alu;
      end else if (load_valid) begin
        if (load_rd != '0) rf_q[load_rd] <= load_data[31:0];
        busy_q[load_rd] <= 1'b0;
      end else if (ans_valid_i) begin
        if (ans_i.rd != '0) rf_q[ans_i.rd] <= ans_i.data;
        busy_q[ans_i.rd] <= 1'b0;
      end
      if (retire && op.write_later && rd != '0) busy_q[rd] <= 1'b1;

      // Outstanding FP accesses.
      if (retire && op.is_fp_mem) begin
        caq_valid_q[caq_push_q] <= 1'b1;
        caq_tag_q[caq_push_q] <= address[18:3];
        caq_write_q[caq_push_q] <= op.fp.is_store;
        caq_push_q <= caq_push_q + 1'b1;
      end
      if (fp_mem_done_i) begin
        caq_valid_q[caq_pop_q] <= 1'b0;
        caq_pop_q <= caq_pop_q + 1'b1;
      end
    end
  end

  assign retire_o = retire;
  assign wrote_o = {ans_valid_i && ans_ready_o, load_valid && load_ready, write_now};
  assign pc_o = pc_q;
  assign insn_o = insn;
  assign sleeping_o = asleep_q;
  assign frm_o = frm_q;
  assign fmode_o = fmode_q;
endmodule
