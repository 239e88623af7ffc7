// The FREP sequencer: a ring buffer of FP instructions that repeats loop bodies by itself.
//
//   core ──> [ head ....... read ....... write ]  ──> FP issue
//              outermost    next to      next to
//              body stays   issue        arrive
//
// An ordinary instruction is written to the buffer and can issue in the next cycle. While a loop nest
// runs, `head` stays at its first instruction, so the whole body is kept. Direct instructions (moves to and
// from the integer core, CSRs) pass around the buffer when it is empty. A frep that is not part of the
// running nest waits until the nest has issued its last instruction.
module snitch_sequencer
  import snitch_pkg::*;
#(
    parameter int unsigned DEPTH = 64,
    parameter int unsigned LOOPS = 2
) (
    input  logic     clk_i,
    input  logic     rst_i,
    input  logic     valid_i,
    output logic     ready_o,
    input  offload_t data_i,
    output logic     valid_o,
    input  logic     ready_i,
    output offload_t data_o,
    output logic     repeated_o,  // the instruction on data_o comes from a repetition
    output logic     empty_o
);
  localparam int unsigned IndexWidth = $clog2(DEPTH);
  localparam int unsigned PtrWidth = IndexWidth + 1;
  localparam int unsigned LoopWidth = $clog2(LOOPS);
  typedef logic [PtrWidth-1:0] ptr_t;

  offload_t buffer_q[DEPTH];
  ptr_t head_q, read_q, write_q;

  logic [LoopWidth:0] loops_q;  // how many loops the running nest has; loop 0 is the outermost
  ptr_t start_q[LOOPS];
  ptr_t length_q[LOOPS];        // instructions of the body - 1
  logic [15:0] count_q[LOOPS];  // iterations - 1
  logic [15:0] iteration_q[LOOPS];
  logic [2:0] stagger_max_q[LOOPS];
  logic [3:0] stagger_mask_q[LOOPS];
  logic [2:0] stagger_q[LOOPS];
  logic [LOOPS-1:0] dead_q;     // the register was taken over
  logic ran_q;                  // the innermost loop has come to its end

  logic buffer_empty, buffer_full, idle;
  assign buffer_empty = read_q == write_q;
  assign buffer_full = ptr_t'(write_q - head_q) == ptr_t'(DEPTH);
  assign idle = buffer_empty && loops_q == '0;
  assign empty_o = idle;

  // Is the outermost body still arriving? Then a frep belongs to the nest.
  logic in_body;
  assign in_body = ptr_t'(write_q - start_q[0]) <= length_q[0];

  logic take_frep, take_buffered, take_direct, issue;
  logic [LOOPS-1:0] ends, advance;
  assign issue = !buffer_empty && ready_i;
  // More loops than registers: the new one waits until the innermost one has run once, and then takes its
  // register but does not repeat. Measured on the hardware; see docs/snitch-core.md.
  logic full, take_over;
  assign full = loops_q == (LoopWidth + 1)'(LOOPS);
  assign take_over = full && (ran_q || (issue && ends[LOOPS-1]));
  assign take_frep = valid_i && data_i.fp.is_frep &&
                     (loops_q == '0 || (in_body && (!full || take_over)));
  assign take_buffered = valid_i && !data_i.fp.is_frep && !data_i.fp.direct && !buffer_full;
  assign take_direct = valid_i && data_i.fp.direct && idle;
  assign ready_o = take_frep || take_buffered || (take_direct && ready_i);

  // The innermost loop of the nest staggers, an outer one does not.
  logic [2:0] offset;
  logic [3:0] offset_mask;
  logic repeated;
  always_comb begin
    offset = '0;
    offset_mask = '0;
    repeated = 1'b0;
    for (int unsigned k = 0; k < LOOPS; k++) begin
      if ((LoopWidth + 1)'(k) < loops_q && !dead_q[k] &&
          ptr_t'(read_q - start_q[k]) <= length_q[k]) begin
        if ((LoopWidth + 1)'(k) + 1'b1 == loops_q) begin
          offset = stagger_q[k];
          offset_mask = stagger_mask_q[k];
        end
        repeated = repeated || iteration_q[k] != '0;
      end
    end
  end

  offload_t next;
  always_comb begin
    next = buffer_q[read_q[IndexWidth-1:0]];
    if (offset_mask[0]) next.insn[11:7] = next.insn[11:7] + {2'b0, offset};
    if (offset_mask[1]) next.insn[19:15] = next.insn[19:15] + {2'b0, offset};
    if (offset_mask[2]) next.insn[24:20] = next.insn[24:20] + {2'b0, offset};
    if (offset_mask[3]) next.insn[31:27] = next.insn[31:27] + {2'b0, offset};
  end

  assign valid_o = !buffer_empty || take_direct;
  assign data_o = buffer_empty ? data_i : next;
  assign repeated_o = !buffer_empty && repeated;


  // Where to read next: the innermost loop that ends here and has iterations left wins.
  ptr_t read_d;
  logic nest_ends, jump;
  always_comb begin
    read_d = read_q + 1'b1;
    jump = 1'b0;
    ends = '0;
    advance = '0;
    for (int unsigned n = 0; n < LOOPS; n++) begin
      automatic int unsigned k = LOOPS - 1 - n;  // innermost first
      if (!jump && (LoopWidth + 1)'(k) < loops_q && !dead_q[k] &&
          ptr_t'(read_q - start_q[k]) == length_q[k]) begin
        if (iteration_q[k] == count_q[k]) begin
          ends[k] = 1'b1;
        end else begin
          advance[k] = 1'b1;
          jump = 1'b1;
          read_d = start_q[k];
        end
      end
    end
    nest_ends = ends[0];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      head_q  <= '0;
      read_q  <= '0;
      write_q <= '0;
      loops_q <= '0;
      dead_q <= '0;
      ran_q <= 1'b0;
    end else begin
      if (take_buffered) begin
        buffer_q[write_q[IndexWidth-1:0]] <= data_i;
        write_q <= write_q + 1'b1;
      end
      if (issue) begin
        read_q <= read_d;
        if (loops_q == '0 || nest_ends) head_q <= read_q + 1'b1;
        if (nest_ends) loops_q <= '0;
        for (int unsigned k = 0; k < LOOPS; k++) begin
          if (ends[k]) begin
            iteration_q[k] <= '0;
            stagger_q[k] <= '0;
          end else if (advance[k]) begin
            iteration_q[k] <= iteration_q[k] + 1'b1;
            stagger_q[k] <= stagger_q[k] == stagger_max_q[k] ? '0 : stagger_q[k] + 1'b1;
          end
        end
      end
      if (issue && ends[LOOPS-1]) ran_q <= 1'b1;
      if (take_frep && take_over) begin
        dead_q[LOOPS-1] <= 1'b1;
      end else if (take_frep) begin
        loops_q <= loops_q + 1'b1;
        dead_q[loops_q[LoopWidth-1:0]] <= 1'b0;
        ran_q <= 1'b0;
        start_q[loops_q[LoopWidth-1:0]] <= write_q;
        length_q[loops_q[LoopWidth-1:0]] <= {1'b0, data_i.insn[20+:IndexWidth]};
        count_q[loops_q[LoopWidth-1:0]] <= data_i.a[15:0];
        iteration_q[loops_q[LoopWidth-1:0]] <= '0;
        stagger_max_q[loops_q[LoopWidth-1:0]] <= data_i.insn[14:12];
        stagger_mask_q[loops_q[LoopWidth-1:0]] <= data_i.insn[11:8];
        stagger_q[loops_q[LoopWidth-1:0]] <= '0;
      end
    end
  end
endmodule
