import { ApiError } from '@vidette/contract/client';

// Some calls require a recently entered password. Wrap them in `withProof`: the page asks for the password and
// repeats the call.

/** The call that is waiting for the password; the dialog is open while there is one. */
export interface ProofRequest {
  /** To be called when the password has been confirmed. */
  readonly confirm: () => void;
  readonly cancel: () => void;
}

let request: ProofRequest | null = null;
const listeners = new Set<() => void>();

/** The waiting request; with `onProofRequest` for `useSyncExternalStore`. */
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

/** Makes a call, and repeats it after the password is entered if the server asks for that. */
export async function withProof<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PasswordRequired' || !(await askForProof()))
      throw error;
    return call();
  }
}

/** How long calls sent with the old secret may still be answered. */
const oldSecretMs = 5_000;
let renewing = 0;

/**
 * Runs a call that gives this session a new secret: until all calls sent with the old one are answered, a 401
 * proves nothing.
 */
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
