import { createClient } from '@vidette/contract/client';

/**
 * Asks for a reset code by e-mail.
 * @returns how many seconds must pass before another can be asked for, by the answer's Retry-After
 */
export async function sendPasswordReset(email: string, language: string): Promise<number> {
  let seconds = 0;
  const client = createClient({
    headers: () => ({ 'accept-language': language }),
    onResponse: (_name, response) => {
      seconds = Number(response.headers.get('retry-after') ?? 0);
    },
  });
  await client.sendPasswordReset({ body: { email } });
  return seconds;
}
