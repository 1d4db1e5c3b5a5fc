import { createClient } from '@vidette/contract/client';

/**
 * Requests a reset code by e-mail.
 * @returns the number of seconds before another code can be requested, from the answer's Retry-After
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
