import { messageOf, type ErrorCode, type MessageLanguage } from '@vidette/contract/errors';

/**
 * Codes whose faults describe a source, with messages that contain no secrets. The messages of all other faults
 * stay internal. HTTP_UNAUTHORIZED and HTTP_NOT_FOUND are missing: their reasons say no more than the catalogue
 * does.
 */
const codesWithReason: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'EHOSTUNREACH',
  'ProbeError',
  'NO_VIDEO_ERR',
  'STREAM_SOURCE_ERR',
  'SERVER_NOT_RESPONSE_ERR',
]);

/**
 * Why a source or the tunnel fails, as the server writes and stores it (English, with placeholders), and the
 * Russian translation. A reason that is not listed here is never part of a response, and Russian readers get
 * the catalogue's message.
 */
export const knownReasons: Readonly<Record<string, string>> = {
  // Connecting to the source.
  'The name {host} has no address.': 'У имени {host} нет адреса.',
  'The name {host} is not known.': 'Имя {host} не найдено.',
  'The name {host} could not be looked up.': 'Не удалось узнать адрес по имени {host}.',
  'The name server did not answer in time.': 'Сервер имён не ответил вовремя.',
  '{host} did not answer on port {port} within {seconds} s.':
    '{host} не ответил на порту {port} за {seconds} с.',
  '{host} refused the connection on port {port}.': '{host} отклонил соединение на порту {port}.',
  "{host} can't be reached.": '{host} недоступен.',
  'The connection to {host} on port {port} failed.': 'Не удалось соединиться с {host} на порту {port}.',
  'The connection failed.': 'Не удалось соединиться.',
  'The connection was closed.': 'Соединение закрыто.',
  'The connection was lost.': 'Соединение потеряно.',
  'The connection was closed without an answer.': 'Соединение закрыто без ответа.',
  'The connection to the source was lost.': 'Соединение с источником потеряно.',
  'The source refused the connection or did not answer.': 'Источник отклонил соединение или не ответил.',
  'The source and this server could not agree on TLS.': 'Источник и сервер не смогли договориться о TLS.',
  'Only an administrator may use this machine itself as a source.':
    'Использовать как источник сам этот сервер может только администратор.',
  'The address leads to a {reach} network, which is not allowed as a source.':
    'Адрес ведёт в сеть, которую нельзя использовать как источник ({reach}).',

  'What this source sends crashed the recording process three times. The stream is not started again until it is changed, or paused and resumed.':
    'Данные этого источника трижды аварийно завершили процесс записи. Поток не запустится, пока его не изменят или не поставят на паузу и не запустят снова.',
  'The recording process could not open the archive and keeps trying; the server log has the reason.':
    'Процесс записи не смог открыть архив и пробует снова; причина — в журнале сервера.',

  // The source's answers.
  'The camera did not answer ({method}) within {seconds} s.': 'Камера не ответила ({method}) за {seconds} с.',
  'The camera answered {status} to {method}.': 'Камера ответила на {method}: {status}.',
  'The camera closed the connection.': 'Камера закрыла соединение.',
  'The camera ended the session.': 'Камера завершила сеанс.',
  'The camera no longer answers.': 'Камера больше не отвечает.',
  'The camera was restarted: it answers, but not on this connection.':
    'Камера перезапустилась: она отвечает, но не по этому соединению.',
  'The camera keeps sending requests and does not read the replies.':
    'Камера без конца шлёт запросы и не читает ответов.',
  'The camera refused the user name or password.': 'Камера не приняла логин или пароль.',
  'The source refused the user name or password.': 'Источник не принял логин или пароль.',
  'The camera has no stream at this path.': 'По этому пути на камере нет потока.',
  'There is nothing at this path of the source.': 'По этому пути у источника ничего нет.',
  'The source refused the request.': 'Источник отклонил запрос.',
  'The server of the source reported an error.': 'Сервер источника сообщил об ошибке.',
  'The server at this address does not speak RTSP.': 'Сервер по этому адресу не поддерживает RTSP.',
  'The server at this address does not speak RTSP over HTTP.':
    'Сервер по этому адресу не поддерживает RTSP через HTTP.',
  'The camera redirects RTSP over HTTP to another address, which is not followed.':
    'Камера перенаправляет RTSP через HTTP на другой адрес; сервер туда не идёт.',
  'The source does not speak RTSP.': 'То, что передаёт источник, — не RTSP.',
  'This is not the address of an RTSP stream.': 'Это не адрес потока RTSP.',
  'The camera redirects in a loop.': 'Камера перенаправляет по кругу.',
  'The camera redirected more than {count} times.': 'Камера перенаправила больше {count} раз.',
  'The camera redirects to an address that is not RTSP.': 'Камера перенаправляет на адрес, который не RTSP.',
  'The source redirects to an address that is not http or https.':
    'Источник перенаправляет на адрес, который не http и не https.',
  'The source redirects to another address, which is not followed.':
    'Источник перенаправляет на другой адрес; дальше сервер по нему не пошёл.',
  'The source keeps requesting new connections.': 'Источник снова и снова просит соединиться с ним.',
  'The source tried to inject a request of its own.':
    'Источник пытался подставить в запрос сервера свой собственный.',

  // The source's media.
  'The source did not answer in time.': 'Источник не ответил вовремя.',
  'The source sent no key frame in time.': 'Источник вовремя не прислал ни одного ключевого кадра.',
  'The source announces video but sends only audio.': 'Источник объявляет видео, но передаёт только звук.',
  'The source announces video but sent only audio for {seconds} s.':
    'Источник объявляет видео, но {seconds} с передавал только звук.',
  'The source announced a stream but sent no frame in time.':
    'Источник объявил поток, но вовремя не прислал ни одного кадра.',
  'The source ended before its first frame.': 'Источник завершил поток до первого кадра.',
  'The source ended the stream.': 'Источник завершил поток.',
  'The source has ended.': 'Источник завершил поток.',
  'The source sent no frame within {seconds} s.': 'За {seconds} с источник не прислал ни одного кадра.',
  'The source stopped sending video and stayed silent for {seconds} s.':
    'Источник перестал передавать видео и молчал {seconds} с.',
  'The source stopped sending audio and stayed silent for {seconds} s.':
    'Источник перестал передавать звук и молчал {seconds} с.',
  'The source sent a single image and ended: it is not a stream.':
    'Источник прислал один кадр и завершил передачу: это не поток.',
  'The source sends audio, but no video.': 'Источник передаёт звук, но не видео.',
  'The source could not be read.': 'Не удалось прочитать источник.',
  'The stream could not be read.': 'Не удалось прочитать поток.',
  'The source could not be opened as a video stream.': 'Источник не удалось открыть как видеопоток.',
  'The source does not send a video stream.': 'То, что передаёт источник, — не видеопоток.',
  'The source compresses its response in a way that was not requested.':
    'Источник сжимает ответ способом, о котором его не просили.',
  'The camera sent an invalid description of its stream.':
    'Описание потока, которое даёт камера, не удалось прочитать.',
  'The camera does not send its stream over TCP.': 'Камера не передаёт поток по TCP.',
  'The camera offers no video.': 'Камера не предлагает видео.',
  'The camera offers no supported media.': 'Камера не предлагает ничего пригодного.',
  'The camera offers no supported media, only {media}.': 'Камера предлагает только непригодное: {media}.',
  'A key frame of {size} bytes is too large for a snapshot.':
    'Ключевой кадр слишком велик для снимка: {size} байт.',
  'The snapshot could not be made in time.': 'Не удалось вовремя сделать снимок.',
  'The source failed because of an internal error; see the server log.':
    'Сбой на стороне сервера; подробности в его журнале.',

  // The tunnel.
  '{host} did not answer on port {port} in time.': '{host} вовремя не ответил на порту {port}.',
  'The connection to the relay was lost.': 'Соединение с посредником потеряно.',
  'The relay closed the connection.': 'Посредник закрыл соединение.',
  'The tunnel was closed.': 'Туннель закрыт.',
  'The relay is silent for {seconds} s.': 'Посредник молчит {seconds} с.',
  'The relay renews its keys without end.': 'Посредник без конца меняет ключи шифрования.',
  'The relay takes packets of a few bytes only.': 'Посредник принимает пакеты лишь по несколько байт.',
  'The relay sends more than it was allowed to.': 'Посредник передаёт больше, чем ему разрешено.',
  'The relay does not listen on {listen} for us: it is not allowed, or in use.':
    'Посредник не открыл для сервера {listen}: это запрещено или порт уже занят.',
  '{host} does not accept our key for the user {user}.':
    '{host} не принимает ключ сервера для пользователя {user}.',
  '{host} shows the host key {key}. Nothing is sent before it is configured.':
    '{host} предъявляет ключ {key}. Пока он не записан в настройках, ничего не передаётся.',
  '{host} shows the host key {key}, not the configured {expected}.':
    '{host} предъявляет ключ {key}, а в настройках записан {expected}.',
  'The license does not allow a tunnel.': 'Лицензия не допускает туннеля.',
  'The location {location} is no longer configured.': 'Посредника {location} больше нет в настройках.',
  "The key of the tunnel can't be used; the server log has the reason.":
    'Ключ туннеля не удалось использовать; причина — в журнале сервера.',

  // The address itself.
  'The address is longer than {count} characters.': 'Адрес длиннее {count} символов.',
  'This is not the address of a stream. It begins with rtsp://, for example.':
    'Это не адрес потока. Он начинается, например, с rtsp://.',
  'Addresses that begin with {scheme}: are not allowed.': 'Адреса вида {scheme}: не разрешены.',
  'The address contains a space or another character that must be percent-encoded.':
    'В адресе есть пробел или другой символ, который нужно записать через знак процента.',
  'A demo address looks like demo: or demo:name.': 'Демонстрационный адрес имеет вид demo: или demo:имя.',
  'The host or port of the address is invalid.': 'Имя узла или порт в адресе записаны неверно.',
  'This kind of address needs a port, as in host:5000.':
    'В адресе этого вида нужен порт, например host:5000.',
  'The port must be a number from 1 to 65535.': 'Порт — это число от 1 до 65535.',
  'The address in brackets is not an IPv6 address.': 'Адрес в скобках — не адрес IPv6.',
  'The address has no valid host name.': 'В адресе нет правильного имени узла.',
  'The user name or password contains a control character.': 'В логине или пароле есть управляющий символ.',
  'demo: has no option "{option}"; the options are fps and gop.':
    'У demo: нет параметра «{option}», есть только fps и gop.',
  'The option {option} of demo: must be a number from {min} to {max}.':
    'Параметр {option} у demo: — число от {min} до {max}.',
  'The stored address cannot be read: secret.key is not the key it was stored with. Restore that key, or enter the address again.':
    'Сохранённый адрес не прочитать: secret.key — не тот ключ, с которым его сохранили. Верните прежний ключ или введите адрес ещё раз.',
};

