import type { Principal } from '../../access/principal.ts';
import type { ConversionViewer, ConvertingPerson } from '../../conversion/conversions.ts';
import type { UserRecord } from '../../store/users.ts';

/** One person at one stream is one viewer, in however many requests. */
export function conversionViewer(principal: Principal, uid: string): ConversionViewer {
  const { kind, id } = principal.by;
  return { name: `${kind}/${id}/${uid}`, person: convertingPerson(principal.user) };
}

/** What of a stored user their conversions depend on. */
export function convertingPerson(user: Pick<UserRecord, 'is_admin' | 'can_convert'>): ConvertingPerson {
  return { isAdmin: user.is_admin === 1, canConvert: user.can_convert === 1 };
}
