// The FPU: four fully pipelined groups that share one result port. Arithmetic is a DPI call when an
// instruction enters; what is modelled here is time.
//
//   group         registers   issue distance of a dependent instruction
//   add/multiply      3          4
//   dot product       3          4
//   conversion        2          3
//   other             1          2
//
// Every register is a stage of a valid/ready pipeline (bubbles collapse); a round-robin tree picks the
// group that delivers its result.
module snitch_fpu
  import snitch_pkg::*;
#(
    parameter int unsigned TAG = 8
) (
    input  logic           clk_i,
    input  logic           rst_i,
    input  logic           valid_i,
    output logic           ready_o,
    input  group_e         group_i,
    input  logic [31:0]    insn_i,
    input  logic [63:0]    rs1_i,
    input  logic [63:0]    rs2_i,
    input  logic [63:0]    rs3_i,
    input  logic [63:0]    rd_i,
    input  logic [2:0]     frm_i,
    input  logic [1:0]     fmode_i,
    input  logic [TAG-1:0] tag_i,
    output logic           valid_o,
    input  logic           ready_i,
    output logic [63:0]    value_o,
    output logic [4:0]     flags_o,
    output logic [TAG-1:0] tag_o,
    output logic           idle_o
);
  import "DPI-C" function void quern_snitch_fp(
      input int insn, input longint rs1, input longint rs2, input longint rs3, input longint rd,
      input int frm, input int fmode, output longint value, output int flags);

  typedef struct packed {
    logic [63:0]    value;
    logic [4:0]     flags;
    logic [TAG-1:0] tag;
  } slot_t;

  // Stage 0 of a group is its first register; the last one feeds the result port.
  slot_t mul_q[3], dot_q[3], conv_q[2], comp_q[6];
  logic [2:0] mul_v, dot_v;
  logic [1:0] conv_v;
  logic [5:0] comp_v;  // a slice of its own for each format

  logic [3:0] grant;  // result port to: add/multiply, other, conversion, dot product
  // *_goK: register K can take a new value.
  logic mul_go0, mul_go1, mul_go2, dot_go0, dot_go1, dot_go2, conv_go0, conv_go1, comp_go;
  assign mul_go2 = !mul_v[2] || grant[0];
  assign mul_go1 = !mul_v[1] || mul_go2;
  assign mul_go0 = !mul_v[0] || mul_go1;
  assign dot_go2 = !dot_v[2] || grant[3];
  assign dot_go1 = !dot_v[1] || dot_go2;
  assign dot_go0 = !dot_v[0] || dot_go1;
  assign conv_go1 = !conv_v[1] || grant[2];
  assign conv_go0 = !conv_v[0] || conv_go1;

  // Slices of the group without arithmetic: f32, f64, f16, f8, bf16, f8alt, with an arbiter of their own.
  logic [1:0] format_code;
  logic [2:0] format, comp_pick, comp_pointer_q;
  assign format_code = insn_i[6:0] == 7'h33 ? insn_i[13:12] : insn_i[26:25];
  assign format = {format_code[1] && fmode_i[0], format_code[1] && !fmode_i[0], format_code[0]};
  assign comp_pick = rr8_pick({2'b0, comp_v}, comp_pointer_q);
  assign comp_go = !comp_v[format] || (grant[1] && comp_pick == format);

  always_comb begin
    unique case (group_i)
      GroupAddMul:  ready_o = mul_go0;
      GroupNonComp: ready_o = comp_go;
      GroupConv:    ready_o = conv_go0;
      GroupDot:     ready_o = dot_go0;
    endcase
  end

  // Result port: requesters 0 add/multiply, 1 (divider, absent), 2 other, 3 conversion, 4 dot product,
  // in a binary tree over eight leaves.
  logic [4:0] request;
  logic [2:0] pointer_q, pointer_d, winner;
  assign request = {dot_v[2], conv_v[1], comp_v != '0, 1'b0, mul_v[2]};
  assign valid_o = request != '0;
  assign winner = rr8_pick({3'b0, request}, pointer_q);
  assign pointer_d = rr8_next({3'b0, request}, pointer_q);
  always_comb begin
    grant = '0;
    if (ready_i && valid_o) begin
      unique case (winner)
        3'd2:    grant[1] = 1'b1;
        3'd3:    grant[2] = 1'b1;
        3'd4:    grant[3] = 1'b1;
        default: grant[0] = 1'b1;
      endcase
    end
  end
  slot_t result;
  always_comb begin
    unique case (winner)
      3'd2:    result = comp_q[comp_pick];
      3'd3:    result = conv_q[1];
      3'd4:    result = dot_q[2];
      default: result = mul_q[2];
    endcase
  end
  assign value_o = result.value;
  assign flags_o = result.flags;
  assign tag_o = result.tag;
  assign idle_o = mul_v == '0 && dot_v == '0 && conv_v == '0 && comp_v == '0;

  logic take;
  assign take = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mul_v <= '0;
      dot_v <= '0;
      conv_v <= '0;
      comp_v <= '0;
      pointer_q <= '0;
      comp_pointer_q <= '0;
    end else begin
      if (ready_i && valid_o) pointer_q <= pointer_d;
      if (mul_go2) mul_v[2] <= mul_v[1];
      if (mul_go2) mul_q[2] <= mul_q[1];
      if (mul_go1) mul_v[1] <= mul_v[0];
      if (mul_go1) mul_q[1] <= mul_q[0];
      if (mul_go0) mul_v[0] <= take && group_i == GroupAddMul;
      if (dot_go2) dot_v[2] <= dot_v[1];
      if (dot_go2) dot_q[2] <= dot_q[1];
      if (dot_go1) dot_v[1] <= dot_v[0];
      if (dot_go1) dot_q[1] <= dot_q[0];
      if (dot_go0) dot_v[0] <= take && group_i == GroupDot;
      if (conv_go1) conv_v[1] <= conv_v[0];
      if (conv_go1) conv_q[1] <= conv_q[0];
      if (conv_go0) conv_v[0] <= take && group_i == GroupConv;
      if (grant[1]) begin
        comp_v[comp_pick] <= 1'b0;
        comp_pointer_q <= rr8_next({2'b0, comp_v}, comp_pointer_q);
      end
      if (take && group_i == GroupNonComp) comp_v[format] <= 1'b1;
      if (take) begin
        automatic longint value;
        automatic int flags;
        automatic slot_t slot;
        quern_snitch_fp(insn_i, rs1_i, rs2_i, rs3_i, rd_i, {29'b0, frm_i}, {30'b0, fmode_i}, value,
                        flags);
        slot = '{value: value, flags: flags[4:0], tag: tag_i};
        unique case (group_i)
          GroupAddMul:  mul_q[0] <= slot;
          GroupNonComp: comp_q[format] <= slot;
          GroupConv:    conv_q[0] <= slot;
          GroupDot:     dot_q[0] <= slot;
        endcase
      end
    end
  end
endmodule
