import { ApiError } from '@vidette/contract/client';

// Some calls require a recently entered password. Wrap them in `withProof`: the page asks for the password and
// makes the call again.

/** What waits for the password; the dialog shows itself while there is one. */
export interface ProofRequest {
  /** The password has been confirmed. */
  readonly confirm: () => void;
  readonly cancel: () => void;
}

let request: ProofRequest | null = null;
const listeners = new Set<() => void>();

/** What waits now; with `onProofRequest` for `useSyncExternalStore`. */
export function proofRequest(): ProofRequest | null {
  return request;
}

export function onProofRequest(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(next: ProofRequest | null): void {
  request = next;
  for (const listener of listeners) listener();
}

/** Resolves to whether the password was confirmed. */
function askForProof(): Promise<boolean> {
  request?.cancel();
  return new Promise((resolve) => {
    const end = (isConfirmed: boolean) => {
      show(null);
      resolve(isConfirmed);
    };
    show({ confirm: () => end(true), cancel: () => end(false) });
  });
}

/** Makes a call, and makes it again once the password was entered when the server asks for that. */
export async function withProof<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PasswordRequired' || !(await askForProof()))
      throw error;
    return call();
  }
}

/** How long calls that were sent under the old secret may still be answered. */
const oldSecretMs = 5_000;
let renewing = 0;

/** Runs what gives this session a new secret: until all calls under the old one are answered, a 401 proves nothing. */
export async function renewingSession<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  renewing++;
  try {
    return await call();
  } finally {
    setTimeout(() => renewing--, oldSecretMs);
  }
}

export function isRenewingSession(): boolean {
  return renewing > 0;
}
