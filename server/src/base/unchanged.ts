import { isDeepStrictEqual } from 'node:util';
import { fieldFault } from './field-fault.ts';

/**
 * Checks members that a call accepts as it answers them but can't change: what was read may be sent back whole.
 * @throws Fault ValidationError at the first that differs
 */
export function requireUnchanged<Body extends object>(
  body: Body,
  view: object,
  members: readonly (keyof Body & string)[],
  path = '',
): void {
  for (const member of members) {
    const sent: unknown = body[member];
    if (sent === undefined || isDeepStrictEqual(sent, Reflect.get(view, member))) continue;
    throw fieldFault('ValidationError', `${path}${member}`, 'This can’t be changed here.');
  }
}
