import { fileURLToPath } from 'node:url';

/** The program of the child processes that use node-av. */
export const workerEntry = fileURLToPath(new URL('./worker/main.ts', import.meta.url));
