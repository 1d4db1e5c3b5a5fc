import { fileURLToPath } from 'node:url';

/** The program of the child processes that use node-av. */
export const childEntry = fileURLToPath(new URL('./child/main.ts', import.meta.url));
