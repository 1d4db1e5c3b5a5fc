/**
 * The text messages of the live WebSocket. Binary messages between them are the init segment (the first one after
 * `init`) and then fragments.
 */
export type LiveMessage =
  /** The following media can be decoded with this media type; an init segment comes next. */
  | { readonly type: 'init'; readonly mimeType: string }
  /** Frames were dropped because this connection was too slow. */
  | { readonly type: 'skipped'; readonly frames: number }
  /** The source delivers nothing now; `init` follows when it does again. */
  | { readonly type: 'waiting' }
  /** The session has ended. `code` is from the error catalogue. */
  | { readonly type: 'end'; readonly code: string | undefined };

/**
 * Reads one text message; undefined for types this page doesn't know, which a newer server may send.
 * @throws SyntaxError for anything that is not a message
 */
export function parseLiveMessage(text: string): LiveMessage | undefined {
  const message: unknown = JSON.parse(text);
  if (typeof message !== 'object' || message === null || !('type' in message)) {
    throw new SyntaxError('A live message without a type');
  }
  const fields = message as Readonly<Record<string, unknown>>;
  switch (fields['type']) {
    case 'init':
      if (typeof fields['mimeType'] !== 'string') throw new SyntaxError('An init message without mimeType');
      return { type: 'init', mimeType: fields['mimeType'] };
    case 'skipped':
      return { type: 'skipped', frames: countOf(fields) };
    case 'waiting':
      return { type: 'waiting' };
    case 'end':
      return { type: 'end', code: typeof fields['code'] === 'string' ? fields['code'] : undefined };
    default:
      return undefined;
  }
}

function countOf(fields: Readonly<Record<string, unknown>>): number {
  const count = fields['samples'] ?? fields['frames'];
  return typeof count === 'number' && Number.isFinite(count) ? count : 0;
}
