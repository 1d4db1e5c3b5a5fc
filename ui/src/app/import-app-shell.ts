/** Fetches what stands around the screens; whoever is signed in from the start needs it beside the first of them. */
export const importAppShell = () => import('./app-shell.tsx');
