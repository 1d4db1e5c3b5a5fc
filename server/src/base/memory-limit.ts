import { totalmem } from 'node:os';

/** The memory that the processes of this server may use together, bytes: that of the machine or of its container. */
export function memoryLimit(): number {
  // 0 where it is unknown, and a number beyond all memory where there is no limit.
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 ? Math.min(constrained, total) : total;
}
