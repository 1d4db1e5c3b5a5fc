/**
 * Fetches the application frame; a user who is signed in from the start needs it together with the first
 * screen.
 */
export const importAppShell = () => import('./frame/app-shell.tsx');
