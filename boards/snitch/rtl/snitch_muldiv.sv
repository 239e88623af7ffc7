// The multiplier and divider that the cores of a cluster share. A product takes one register and may
// overtake a division; the divider is serial.
//
//   steps of a division = leading zeros of |divisor| - leading zeros of the dividend + 1,
//                         33 for a divisor of zero,
//                         none when the difference is negative: the quotient is zero, the result is ready
//
// A negative dividend -n counts as 2n - 1. (That rests on one conformance program, mix_all1; the rest on six.)
module snitch_muldiv #(
    parameter int unsigned ID = 8
) (
    input  logic          clk_i,
    input  logic          rst_i,
    input  logic          valid_i,
    output logic          ready_o,
    input  logic [2:0]    op_i,    // funct3 of the M extension
    input  logic [31:0]   a_i,
    input  logic [31:0]   b_i,
    input  logic [ID-1:0] id_i,
    output logic          valid_o,
    input  logic          ready_i,
    output logic [31:0]   data_o,
    output logic [ID-1:0] id_o
);
  typedef enum logic [1:0] {
    Idle,
    Divide,
    Finish
  } state_e;

  // Multiplier.
  logic mul_valid_q, mul_ready, mul_taken;
  logic [31:0] mul_data_q;
  logic [ID-1:0] mul_id_q;
  logic [63:0] product;
  logic signed [32:0] a_ext, b_ext;
  assign a_ext = {a_i[31] && op_i[1:0] != 2'd3, a_i};
  assign b_ext = {b_i[31] && !op_i[1], b_i};
  assign product = 64'(66'(a_ext) * 66'(b_ext));
  assign mul_ready = !mul_valid_q || mul_taken;

  // Divider: quotient bits from `count_q` down to 0.
  state_e state_q;
  logic [5:0] count_q;
  logic [31:0] quotient_q, rest_q;
  logic [63:0] divisor_q;
  logic negate_quotient_q, negate_rest_q, want_rest_q;
  logic zero_q;  // the quotient is known to be zero: the result is there at once
  logic [ID-1:0] div_id_q;
  logic div_ready, div_valid, div_taken;
  logic [31:0] div_data;

  function automatic logic [5:0] leading_zeros(input logic [31:0] x);
    leading_zeros = 6'd32;
    for (int i = 0; i < 32; i++) if (x[i]) leading_zeros = 6'(31 - i);
  endfunction

  logic is_signed;
  logic [31:0] a_abs, b_abs;
  logic [5:0] zeros_a, zeros_b;
  assign is_signed = !op_i[0];
  assign a_abs = is_signed && a_i[31] ? -a_i : a_i;
  assign b_abs = is_signed && b_i[31] ? -b_i : b_i;
  assign zeros_a = leading_zeros(is_signed && a_i[31] ? {~a_i[30:0], 1'b1} : a_i);
  assign zeros_b = leading_zeros(b_abs);
  logic by_zero, short;
  logic [5:0] steps;
  assign by_zero = b_i == '0;
  assign short = zeros_b < zeros_a;
  // A divisor of zero needs no case of its own: every quotient bit is one, the rest stays the dividend.
  assign steps = by_zero ? 6'd32 : short ? '0 : zeros_b - zeros_a;

  assign div_ready = state_q == Idle;
  assign div_valid = state_q == Finish || (state_q == Divide && zero_q);
  always_comb begin
    if (want_rest_q) div_data = negate_rest_q ? -rest_q : rest_q;
    else div_data = negate_quotient_q ? -quotient_q : quotient_q;
  end

  assign ready_o = op_i[2] ? div_ready : mul_ready;

  // Response: round robin between the two.
  logic pointer_q, pick;
  assign pick = snitch_pkg::rr2_pick({div_valid, mul_valid_q}, pointer_q);
  assign valid_o = mul_valid_q || div_valid;
  assign data_o = pick ? div_data : mul_data_q;
  assign id_o = pick ? div_id_q : mul_id_q;
  assign mul_taken = mul_valid_q && !pick && ready_i;
  assign div_taken = div_valid && pick && ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mul_valid_q <= 1'b0;
      state_q <= Idle;
      pointer_q <= 1'b0;
    end else begin
      if (valid_o && ready_i) pointer_q <= snitch_pkg::rr2_next({div_valid, mul_valid_q}, pointer_q);
      if (mul_ready) begin
        mul_valid_q <= valid_i && !op_i[2];
        mul_data_q <= op_i[1:0] == 2'd0 ? product[31:0] : product[63:32];
        mul_id_q <= id_i;
      end
      unique case (state_q)
        Idle:
        if (valid_i && op_i[2]) begin
          state_q <= Divide;
          count_q <= steps;
          divisor_q <= {32'b0, b_abs} << steps;
          quotient_q <= '0;
          rest_q <= a_abs;
          zero_q <= short && !by_zero;
          negate_quotient_q <= is_signed && a_i[31] != b_i[31] && !by_zero;
          negate_rest_q <= is_signed && a_i[31];
          want_rest_q <= op_i[1];
          div_id_q <= id_i;
        end
        Divide:
        if (zero_q) begin
          state_q <= div_taken ? Idle : Finish;
        end else begin
          if ({32'b0, rest_q} >= divisor_q) begin
            rest_q <= 32'({32'b0, rest_q} - divisor_q);
            quotient_q <= {quotient_q[30:0], 1'b1};
          end else begin
            quotient_q <= {quotient_q[30:0], 1'b0};
          end
          divisor_q <= divisor_q >> 1;
          count_q <= count_q - 1'b1;
          if (count_q == '0) state_q <= Finish;
        end
        default: if (div_taken) state_q <= Idle;
      endcase
    end
  end
endmodule
