import type { Principal } from '../../access/principal.ts';
import type { ConversionViewer } from '../../conversion/conversions.ts';

/** One person at one stream is one viewer, in however many requests. */
export function conversionViewer(principal: Principal, uid: string): ConversionViewer {
  const { kind, id } = principal.by;
  return { name: `${kind}/${id}/${uid}`, isAdmin: principal.isAdmin };
}
