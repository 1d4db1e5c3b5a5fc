// The part of ICU message syntax that the page's messages use: `{name}` and `{count, plural, one {# stream}
// other {# streams}}`, with `#` for the number and nesting inside a form.
// https://unicode-org.github.io/icu/userguide/format_parse/messages/ A full ICU implementation would be as
// large as all the messages; the tests compare this subset with a full library.

/** A parsed message. */
export type Message = readonly MessagePart[];

type MessagePart =
  | string
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'count' }
  | { readonly kind: 'plural'; readonly name: string; readonly forms: ReadonlyMap<string, Message> };

/** A language's plural rules and number format. */
export interface MessageRules {
  readonly plural: Pick<Intl.PluralRules, 'select'>;
  readonly number: (value: number) => string;
}

/** Parses a message. Throws SyntaxError, with the message, for anything outside this syntax. */
export function parseMessage(text: string): Message {
  const reader = { text, at: 0 };
  const message = readParts(reader, false);
  if (reader.at < text.length) throw mistake(reader);
  return message;
}

interface MessageReader {
  readonly text: string;
  at: number;
}

function mistake({ text, at }: MessageReader): SyntaxError {
  return new SyntaxError(`Message breaks at character ${at}: ${text}`);
}

/** Reads until the end or the `}` that closes the current form. `#` is the number only inside a plural. */
function readParts(reader: MessageReader, isInPlural: boolean): MessagePart[] {
  const parts: MessagePart[] = [];
  const special = isInPlural ? /[{}#]/g : /[{}]/g;
  for (;;) {
    special.lastIndex = reader.at;
    const end = special.exec(reader.text)?.index ?? reader.text.length;
    if (end > reader.at) parts.push(reader.text.slice(reader.at, end));
    reader.at = end;
    const sign = reader.text[end];
    if (sign === '{') parts.push(readArgument(reader));
    else if (sign === '#') {
      parts.push({ kind: 'count' });
      reader.at += 1;
    } else return parts;
  }
}

function take(reader: MessageReader, pattern: RegExp): RegExpExecArray {
  const sticky = new RegExp(pattern, 'y');
  sticky.lastIndex = reader.at;
  const match = sticky.exec(reader.text);
  if (!match) throw mistake(reader);
  reader.at = sticky.lastIndex;
  return match;
}

function readArgument(reader: MessageReader): MessagePart {
  const [, name = '', next] = take(reader, /\{\s*(\w+)\s*(\}|,\s*plural\s*,)/);
  if (next === '}') return { kind: 'value', name };
  const forms = new Map<string, Message>();
  while (reader.text[reader.at] !== '}') {
    const [, form = ''] = take(reader, /\s*(=\d+|\w+)\s*\{/);
    forms.set(form, readParts(reader, true));
    take(reader, /\}\s*/);
  }
  reader.at += 1;
  if (!forms.has('other')) throw mistake(reader);
  return { kind: 'plural', name, forms };
}

/** Formats values into a message. A missing value stays visible as `{name}`, which the tests look for. */
export function formatMessage(
  message: Message,
  values: Readonly<Record<string, string | number>>,
  rules: MessageRules,
  count = 0,
): string {
  return message
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.kind === 'count') return rules.number(count);
      const value = values[part.name];
      if (part.kind === 'value') {
        return typeof value === 'number' ? rules.number(value) : (value ?? `{${part.name}}`);
      }
      const amount = Number(value);
      const form =
        part.forms.get(`=${amount}`) ??
        part.forms.get(rules.plural.select(amount)) ??
        part.forms.get('other');
      return form ? formatMessage(form, values, rules, amount) : '';
    })
    .join('');
}
