import { createContext, useContext, useSyncExternalStore } from 'react';
import type { AddressName } from '../routing/addresses.ts';
import type { ColorScheme } from './color-scheme.ts';
import type { Connection } from './connection.ts';
import type { LanguageStore } from './language-store.ts';

/** The services that outlive every screen. */
export interface PageServices {
  readonly connection: Connection;
  readonly language: LanguageStore;
  readonly colorScheme: ColorScheme;
  /** Whether the page has an address of this name. */
  readonly isAddressName: (name: string) => name is AddressName;
}

const PageContext = createContext<PageServices | null>(null);

export const PageProvider = PageContext.Provider;

/** The page's services, for a component. */
export function usePage(): PageServices {
  const page = useContext(PageContext);
  if (!page) throw new Error('usePage needs a PageProvider above it');
  return page;
}

/** Whether the server has stopped answering. */
export function useIsServerLost(): boolean {
  const { connection } = usePage();
  return useSyncExternalStore(connection.subscribe, connection.isLost);
}
