/** What stands behind the question mark of an address: numbers and yes/no are read as such, the rest as words. */
export type Search = Readonly<Record<string, unknown>>;

/** Reads it. Words that look like a number stand in quotes there; what is broken is words too. */
export function readSearch(text: string): Search {
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, read(value)]));
}

/** Writes it, with the question mark; members without a value are left out. */
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
