import { bootElementId, languages, productName } from '@vidette/contract/constants';
import { messageOf, type MessageLanguage } from '@vidette/contract/errors';
import { routes } from '@vidette/contract/routes';
import { Connection } from '../page/connection.ts';
import './offline.css';

// The offline page [R1.8]: the service worker shows it instead of any screen that can't be fetched. It contains
// no user data, polls the server by itself, and then loads the requested screen.

/** What the server writes into the page when the service worker caches it. */
interface OfflineBoot {
  readonly title: string;
}

const words: Readonly<Record<MessageLanguage, { text: string; retry: string }>> = {
  en: {
    text: 'This page tries again by itself. Whether the server is recording is not known until it answers.',
    retry: 'Try now',
  },
  ru: {
    text: 'Страница пробует снова сама. Пока сервер не ответит, неизвестно, идёт ли запись.',
    retry: 'Попробовать сейчас',
  },
};

const bootText = document.getElementById(bootElementId)?.textContent.trim();
const title = bootText ? (JSON.parse(bootText) as OfflineBoot).title : productName;
const language =
  navigator.languages
    .map((tag) => languages.find((known) => known === tag.toLowerCase().split('-')[0]))
    .find((known) => known !== undefined) ?? 'en';

/**
 * Resolves when the server answers with anything; an answer from a proxy on behalf of an unreachable server
 * doesn't count.
 */
async function probe(): Promise<void> {
  const { status } = await fetch(routes.getSettings.path, { cache: 'no-store' });
  if (status >= 502 && status <= 504) throw new Error(`The proxy says ${status}.`);
}

const connection = new Connection({ probe, onBack: () => window.location.reload() });

const header = document.createElement('header');
header.append(title);
const heading = document.createElement('h1');
heading.textContent = messageOf('SERVER_NOT_RESPONSE_ERR', language);
const text = document.createElement('p');
text.textContent = words[language].text;
const retry = document.createElement('button');
retry.type = 'button';
retry.textContent = words[language].retry;
retry.addEventListener('click', () => window.location.reload());
const main = document.createElement('main');
main.setAttribute('role', 'alert');
main.append(heading, text, retry);

document.documentElement.lang = language;
document.title = title;
document.getElementById('root')?.append(header, main);
window.addEventListener('online', () => window.location.reload());
connection.lose();
