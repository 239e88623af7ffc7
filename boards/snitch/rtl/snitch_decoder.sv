// Decodes one instruction of the integer core; what the FP subsystem executes is left to fp_decode().
module snitch_decoder
  import snitch_pkg::*;
#(
    parameter bit HAS_FP = 1'b1,
    parameter bit HAS_DMA = 1'b0
) (
    input  logic [31:0] insn_i,
    output core_op_t    op_o
);
  logic [6:0] opcode;
  logic [2:0] f3;
  logic [6:0] f7;
  logic [4:0] rd, rs1;
  assign opcode = insn_i[6:0];
  assign f3 = insn_i[14:12];
  assign f7 = insn_i[31:25];
  assign rd = insn_i[11:7];
  assign rs1 = insn_i[19:15];

  logic fp_class;  // opcodes that the FP subsystem decodes
  assign fp_class = opcode == 7'h07 || opcode == 7'h27 || opcode == 7'h43 || opcode == 7'h47 ||
                    opcode == 7'h4b || opcode == 7'h4f || opcode == 7'h53 ||
                    (opcode == 7'h33 && insn_i[31]);

  logic [11:0] csr;
  logic csr_offloaded;
  assign csr = insn_i[31:20];
  assign csr_offloaded = HAS_FP && ((csr == 12'h7c0 && (f3 == 3'd6 || f3 == 3'd7)) ||
                                    (csr == 12'h7c3 && (f3 == 3'd2 || f3 == 3'd3) && rs1 != '0));

  always_comb begin
    op_o = '0;
    if (fp_class) op_o.fp = fp_decode(insn_i);
    op_o.legal = 1'b1;
    unique case (opcode)
      7'h37, 7'h17: op_o.write_alu = 1'b1;  // lui, auipc
      7'h6f: begin
        op_o.is_jal = 1'b1;
        op_o.write_alu = 1'b1;
      end
      7'h67: begin
        op_o.is_jalr = 1'b1;
        op_o.use_rs1 = 1'b1;
        op_o.write_alu = 1'b1;
        op_o.legal = f3 == 3'd0;
      end
      7'h63: begin
        op_o.is_branch = 1'b1;
        op_o.use_rs1 = 1'b1;
        op_o.use_rs2 = 1'b1;
        op_o.legal = f3[2:1] != 2'b01;
      end
      7'h03: begin
        op_o.is_load = 1'b1;
        op_o.use_rs1 = 1'b1;
        op_o.write_later = 1'b1;
        op_o.legal = f3 != 3'd3 && f3 < 3'd6;
      end
      7'h23: begin
        op_o.is_store = 1'b1;
        op_o.use_rs1 = 1'b1;
        op_o.use_rs2 = 1'b1;
        op_o.legal = f3 < 3'd3;
      end
      7'h13: begin
        op_o.use_rs1 = 1'b1;
        op_o.write_alu = 1'b1;
        op_o.legal = (f3 != 3'd1 || f7 == '0) && (f3 != 3'd5 || (f7 & 7'h5f) == '0);
      end
      7'h33: begin
        if (is_lost_move(insn_i)) begin
          op_o.write_alu = 1'b1;
        end else if (insn_i[31]) begin
          op_o.offload = 1'b1;
          op_o.legal = HAS_FP && op_o.fp.legal;
          op_o.use_rs1 = op_o.fp.int_rs1;
          op_o.write_later = op_o.fp.int_rd;
        end else begin
          op_o.use_rs1 = 1'b1;
          op_o.use_rs2 = 1'b1;
          if (f7 == 7'h01) begin
            op_o.offload = 1'b1;
            op_o.unit = UnitMulDiv;
            op_o.write_later = 1'b1;
          end else begin
            op_o.write_alu = 1'b1;
            op_o.legal = f7 == '0 || (f7 == 7'h20 && (f3 == 3'd0 || f3 == 3'd5));
          end
        end
      end
      7'h2f: begin
        op_o.is_amo = 1'b1;
        op_o.use_rs1 = 1'b1;
        op_o.use_rs2 = insn_i[31:27] != 5'b00010;
        op_o.write_later = 1'b1;
        op_o.legal = f3 == 3'd2 && (insn_i[31:27] <= 5'd4 || (insn_i[28:27] == '0));
      end
      7'h07, 7'h27: begin
        op_o.offload = 1'b1;
        op_o.is_fp_mem = 1'b1;
        op_o.use_rs1 = 1'b1;
        op_o.legal = HAS_FP && op_o.fp.legal;
      end
      7'h43, 7'h47, 7'h4b, 7'h4f, 7'h53: begin
        op_o.offload = 1'b1;
        op_o.legal = HAS_FP && op_o.fp.legal;
        op_o.use_rs1 = op_o.fp.int_rs1;
        op_o.write_later = op_o.fp.int_rd;
      end
      7'h0b: begin  // frep.o
        op_o.offload = 1'b1;
        op_o.use_rs1 = 1'b1;
        op_o.fp.is_frep = 1'b1;
        op_o.legal = HAS_FP && insn_i[7];
      end
      7'h2b: begin
        op_o.offload = 1'b1;
        op_o.unit = UnitSsr;
        unique case (f3)
          3'd2: begin  // scfgwi, scfgw
            op_o.use_rs1 = 1'b1;
            op_o.use_rs2 = rd == 5'd1;
            op_o.legal = HAS_FP && (rd == '0 || (rd == 5'd1 && f7 == '0));
          end
          3'd1: begin  // scfgri, scfgr
            op_o.use_rs2 = rs1 == 5'd1;
            op_o.write_later = 1'b1;
            op_o.legal = HAS_FP && (rs1 == '0 || (rs1 == 5'd1 && f7 == '0));
          end
          3'd0: begin  // DMA
            op_o.unit = UnitDma;
            op_o.use_rs1 = f7 != 7'd4 && f7 != 7'd5;
            op_o.use_rs2 = f7 == 7'd0 || f7 == 7'd1 || f7 == 7'd3 || f7 == 7'd5 || f7 == 7'd6;
            op_o.write_later = f7 >= 7'd2 && f7 <= 7'd5;
            op_o.legal = HAS_DMA && f7 < 7'd8;
          end
          default: op_o.legal = 1'b0;
        endcase
      end
      7'h0f: begin
        op_o.is_fence = 1'b1;
        op_o.is_fence_i = f3 == 3'd1;
        op_o.legal = f3 < 3'd2;
      end
      7'h73: begin
        if (f3 == 3'd0) begin
          op_o.is_wfi = insn_i == 32'h1050_0073;
          op_o.is_mret = insn_i == 32'h3020_0073;
          op_o.is_ecall = insn_i == 32'h0000_0073;
          op_o.is_break = insn_i == 32'h0010_0073;
          op_o.legal = op_o.is_wfi || op_o.is_mret || op_o.is_ecall || op_o.is_break;
        end else begin
          op_o.legal = f3 != 3'd4;
          op_o.use_rs1 = !f3[2];
          if (csr_offloaded) begin
            op_o.offload = 1'b1;
            op_o.fp.is_ssr_csr = csr == 12'h7c0;
            op_o.fp.is_chain_csr = csr == 12'h7c3;
            op_o.fp.direct = 1'b1;
          end else begin
            op_o.is_csr = 1'b1;
            op_o.write_alu = 1'b1;
          end
        end
      end
      default: op_o.legal = 1'b0;
    endcase
  end
endmodule
