import type { ErrorCode } from '@vidette/contract/errors';
import { Fault } from './fault.ts';

/** One member of a call's input that is invalid for a reason that no schema covers. */
export function fieldFault(code: ErrorCode, path: string, message: string): Fault {
  return new Fault(code, message, { details: { fields: [{ path, code }] } });
}
