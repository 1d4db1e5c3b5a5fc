import { fileURLToPath } from 'node:url';

/** The program of the children that hold node-av. */
export const childEntry = fileURLToPath(new URL('./child/main.ts', import.meta.url));
