// The memory accesses of the core and of the FP subsystem in turn, to the TCDM or to the memory outside.
// Answers come back in the order of the requests.
//
//   core LSU ─> spill ─┐            ┌─> TCDM    (answer a cycle after the grant)
//                      ├─> in turn ─┤
//   FP LSU   ─> spill ─┘            └─> outside (answer some time later)
//
//   answers ─> held until they are the oldest ─> spill ─> core
//                                              └────────> FP LSU
module snitch_data_mux
  import snitch_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_i,
    // Core
    input  logic        core_req_valid_i,
    output logic        core_req_ready_o,
    input  mem_req_t    core_req_i,
    output logic        core_rsp_valid_o,
    input  logic        core_rsp_ready_i,
    output logic [63:0] core_rsp_data_o,
    // FP subsystem
    input  logic        fp_req_valid_i,
    output logic        fp_req_ready_o,
    input  mem_req_t    fp_req_i,
    output logic        fp_rsp_valid_o,
    input  logic        fp_rsp_ready_i,
    output logic [63:0] fp_rsp_data_o,
    // Memories; the request is for the one whose valid is set
    output mem_req_t    req_o,
    output logic        tcdm_valid_o,
    input  logic        tcdm_ready_i,
    input  logic        tcdm_rsp_valid_i,
    input  logic [63:0] tcdm_rsp_data_i,
    output logic        ext_valid_o,
    input  logic        ext_ready_i,
    input  logic        ext_rsp_valid_i,
    input  logic [63:0] ext_rsp_data_i
);
  localparam int unsigned ReqWidth = $bits(mem_req_t);

  logic c_valid, c_ready, f_valid, f_ready;
  mem_req_t c_req, f_req;
  fifo #(
      .WIDTH(ReqWidth),
      .DEPTH(2)
  ) i_core_req_spill (
      .clk_i,
      .rst_i,
      .push_valid_i(core_req_valid_i),
      .push_ready_o(core_req_ready_o),
      .push_data_i(core_req_i),
      .pop_valid_o(c_valid),
      .pop_ready_i(c_ready),
      .pop_data_o(c_req)
  );
  fifo #(
      .WIDTH(ReqWidth),
      .DEPTH(2)
  ) i_fp_req_spill (
      .clk_i,
      .rst_i,
      .push_valid_i(fp_req_valid_i),
      .push_ready_o(fp_req_ready_o),
      .push_data_i(fp_req_i),
      .pop_valid_o(f_valid),
      .pop_ready_i(f_ready),
      .pop_data_o(f_req)
  );

  logic pick_fp, mem_pointer_q, m_valid, m_ready, order_ready, to_tcdm;
  assign pick_fp = rr2_pick({f_valid, c_valid}, mem_pointer_q);
  assign req_o = pick_fp ? f_req : c_req;
  assign m_valid = (c_valid || f_valid) && order_ready;
  assign to_tcdm = (req_o.addr & TcdmMask) == TcdmBase;
  assign c_ready = m_ready && order_ready && !pick_fp;
  assign f_ready = m_ready && order_ready && pick_fp;
  always_ff @(posedge clk_i) begin
    if (rst_i) mem_pointer_q <= 1'b0;
    else if (m_valid && m_ready) mem_pointer_q <= rr2_next({f_valid, c_valid}, mem_pointer_q);
  end

  assign tcdm_valid_o = m_valid && to_tcdm;
  assign ext_valid_o = m_valid && !to_tcdm;
  assign m_ready = to_tcdm ? tcdm_ready_i : ext_ready_i;

  // Answers go fp_rsp_data_o in the order of the requests.
  logic order_valid, order_fp, order_tcdm, order_pop;
  fifo #(
      .WIDTH(2),
      .DEPTH(8)
  ) i_order (
      .clk_i,
      .rst_i,
      .push_valid_i((c_valid || f_valid) && m_ready),
      .push_ready_o(order_ready),
      .push_data_i({pick_fp, to_tcdm}),
      .pop_valid_o(order_valid),
      .pop_ready_i(order_pop),
      .pop_data_o({order_fp, order_tcdm})
  );
  logic tcdm_back_valid, ext_back_valid, back_valid;
  logic [63:0] tcdm_back, ext_back;
  logic held_t_valid, held_e_valid;
  logic [63:0] held_t, held_e;
  fifo #(
      .WIDTH(64),
      .DEPTH(8)
  ) i_tcdm_hold (
      .clk_i,
      .rst_i,
      .push_valid_i(tcdm_rsp_valid_i && !(order_pop && order_tcdm && !held_t_valid)),
      .push_ready_o(),
      .push_data_i(tcdm_rsp_data_i),
      .pop_valid_o(held_t_valid),
      .pop_ready_i(order_pop && order_tcdm),
      .pop_data_o(held_t)
  );
  fifo #(
      .WIDTH(64),
      .DEPTH(8)
  ) i_ext_hold (
      .clk_i,
      .rst_i,
      .push_valid_i(ext_rsp_valid_i && !(order_pop && !order_tcdm && !held_e_valid)),
      .push_ready_o(),
      .push_data_i(ext_rsp_data_i),
      .pop_valid_o(held_e_valid),
      .pop_ready_i(order_pop && !order_tcdm),
      .pop_data_o(held_e)
  );
  assign tcdm_back_valid = held_t_valid || tcdm_rsp_valid_i;
  assign tcdm_back = held_t_valid ? held_t : tcdm_rsp_data_i;
  assign ext_back_valid = held_e_valid || ext_rsp_valid_i;
  assign ext_back = held_e_valid ? held_e : ext_rsp_data_i;
  assign back_valid = order_valid && (order_tcdm ? tcdm_back_valid : ext_back_valid);
  assign fp_rsp_data_o = order_tcdm ? tcdm_back : ext_back;
  logic core_back_ready;
  assign fp_rsp_valid_o = back_valid && order_fp;
  assign order_pop = back_valid && (order_fp ? fp_rsp_ready_i : core_back_ready);
  fifo #(
      .WIDTH(64),
      .DEPTH(2)
  ) i_core_rsp_spill (
      .clk_i,
      .rst_i,
      .push_valid_i(back_valid && !order_fp),
      .push_ready_o(core_back_ready),
      .push_data_i(fp_rsp_data_o),
      .pop_valid_o(core_rsp_valid_o),
      .pop_ready_i(core_rsp_ready_i),
      .pop_data_o(core_rsp_data_o)
  );
endmodule
