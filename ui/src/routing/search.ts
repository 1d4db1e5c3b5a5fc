/** The search parameters of an address: numbers and booleans are parsed as such, the rest as strings. */
export type Search = Readonly<Record<string, unknown>>;

/** Parses them. Strings that look like a number are quoted; malformed values are strings too. */
export function readSearch(text: string): Search {
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, read(value)]));
}

/** Formats them, with the question mark; members without a value are omitted. */
export function writeSearch(search: Search): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined) params.set(name, written(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const written = (value: unknown) =>
  typeof value === 'string' && read(value) === value ? value : JSON.stringify(value);