interface Template {
  /** The text before, between and after the placeholders. */
  readonly pieces: readonly string[];
  readonly names: readonly string[];
  readonly russian: string;
}

const wordsMaxLength = 500;
const valueMaxLength = 253;
/** A host, a number, a few words: too short to contain an address with credentials. */
const foreign = /[/@?=\p{Cc}]/u;
/** As printed by `ssh-keygen -l`: not secret, although it contains slashes. */
const fingerprint = /^SHA256:[A-Za-z0-9+/]{1,64}$/;
const keyed = new Set(['key', 'expected']);
const spaced = new Set(['status', 'media']);

const templates: readonly Template[] = Object.entries(knownReasons).map(([english, russian]) => {
  const parts = english.split(/[{}]/);
  return {
    pieces: parts.filter((_, index) => index % 2 === 0),
    names: parts.filter((_, index) => index % 2 === 1),
    russian,
  };
});

/** A reason in the reader's language; undefined for an unknown one. */
export function knownReason(words: string, language: MessageLanguage): string | undefined {
  if (words.length > wordsMaxLength) return undefined;
  for (const template of templates) {
    const values = valuesIn(words, template);
    if (values) return language === 'en' ? words : filled(template, values);
  }
  return undefined;
}

/**
 * The message of a response for a fault: the catalogue's sentence, then the reason if it describes a source and
 * is known.
 */
