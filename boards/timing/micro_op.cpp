#include "boards/timing/micro_op.h"

namespace quern::timing {

MicroOp make_micro_op(const Parameters& parameters, const Instruction& instruction,
                      VectorType type) {
  using enum InstructionClass;
  MicroOp op;
  const auto c = instruction.instruction_class();
  const Cost cost = cost_of(parameters, instruction, type);
  op.instruction_class = c;
  op.unit = static_cast<std::uint8_t>(cost.unit);
  op.latency = cost.latency;
  op.occupancy = cost.occupancy;
  op.vector = is_vector(c);
  op.store = is_store(c);
  op.memory = is_load(c) || op.store;
  op.in_order =
      parameters.in_order_results == InOrder::all ||
      (parameters.in_order_results == InOrder::fp_and_vector && is_fp_or_vector_result(c));
  op.unit_stride = c == vector_load || c == vector_store || c == vector_load_first_fault ||
                   c == vector_load_whole || c == vector_store_whole || c == vector_load_segment ||
                   c == vector_store_segment;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand& operand = instruction.operands[static_cast<std::size_t>(i)];
    const RegisterRange range = registers_of(instruction, operand, type);
    if (range.count == 0) continue;
    // The data of a scalar store is the last register in the table's rows and may come late.
    const bool late = (c == store || c == fp_store) && i + 1 == instruction.operand_count && i > 0;
    if (late) {
      op.data = range;
      op.store_slack = parameters.store_data_slack;
      continue;
    }
    if (operand.access != Access::write) op.sources[op.source_count++] = range;
    if (operand.access != Access::read) op.destinations[op.destination_count++] = range;
  }
  return op;
}

}  // namespace quern::timing
