import type { Principal } from '../access/principal.ts';
import type { TranscodingViewer, TranscodingPerson } from '../transcoding/transcoding.ts';
import type { UserRecord } from '../store/users.ts';

/** A user counts as one viewer of a stream, in however many requests. */
export function transcodingViewer(principal: Principal, uid: string): TranscodingViewer {
  const { kind, id } = principal.by;
  return { name: `${kind}/${id}/${uid}`, person: transcodingPerson(principal.user) };
}

/** The fields of a stored user that determine their transcoding. */
export function transcodingPerson(user: Pick<UserRecord, 'isAdmin' | 'canConvert'>): TranscodingPerson {
  return { isAdmin: user.isAdmin, canConvert: user.canConvert };
}