export function sentencesOf(code: ErrorCode, words: string, language: MessageLanguage): string {
  const sentence = messageOf(code, language);
  const reason = codesWithReason.has(code) ? knownReason(words, language) : undefined;
  return reason === undefined || reason === sentence ? sentence : `${sentence} ${reason}`;
}

/**
 * The values at the placeholders, each up to the first occurrence of what follows; in one pass, whatever the
 * text is.
 */
function valuesIn(words: string, { pieces, names }: Template): string[] | undefined {
  const [first = '', ...others] = pieces;
  if (!words.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (const [index, piece] of others.entries()) {
    const isLast = index === others.length - 1;
    const end = isLast ? words.length - piece.length : words.indexOf(piece, at);
    if (end <= at || !words.startsWith(piece, end)) return undefined;
    const value = words.slice(at, end);
    if (!isPlain(value, names[index] ?? '')) return undefined;
    values.push(value);
    at = end + piece.length;
  }
  return at === words.length ? values : undefined;
}

function isPlain(value: string, name: string): boolean {
  if (keyed.has(name)) return fingerprint.test(value);
  return value.length <= valueMaxLength && !foreign.test(value) && (spaced.has(name) || !value.includes(' '));
}

function filled({ names, russian }: Template, values: readonly string[]): string {
  const parts = russian.split(/[{}]/);
  return parts
    .map((part, index) => (index % 2 === 0 ? part : inRussian(part, values[names.indexOf(part)] ?? '')))
    .join('');
}

function inRussian(name: string, value: string): string {
  if (name !== 'media') return value;
  return value
    .replaceAll('video ', 'видео ')
    .replaceAll('audio ', 'звук ')
    .replaceAll('of unknown kind', 'неизвестного вида');
}
