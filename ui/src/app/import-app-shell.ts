import type * as shell from './frame/app-shell.tsx';

type AppShellModule = typeof shell;

let loaded: AppShellModule | undefined;
let loading: Promise<AppShellModule> | undefined;

/** Fetches the application frame; a user who is signed in from the start needs it together with the first screen. */
export async function importAppShell(): Promise<void> {
  loaded = await import('./frame/app-shell.tsx');
}

/** The frame, or its promise. `lazy` would suspend, and show nothing for a moment, even if it is loaded. */
export function readAppShell(): AppShellModule | Promise<AppShellModule> {
  return loaded ?? (loading ??= import('./frame/app-shell.tsx'));
}
