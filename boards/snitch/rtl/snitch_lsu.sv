// A load/store unit: bounds the outstanding accesses, shifts data to and from the 64-bit port, and keeps
// what a load's answer needs. Answers come in order.
module snitch_lsu
  import snitch_pkg::*;
#(
    parameter int unsigned OUTSTANDING = 4,
    parameter int unsigned TAG = 5,
    parameter bit BOX = 1'b0  // FP loads: ones above the value
) (
    input  logic           clk_i,
    input  logic           rst_i,
    // From the pipeline
    input  logic           valid_i,
    output logic           ready_o,
    input  logic           write_i,
    input  logic [1:0]     size_i,    // log2 bytes
    input  logic           signed_i,
    input  amo_e           amo_i,
    input  logic [31:0]    addr_i,
    input  logic [63:0]    data_i,
    input  logic [TAG-1:0] tag_i,
    // To memory
    output logic           req_valid_o,
    input  logic           req_ready_i,
    output mem_req_t       req_o,
    input  logic           rsp_valid_i,
    output logic           rsp_ready_o,
    input  logic [63:0]    rsp_data_i,
    // To the register file
    output logic           load_valid_o,
    input  logic           load_ready_i,
    output logic [TAG-1:0] load_tag_o,
    output logic [63:0]    load_data_o,
    output logic           done_o,    // an access completed
    output logic           empty_o
);
  localparam int unsigned MetaWidth = TAG + 7;
  logic meta_ready, meta_valid, load, is_signed;
  logic [1:0] size;
  logic [2:0] offset;
  logic [TAG-1:0] tag;
  logic no_write;
  assign no_write = !write_i || amo_i != AmoNone;

  assign req_valid_o = valid_i && meta_ready;
  assign ready_o = meta_ready && req_ready_i;

  fifo #(
      .WIDTH(MetaWidth),
      .DEPTH(OUTSTANDING)
  ) i_meta (
      .clk_i,
      .rst_i,
      .push_valid_i(valid_i && req_ready_i),
      .push_ready_o(meta_ready),
      .push_data_i({no_write, signed_i, size_i, addr_i[2:0], tag_i}),
      .pop_valid_o(meta_valid),
      .pop_ready_i(done_o),
      .pop_data_o({load, is_signed, size, offset, tag})
  );

  logic [7:0] strb;
  always_comb begin
    unique case (size_i)
      2'd0: strb = 8'h01;
      2'd1: strb = 8'h03;
      2'd2: strb = 8'h0f;
      2'd3: strb = 8'hff;
    endcase
    req_o = '{
        addr: addr_i,
        write: write_i,
        amo: amo_i,
        data: data_i << {addr_i[2:0], 3'b0},
        strb: strb << addr_i[2:0]
    };
  end

  logic [63:0] shifted;
  assign shifted = rsp_data_i >> {offset, 3'b0};
  always_comb begin
    logic fill;
    unique case (size)
      2'd0: begin
        fill = BOX || (is_signed && shifted[7]);
        load_data_o = {{56{fill}}, shifted[7:0]};
      end
      2'd1: begin
        fill = BOX || (is_signed && shifted[15]);
        load_data_o = {{48{fill}}, shifted[15:0]};
      end
      2'd2: begin
        fill = BOX || (is_signed && shifted[31]);
        load_data_o = {{32{fill}}, shifted[31:0]};
      end
      2'd3: begin
        fill = 1'b0;
        load_data_o = shifted;
      end
    endcase
  end
  assign load_valid_o = rsp_valid_i && load;
  assign load_tag_o = tag;
  assign rsp_ready_o = load ? load_ready_i : 1'b1;
  assign done_o = rsp_valid_i && rsp_ready_o;
  assign empty_o = !meta_valid;
endmodule
