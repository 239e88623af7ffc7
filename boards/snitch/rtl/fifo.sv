// A FIFO without fall-through: what is pushed in one cycle can be popped in the next. With DEPTH 2 it is
// the spill register that cuts every combinational path of a handshake.
module fifo #(
    parameter int unsigned WIDTH = 1,
    parameter int unsigned DEPTH = 2
) (
    input  logic             clk_i,
    input  logic             rst_i,
    input  logic             push_valid_i,
    output logic             push_ready_o,
    input  logic [WIDTH-1:0] push_data_i,
    output logic             pop_valid_o,
    input  logic             pop_ready_i,
    output logic [WIDTH-1:0] pop_data_o
);
  localparam int unsigned PtrWidth = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int unsigned CountWidth = $clog2(DEPTH + 1);
  localparam logic [PtrWidth-1:0] Last = PtrWidth'(DEPTH - 1);

  logic [WIDTH-1:0] mem_q[DEPTH];
  logic [PtrWidth-1:0] read_q, write_q;
  logic [CountWidth-1:0] count_q;

  assign push_ready_o = count_q != CountWidth'(DEPTH);
  assign pop_valid_o  = count_q != '0;
  assign pop_data_o   = mem_q[read_q];

  logic push, pop;
  assign push = push_valid_i && push_ready_o;
  assign pop  = pop_valid_o && pop_ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (push) begin
        mem_q[write_q] <= push_data_i;
        write_q <= write_q == Last ? '0 : write_q + 1'b1;
      end
      if (pop) read_q <= read_q == Last ? '0 : read_q + 1'b1;
      if (push != pop) count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
    end
  end
endmodule
