// Types and instruction decoding that the modules of the Snitch core complex share.
package snitch_pkg;

  // Where an offloaded instruction goes.
  typedef enum logic [1:0] {
    UnitFp,
    UnitMulDiv,
    UnitSsr,
    UnitDma
  } unit_e;

  // The pipelines of the FPU; the order is that of its result arbiter.
  typedef enum logic [1:0] {
    GroupAddMul,
    GroupNonComp,
    GroupConv,
    GroupDot
  } group_e;

  // What the FP subsystem needs to know of one instruction.
  typedef struct packed {
    logic   legal;
    group_e group;
    logic   is_load;
    logic   is_store;
    logic   is_ssr_csr;    // stream semantics on/off
    logic   is_chain_csr;  // scalar-chaining mask
    logic   is_frep;
    logic   direct;        // bypasses the sequencer's buffer
    logic   use_rs1;
    logic   use_rs2;
    logic   use_rs3;
    logic   use_rd;        // reads the old rd (accumulator, partial write)
    logic   int_rs1;
    logic   int_rd;
    logic   write_fp;
  } fp_op_t;

  // What the integer core needs to know of one instruction.
  typedef struct packed {
    logic   legal;
    logic   use_rs1;
    logic   use_rs2;
    logic   write_alu;    // writes rd in its own cycle
    logic   write_later;  // writes rd when an answer comes
    logic   is_load;
    logic   is_store;
    logic   is_amo;
    logic   is_fp_mem;    // FP load or store: the core computes the address
    logic   offload;
    logic   is_branch;
    logic   is_jal;
    logic   is_jalr;
    logic   is_csr;       // of the core itself
    logic   is_fence;
    logic   is_fence_i;
    logic   is_wfi;
    logic   is_mret;
    logic   is_ecall;
    logic   is_break;
    unit_e  unit;
    fp_op_t fp;
  } core_op_t;

  typedef struct packed {
    logic [31:0] insn;
    logic [31:0] a;        // integer rs1
    logic [31:0] b;        // integer rs2, or the address of an FP load or store
    unit_e       unit;
    fp_op_t      fp;
  } offload_t;

  typedef struct packed {
    logic [4:0]  rd;
    logic [31:0] data;
  } offload_rsp_t;

  typedef enum logic [3:0] {
    AmoNone, AmoSwap, AmoAdd, AmoAnd, AmoOr, AmoXor, AmoMax, AmoMaxu, AmoMin, AmoMinu, AmoLr, AmoSc
  } amo_e;

  // One request on a 64-bit data port.
  typedef struct packed {
    logic [31:0] addr;
    logic        write;
    amo_e        amo;
    logic [63:0] data;
    logic [7:0]  strb;
  } mem_req_t;

  // What happens in one hart in one cycle, for the performance counters.
  typedef struct packed {
    logic retired;
    logic wrote_alu;     // the three users of the register-file write port
    logic wrote_load;
    logic wrote_answer;
    logic core_to_fpss;  // offloaded to the FP subsystem
    logic issue_fpss;    // issued by the sequencer, repetitions included
    logic issue_fpu;     // of these the FPU's
    logic l0_hit;
    logic l0_miss;       // a refill that the core waits for begins
    logic l0_prefetch;
    logic l0_stall;
  } hart_events_t;

  // Why the core stopped the run.
  typedef enum logic [3:0] {
    StopNone, StopIllegal, StopMisalignedLoad, StopMisalignedStore, StopMisalignedFetch, StopBreak,
    StopEcall, StopAccess
  } stop_e;

  localparam logic [31:0] TcdmBase = 32'h1000_0000;
  localparam logic [31:0] TcdmMask = 32'hfffe_0000;

  // The packed moves and conversions between an FP and an integer register, vfmv.x.h to vfcvt.b.xu, and
  // vfclass.b. With f64 registers, which no integer register could take, the core neither offloads nor
  // refuses them: they pass through the ALU without an operand and leave zero in the *integer* register
  // that the bits of rd name, also where these mean an FP register (vfcvt.h.x fa1, ... clears a1).
  function automatic logic is_lost_move(input logic [31:0] i);
    return i[6:0] == 7'h33 && i[31:25] == 7'b1001100 && i[13] &&
           (i[24:20] == 5'd0 || i[24:20] == 5'd2 || i[24:20] == 5'd3 ||
            (i[24:20] == 5'd1 && i[14:12] == 3'd3));
  endfunction

  // Decodes everything that the FP subsystem executes. Integer loads and the like give legal = 0.
  // verilator lint_off UNUSEDSIGNAL
  function automatic fp_op_t fp_decode(input logic [31:0] i);
    fp_op_t d;
    logic [4:0] rs2;
    logic [2:0] f3;
    logic [1:0] fmt;
    logic       rm_ok;
    d = '0;
    rs2 = i[24:20];
    f3 = i[14:12];
    rm_ok = f3 != 3'd5 && f3 != 3'd6;
    unique case (i[6:0])
      7'h07: begin  // loads: b h w d
        d.legal = f3 <= 3'd3;
        d.is_load = 1'b1;
        d.write_fp = 1'b1;
      end
      7'h27: begin
        d.legal = f3 <= 3'd3;
        d.is_store = 1'b1;
        d.use_rs2 = 1'b1;
      end
      7'h43, 7'h47, 7'h4b, 7'h4f: begin
        d.legal = rm_ok;
        d.use_rs1 = 1'b1;
        d.use_rs2 = 1'b1;
        d.use_rs3 = 1'b1;
        d.write_fp = 1'b1;
      end
      7'h53: begin
        fmt = i[26:25];
        d.use_rs1 = 1'b1;
        d.write_fp = 1'b1;
        unique case (i[31:27])
          5'b00000, 5'b00001, 5'b00010: begin
            d.legal = rm_ok;
            d.use_rs2 = 1'b1;
          end
          5'b00100, 5'b00101: begin
            d.legal = f3 <= (i[27] ? 3'd1 : 3'd2);
            d.group = GroupNonComp;
            d.use_rs2 = 1'b1;
          end
          5'b01000: begin
            d.legal = rm_ok && rs2[4:2] == 3'd0 && (rs2[1:0] != fmt || fmt == 2'd2);
            d.group = GroupConv;
          end
          5'b10100: begin
            d.legal = f3 <= 3'd2;
            d.group = GroupNonComp;
            d.use_rs2 = 1'b1;
            d.int_rd = 1'b1;
          end
          5'b11000: begin
            d.legal = rm_ok && rs2[4:1] == 4'd0;
            d.group = GroupConv;
            d.int_rd = 1'b1;
          end
          5'b11010: begin
            d.legal = rm_ok && rs2[4:1] == 4'd0;
            d.group = GroupConv;
            d.int_rs1 = 1'b1;
          end
          5'b11100: begin
            d.legal = rs2 == 5'd0 && f3 <= 3'd1;
            d.group = GroupNonComp;
            d.int_rd = 1'b1;
          end
          5'b11110: begin
            d.legal = rs2 == 5'd0 && f3 == 3'd0 && fmt != 2'd1;
            d.group = GroupNonComp;
            d.int_rs1 = 1'b1;
          end
          default: d.legal = 1'b0;
        endcase
      end
      7'h33: begin
        fmt = f3[1:0];
        d.use_rs1 = 1'b1;
        d.write_fp = 1'b1;
        unique case (i[31:25])
          7'b1000001, 7'b1000010, 7'b1000011: begin
            d.legal = fmt != 2'd1;
            d.use_rs2 = 1'b1;
          end
          7'b1001000, 7'b1001001: begin
            d.legal = fmt != 2'd1;
            d.use_rs2 = 1'b1;
            d.use_rd = 1'b1;
          end
          7'b1000101, 7'b1000110, 7'b1001101, 7'b1001110, 7'b1001111: begin
            d.legal = fmt != 2'd1;
            d.group = GroupNonComp;
            d.use_rs2 = 1'b1;
          end
          7'b1010000, 7'b1010001, 7'b1010010, 7'b1010011, 7'b1010100, 7'b1010101: begin
            d.legal = fmt != 2'd1;
            d.group = GroupNonComp;
            d.use_rs2 = 1'b1;
            d.int_rd = 1'b1;
          end
          7'b1000111, 7'b1010111: begin
            d.legal = (rs2 == 5'b11100 && f3 == 3'd0) || (rs2 == 5'b11110 && f3 == 3'd2) ||
                      (rs2 == 5'b00111 && f3 == 3'd3) || (rs2 == 5'b10110 && f3 == 3'd0) ||
                      (rs2 == 5'b10111 && f3 == 3'd2);
            d.group = GroupDot;
            d.use_rd = 1'b1;
          end
          7'b1001011, 7'b1011101: begin
            d.legal = !fmt[0];
            d.group = GroupDot;
            d.use_rs2 = 1'b1;
            d.use_rd = !f3[2];
          end
          7'b1001100: begin
            unique case (rs2)
              // 0, 2, 3 and vfclass.b: is_lost_move()
              5'd1: begin
                d.legal = !fmt[0] && !f3[2];
                d.group = GroupNonComp;
                d.int_rd = 1'b1;
              end
              5'd4: begin
                d.legal = fmt != 2'd0;
                d.group = GroupConv;
              end
              5'd5: begin
                d.legal = fmt == 2'd2;
                d.group = GroupConv;
              end
              5'd6: begin
                d.legal = fmt == 2'd0 || fmt == 2'd3;
                d.group = GroupConv;
              end
              5'd7: begin
                d.legal = fmt != 2'd1;
                d.group = GroupConv;
              end
              default: d.legal = 1'b0;
            endcase
          end
          7'b1011000, 7'b1011001, 7'b1011010, 7'b1011011: begin
            d.legal = fmt == 2'd3 || (fmt == 2'd2 && !i[25]) || (f3 == 3'd0 && !i[25]);
            d.group = GroupConv;
            d.use_rs2 = 1'b1;
            d.use_rd = fmt[1];
          end
          default: d.legal = 1'b0;
        endcase
      end
      default: d.legal = 1'b0;
    endcase
    if (d.int_rs1) d.use_rs1 = 1'b0;
    if (d.int_rd) d.write_fp = 1'b0;
    d.direct = d.int_rs1 || d.int_rd;
    return d;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  // Round-robin choice of two requesters: the second one wins when it asks and either the first does not
  // or the pointer stands at it. The pointer moves to the next requester after a grant.
  function automatic logic rr2_pick(input logic [1:0] req, input logic pointer);
    return req[1] && (!req[0] || pointer);
  endfunction
  function automatic logic rr2_next(input logic [1:0] req, input logic pointer);
    return pointer ? !req[0] : req[1];
  endfunction

  // The same over up to eight requesters: a binary tree whose nodes prefer the left child unless only the
  // right one asks or the pointer's bit of that level is set.
  function automatic logic [2:0] rr8_pick(input logic [7:0] req, input logic [2:0] pointer);
    logic [3:0] half;
    logic [1:0] pair;
    rr8_pick[2] = req[7:4] != '0 && (req[3:0] == '0 || pointer[2]);
    half = rr8_pick[2] ? req[7:4] : req[3:0];
    rr8_pick[1] = half[3:2] != '0 && (half[1:0] == '0 || pointer[1]);
    pair = rr8_pick[1] ? half[3:2] : half[1:0];
    rr8_pick[0] = pair[1] && (!pair[0] || pointer[0]);
  endfunction
  function automatic logic [2:0] rr8_next(input logic [7:0] req, input logic [2:0] pointer);
    rr8_next = pointer;
    for (int k = 7; k >= 0; k--) if (req[k] && 3'(k) <= pointer) rr8_next = 3'(k);
    for (int k = 7; k >= 0; k--) if (req[k] && 3'(k) > pointer) rr8_next = 3'(k);
  endfunction

endpackage
