import { ApiError } from '@vidette/contract/client';
import type { Operation } from './api-document.ts';

/** Longest answer displayed, characters. */
const shownMax = 20_000;

/** The answer: status and body, as formatted text, truncated where it is very long. */
export interface Trial {
  readonly status: number;
  readonly text: string;
}

/** The address of a call with the entered values; commas separate the values of a list. */
export function callAddress(operation: Operation, values: Readonly<Record<string, string>>): string {
  let path = operation.path;
  const query = new URLSearchParams();
  for (const { name, in: place, schema } of operation.parameters) {
    const value = values[name] ?? '';
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') {
      for (const one of schema.type === 'array' ? value.split(',') : [value]) query.append(name, one.trim());
    }
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

/**
 * Fetches an address of this server; a refusal is an answer like any other.
 * @throws ApiError when no answer arrived
 */
export async function readCall(address: string): Promise<Trial> {
  try {
    const reply = await fetch(address, { credentials: 'same-origin' });
    const text = readable(await reply.text());
    return { status: reply.status, text: text.length > shownMax ? `${text.slice(0, shownMax)}…` : text };
  } catch (error) {
    throw new ApiError('SERVER_NOT_RESPONSE_ERR', '', 0, { cause: error });
  }
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
