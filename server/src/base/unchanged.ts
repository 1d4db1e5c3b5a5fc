import { isDeepStrictEqual } from 'node:util';
import { fieldFault } from './field-fault.ts';

/**
 * Checks members that a call accepts in the form in which it returns them but cannot change: a response may be
 * sent back as a whole.
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
    throw fieldFault('ValidationError', `${path}${member}`, 'This cannot be changed here.');
  }
}
