import { createClient } from '@vidette/contract/client';

/**
 * The contract's calls to the page's own server. Texts in answers are in the language of the page, given by the
 * document's `lang`.
 */
export const api = createClient({
  headers: () => ({ 'accept-language': document.documentElement.lang }),
});
