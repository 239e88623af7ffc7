// One stream semantic register: an address generator with a shadowed configuration, and a data mover with
// credits and a FIFO between the TCDM and the FP register.
//
//   config ──> shadow ──> running job ──> spill ──> request ──> TCDM
//                                                     │ credits     │
//   FP register  <── repeat <── FIFO (4) <────────────┼─────────────┘   read
//   FP result    ──────────────> FIFO (4) ────────────┘                 write
//
// A pointer write starts a job, or queues it behind the running one; while one is queued, the
// configuration is not writable. Elements that were not consumed stay in the FIFO.
module snitch_ssr
  import snitch_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_i,
    // Configuration
    input  logic        cfg_valid_i,
    input  logic        cfg_write_i,
    input  logic [4:0]  cfg_reg_i,
    input  logic [31:0] cfg_data_i,
    output logic        cfg_ready_o,
    output logic [31:0] cfg_data_o,
    // FP register
    output logic        read_valid_o,
    output logic [63:0] read_data_o,
    input  logic        read_pop_i,
    input  logic        write_valid_i,
    input  logic [63:0] write_data_i,
    output logic        write_ready_o,
    // Memory
    output logic        req_valid_o,
    output mem_req_t    req_o,
    input  logic        req_ready_i,
    input  logic        rsp_valid_i,
    input  logic [63:0] rsp_data_i,
    // For messages
    output logic        running_o,
    output logic        job_write_o,
    output logic [31:0] delivered_o,
    output logic [31:0] issued_o
);
  localparam int unsigned Depth = 4;
  typedef logic [16:0] addr_t;

  // Shadow configuration.
  logic [3:0] repeat_q;
  addr_t bound_q[4];
  addr_t stride_q[4];
  logic queued_q, queued_write_q;
  logic [1:0] queued_dims_q;
  addr_t queued_pointer_q;

  // Running job.
  logic running_q, job_write_q;
  logic [1:0] dims_q;
  logic [3:0] job_repeat_q;
  addr_t pointer_q;
  addr_t job_bound_q[4];
  addr_t job_stride_q[4];
  addr_t index_q[4];

  logic pointer_write;
  assign cfg_ready_o = !queued_q || !cfg_write_i;
  assign pointer_write = cfg_valid_i && cfg_write_i && cfg_ready_o && cfg_reg_i[4:3] == 2'b11;

  // Next address: the innermost level that is not at its last iteration advances the pointer by its
  // stride; the levels inside it start again.
  logic step_valid, step_ready, last;
  logic [1:0] level;
  assign step_valid = running_q;
  always_comb begin
    level = 2'd0;
    last = 1'b1;
    for (int d = 3; d >= 0; d--) begin
      if (2'(d) <= dims_q && index_q[d] != job_bound_q[d]) begin
        level = 2'(d);
        last = 1'b0;
      end
    end
  end
  logic job_done;
  assign job_done = running_q && step_ready && last;

  logic start_queued, start_new, idle_q;
  always_ff @(posedge clk_i) idle_q <= rst_i || !running_q;
  assign start_queued = queued_q && !running_q && idle_q;
  assign start_new = pointer_write && !running_q && !queued_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      repeat_q <= '0;
      queued_q <= 1'b0;
      running_q <= 1'b0;
      job_write_q <= 1'b0;
      dims_q <= '0;
      pointer_q <= '0;
      for (int d = 0; d < 4; d++) begin
        bound_q[d] <= '0;
        stride_q[d] <= '0;
      end
    end else begin
      if (step_valid && step_ready) begin
        pointer_q <= pointer_q + job_stride_q[level];
        for (int d = 0; d < 4; d++) begin
          if (2'(d) < level) index_q[d] <= '0;
          else if (2'(d) == level) index_q[d] <= index_q[d] + 1'b1;
        end
        if (last) running_q <= 1'b0;
      end
      if (cfg_valid_i && cfg_write_i && cfg_ready_o) begin
        unique casez (cfg_reg_i)
          5'd1: repeat_q <= cfg_data_i[3:0];
          5'd2, 5'd3, 5'd4, 5'd5: bound_q[2'(cfg_reg_i - 5'd2)] <= cfg_data_i[16:0];
          5'd6, 5'd7, 5'd8, 5'd9: stride_q[2'(cfg_reg_i - 5'd6)] <= {cfg_data_i[16:3], 3'b0};
          default: ;
        endcase
      end
      if (pointer_write && !start_new) begin
        queued_q <= 1'b1;
        queued_write_q <= cfg_reg_i[2];
        queued_dims_q <= cfg_reg_i[1:0];
        queued_pointer_q <= cfg_data_i[16:0];
      end
      if (start_queued || start_new) begin
        running_q <= 1'b1;
        if (start_queued) queued_q <= 1'b0;
        job_write_q <= start_queued ? queued_write_q : cfg_reg_i[2];
        dims_q <= start_queued ? queued_dims_q : cfg_reg_i[1:0];
        pointer_q <= start_queued ? queued_pointer_q : cfg_data_i[16:0];
        job_repeat_q <= repeat_q;
        for (int d = 0; d < 4; d++) begin
          job_bound_q[d] <= bound_q[d];
          job_stride_q[d] <= stride_q[d];
          index_q[d] <= '0;
        end
      end
    end
  end

  // Reads of the configuration.
  always_comb begin
    unique casez (cfg_reg_i)
      5'd0: cfg_data_o = {!running_q, job_write_q, dims_q, 11'b0, pointer_q};
      5'd1: cfg_data_o = {28'b0, repeat_q};
      5'd2, 5'd3, 5'd4, 5'd5: cfg_data_o = {15'b0, bound_q[2'(cfg_reg_i - 5'd2)]};
      5'd6, 5'd7, 5'd8, 5'd9: cfg_data_o = {15'b0, stride_q[2'(cfg_reg_i - 5'd6)]};
      default: cfg_data_o = '0;
    endcase
  end

  // Spill register between the generator and the memory port.
  logic addr_valid, addr_write, addr_pop;
  logic [3:0] addr_repeat;
  addr_t addr;
  fifo #(
      .WIDTH(22),
      .DEPTH(2)
  ) i_spill (
      .clk_i,
      .rst_i,
      .push_valid_i(step_valid),
      .push_ready_o(step_ready),
      .push_data_i({job_write_q, job_repeat_q, pointer_q}),
      .pop_valid_o(addr_valid),
      .pop_ready_i(addr_pop),
      .pop_data_o({addr_write, addr_repeat, addr})
  );

  // Data mover. One FIFO serves both directions; the direction changes when all credits are back.
  logic [63:0] data_q[Depth];
  logic [1:0] data_read_q, data_write_q, repeat_write_q;
  logic [3:0] element_repeat_q[Depth];
  logic [2:0] fill_q, credit_q;
  logic write_mode_q, mode_ok;
  logic [3:0] repeated_q;
  logic last_repeat, pop_read, pop_write, push, take;
  logic write_pending_q;  // a write was granted in the last cycle; its response is due

  assign mode_ok = addr_write == write_mode_q || credit_q == 3'(Depth);
  assign req_valid_o = addr_valid && mode_ok && credit_q != '0 && (!addr_write || fill_q != '0);
  assign req_o = '{
          addr: {TcdmBase[31:17], addr[16:3], 3'b0},
          write: addr_write,
          amo: AmoNone,
          data: data_q[data_read_q],
          strb: 8'hff
      };
  assign take = req_valid_o && req_ready_i;
  assign addr_pop = take;

  assign read_valid_o = fill_q != '0;
  assign read_data_o = data_q[data_read_q];
  assign last_repeat = repeated_q == element_repeat_q[data_read_q];
  assign pop_read = read_pop_i && last_repeat;
  assign pop_write = take && addr_write;
  assign write_ready_o = fill_q != 3'(Depth);
  assign push = (rsp_valid_i && !write_pending_q) || (write_valid_i && write_ready_o);

  logic credit_back;
  assign credit_back = write_pending_q || pop_read;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      data_read_q <= '0;
      data_write_q <= '0;
      repeat_write_q <= '0;
      fill_q <= '0;
      credit_q <= 3'(Depth);
      write_mode_q <= 1'b0;
      repeated_q <= '0;
      write_pending_q <= 1'b0;
      delivered_o <= '0;
      issued_o <= '0;
    end else begin
      write_pending_q <= pop_write;
      if (take) begin
        write_mode_q <= addr_write;
        issued_o <= issued_o + 1;
        if (!addr_write) begin
          element_repeat_q[repeat_write_q] <= addr_repeat;
          repeat_write_q <= repeat_write_q + 1'b1;
        end
      end
      if (take != credit_back) credit_q <= take ? credit_q - 1'b1 : credit_q + 1'b1;
      if (push) begin
        data_q[data_write_q] <= rsp_valid_i && !write_pending_q ? rsp_data_i : write_data_i;
        data_write_q <= data_write_q + 1'b1;
        if (write_valid_i) repeat_write_q <= repeat_write_q + 1'b1;
      end
      if (pop_read || pop_write) data_read_q <= data_read_q + 1'b1;
      if (push != (pop_read || pop_write)) fill_q <= push ? fill_q + 1'b1 : fill_q - 1'b1;
      if (read_pop_i) begin
        repeated_q <= last_repeat ? '0 : repeated_q + 1'b1;
        delivered_o <= delivered_o + 1;
      end
      if (write_valid_i && write_ready_o) delivered_o <= delivered_o + 1;
      if (start_queued || start_new) begin
        delivered_o <= '0;
        issued_o <= '0;
      end
    end
  end

  assign running_o = running_q;
  assign job_write_o = job_write_q;
endmodule
