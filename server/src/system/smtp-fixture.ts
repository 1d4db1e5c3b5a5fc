import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

export const smtpUser = 'mailer@example.org';
export const smtpPassword = 'letters-for-all';

/** An e-mail that the server accepted, decoded as far as the tests need. */
interface ReceivedEmail {
  readonly to: string;
  readonly subject: string;
  /** Text and HTML parts, one after the other. */
  readonly content: string;
  readonly code: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

export interface TestSmtpServer {
  readonly port: number;
  readonly emails: readonly ReceivedEmail[];
  /** PEM; clients that trust it trust the server. */
  readonly certificate: string;
  stop(): Promise<void>;
}

/** A mail server on loopback that requires STARTTLS and a sign-in before it accepts an e-mail. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const { key, certificate } = selfSigned();
  const emails: ReceivedEmail[] = [];
  const server = new SMTPServer({
    key,
    cert: certificate,
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: (auth, _, done) => {
      const isRight = auth.username === smtpUser && auth.password === smtpPassword;
      done(isRight ? null : new Error('wrong'), { user: auth.username });
    },
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo.map(({ address }) => address).join();
      let raw = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => (raw += chunk));
      stream.on('error', done);
      stream.on('end', () => {
        emails.push({ to, ...decoded(raw), isSecure: session.secure, user: session.user });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    emails,
    certificate,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A key and certificate for 127.0.0.1, both PEM. */
export function selfSigned(): { key: string; certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-smtp-'));
  try {
    const key = join(folder, 'key.pem');
    const certificate = join(folder, 'certificate.pem');
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    execFileSync('openssl', [...request, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Enough of RFC 2045 and 2047 for the library's output: encoded words, quoted-printable, base64. */
function decoded(raw: string): { subject: string; content: string; code: string } {
  const unfolded = raw.replace(/\r\n[ \t]+/g, ' ');
  const subject = (/^Subject: (.*)$/m.exec(unfolded)?.[1] ?? '')
    .trim()
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, how: string, text: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString()
        : unquoted(text.replaceAll('_', ' ')),
    );
  const parts = raw.split(/\r\n--[^\r\n]+/).filter((part) => /^Content-Type: text\//im.test(part));
  const content = parts.map(partText).join('\n');
  return { subject, content, code: /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(content)?.[0] ?? '' };
}

function partText(part: string): string {
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  return /encoding: quoted-printable/i.test(head) ? unquoted(body) : body;
}

function unquoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
