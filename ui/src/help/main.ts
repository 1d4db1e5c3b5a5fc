import '@fontsource-variable/inter/wght.css';
import { searchSections, type GuideSection } from './search.ts';
import './help.css';

// The pages of the guide are complete without a script; this one searches them.

/** More results than that are not read. */
const resultsMax = 12;

const field = document.querySelector<HTMLInputElement>('#search');
const results = document.querySelector<HTMLOListElement>('#results');
const count = document.querySelector<HTMLElement>('#results-count');

let sections: Promise<readonly GuideSection[]> | undefined;

if (field && results && count) {
  // Without this script the field could do nothing.
  field.hidden = false;
  field.addEventListener('focus', () => void load().catch(() => undefined));
  field.addEventListener('input', () => void show(field, results, count));
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    field.value = '';
    results.replaceChildren();
    count.textContent = '';
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    field.focus();
  });
}

/** A failed request is repeated with the next letter. */
function load(): Promise<readonly GuideSection[]> {
  sections ??= fetch('search.json')
    .then((response) => {
      if (!response.ok) throw new Error(`The index can't be loaded: ${response.status}`);
      return response.json() as Promise<readonly GuideSection[]>;
    })
    .catch((error: unknown) => {
      sections = undefined;
      throw error;
    });
  return sections;
}

async function show(from: HTMLInputElement, list: HTMLOListElement, status: HTMLElement): Promise<void> {
  const query = from.value;
  try {
    const all = await load();
    // The reader has typed on while the index was loading.
    if (query !== from.value) return;
    const found = searchSections(all, query);
    list.replaceChildren(...found.slice(0, resultsMax).map((section) => item(section)));
    status.textContent =
      query.trim() === '' ? '' : found.length === 0 ? 'Nothing found' : `${found.length} found`;
  } catch {
    list.replaceChildren();
    status.textContent = 'The server does not answer';
  }
}

function item({ address, page, heading }: GuideSection): HTMLLIElement {
  const link = document.createElement('a');
  link.href = address;
  link.textContent = heading === page ? page : `${page}: ${heading}`;
  const entry = document.createElement('li');
  entry.append(link);
  return entry;
}
