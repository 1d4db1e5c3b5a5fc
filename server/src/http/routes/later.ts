import type { CallName } from '@vidette/contract/routes';
import { Fault } from '../../base/fault.ts';
import type { Registrar } from '../registrar.ts';

/**
 * Calls of the contract that this version declares but does not do yet; the CHANGELOG lists them for operators.
 * They check their caller and their input like any other, then answer a code of the catalogue.
 */
export const laterCalls = {
  startTunnel: 'FeatureNotFound',
  stopTunnel: 'FeatureNotFound',
  getTunnelStatus: 'FeatureNotFound',
} as const satisfies Partial<Record<CallName, 'FeatureNotFound'>>;

export function registerLater(registrar: Registrar): void {
  for (const [name, code] of Object.entries(laterCalls)) {
    registrar.handle(name as CallName, () => {
      throw new Fault(code, 'This call comes with a later version.');
    });
  }
}
