import { createClient } from '@vidette/contract/client';

/**
 * The contract's calls to the page's own server. Words in answers come in the language of the page, which the
 * document's `lang` names.
 */
export const api = createClient({
  headers: () => ({ 'accept-language': document.documentElement.lang }),
});
