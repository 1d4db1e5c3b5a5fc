// `npm run dev [--inspect[=PORT]] [--host ADDRESS] [--port PORT]`: the server, restarted when one of its files
// changes, and the page with hot module replacement, on one address.
//
// The browser talks to this process. It serves Vite's modules, and forwards everything else to the server, so
// cookies, origins and WebSockets work as in production. The page's HTML comes from the server too: its boot
// data, language, title and headers are combined with the entry that Vite serves. The content security policy
// is the server's, with a nonce added for the two inline scripts that hot replacement needs.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, fail, keepCompiled, nodePath, root } from './install.mjs';
import { ensurePage } from './page.mjs';

const { host, port, inspect } = options();
ensureInstalled();
ensurePage();
keepCompiled();
const { createServer: createVite } = await import('vite');

const serverPort = await freePort();
const nonce = randomBytes(16).toString('base64url');
const front = createServer();
const vite = await createVite({
  root: join(root, 'ui'),
  configFile: join(root, 'ui/vite.config.ts'),
  appType: 'custom',
  html: { cspNonce: nonce },
  server: { middlewareMode: true, hmr: { server: front } },
});

front.on('request', (request, response) => {
  // A navigation goes to the server: Vite would treat an address without an extension as a module.
  if (!request.url?.startsWith('/ui/') || request.headers.accept?.includes('text/html'))
    return passOn(request, response);
  vite.middlewares(request, response, () => passOn(request, response));
});
front.on('upgrade', (request, socket, head) => {
  if (request.headers['sec-websocket-protocol']?.startsWith('vite-')) return;
  const upstream = connect(serverPort, '127.0.0.1', () => {
    upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${rawHeaders(request)}\r\n`);
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on('error', () => socket.destroy());
  socket.on('error', () => upstream.destroy());
});
front.on('error', (error) => fail(`The address ${host}:${port} can't be used: ${error.message}`));
front.listen(port, host);
await once(front, 'listening');
const bound = /** @type {import('node:net').AddressInfo} */ (front.address());
const address = `http://localhost:${bound.port}/ui/`;
const server = runServer();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => server.end());
}

function options() {
  try {
    const { values } = parseArgs({
      args: process.argv.slice(2).map((word) => (word === '--inspect' ? '--inspect=127.0.0.1:9229' : word)),
      options: { inspect: { type: 'string' }, host: { type: 'string' }, port: { type: 'string' } },
    });
    return {
      host: values.host ?? process.env.VIDETTE_HOST ?? '127.0.0.1',
      port: Number(values.port ?? process.env.VIDETTE_PORT ?? 8080),
      inspect: values.inspect,
    };
  } catch (error) {
    return fail(`npm run dev: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Keeps the server running on its own port, and restarts it when a source file changes. */
function runServer() {
  let child = startServer();
  let isEnding = false;
  let isReplacing = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const replace = () => {
    if (isReplacing || isEnding) return;
    isReplacing = true;
    const start = () => {
      isReplacing = false;
      if (isEnding) process.exit(0);
      process.stdout.write('A source file changed: the server restarts.\n');
      child = startServer();
      child.on('exit', onExit);
    };
    if (child.exitCode !== null || child.signalCode !== null) return start();
    child.once('exit', start);
    child.kill('SIGTERM');
  };
  const onExit = () => {
    if (isEnding) process.exit(0);
    if (!isReplacing) process.stdout.write('The server has ended; it restarts when a source file changes.\n');
  };
  child.on('exit', onExit);
  for (const folder of ['server/src', 'contract/src', 'media/src']) {
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (!name || !name.endsWith('.ts') || name.includes('.test.')) return;
      clearTimeout(timer);
      timer = setTimeout(replace, 100);
    });
  }
  return {
    end() {
      isEnding = true;
      if (child.exitCode !== null || child.signalCode !== null) process.exit(0);
      child.kill('SIGTERM');
    },
  };
}

function startServer() {
  const debug = inspect === undefined ? [] : [`--inspect=${inspect}`];
  const child = spawn(nodePath, [...debug, join(root, 'server/src/main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Ctrl-C in the terminal reaches only this process, which ends the server.
    detached: true,
    env: { ...process.env, VIDETTE_HOST: '127.0.0.1', VIDETTE_PORT: String(serverPort) },
  });
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text) =>
    process.stdout.write(text.replaceAll(`http://127.0.0.1:${serverPort}/ui/`, address)),
  );
  return child;
}

/**
 * Forwards a request to the server, and returns its reply.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function passOn(request, response) {
  const headers = { ...request.headers };
  // The page is changed on its way, and a browser must not cache that of an earlier run.
  if (headers.accept?.includes('text/html')) {
    delete headers['accept-encoding'];
    delete headers['if-none-match'];
  }
  const upstream = httpRequest({
    host: '127.0.0.1',
    port: serverPort,
    method: request.method,
    path: request.url,
    headers,
  });
  upstream.on('response', (reply) => {
    if (isPage(request, reply)) return void sendPage(request, reply, response);
    response.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
    reply.pipe(response);
  });
  upstream.on('error', () => {
    if (response.headersSent) return response.destroy();
    response.writeHead(502, { 'content-type': 'text/plain' });
    response.end('The server is not running: see its console for the reason.\n');
  });
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').IncomingMessage} reply */
function isPage(request, reply) {
  return (
    reply.statusCode === 200 &&
    request.url?.startsWith('/ui/') &&
    !/^\/ui\/(offline\.html|help\/)/.test(request.url) &&
    reply.headers['content-type']?.startsWith('text/html')
  );
}

/**
 * Inserts the values from the server into the page's source, whose scripts Vite serves.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').IncomingMessage} reply
 * @param {import('node:http').ServerResponse} response
 */
async function sendPage(request, reply, response) {
  const chunks = [];
  for await (const chunk of reply) chunks.push(chunk);
  const filled = Buffer.concat(chunks).toString('utf8');
  const name = request.url?.startsWith('/ui/share/') ? 'share.html' : 'index.html';
  const source = await readFile(join(root, 'ui', name), 'utf8');
  const html = [
    /<html [^>]*>/,
    /<title>[^<]*<\/title>/,
    /<script type="application\/json"[^>]*>[^<]*<\/script>/,
  ].reduce((page, part) => page.replace(part, () => part.exec(filled)?.[0] ?? ''), source);
  const body = Buffer.from(await vite.transformIndexHtml(request.url ?? '/ui/', html));
  const headers = { ...reply.headers };
  delete headers.etag;
  delete headers['transfer-encoding'];
  const policy = String(headers['content-security-policy'] ?? '');
  response.writeHead(200, {
    ...headers,
    'cache-control': 'no-store',
    'content-security-policy': policy.replace("script-src 'self'", `script-src 'self' 'nonce-${nonce}'`),
    'content-length': body.length,
  });
  response.end(body);
}

/** @param {import('node:http').IncomingMessage} request */
function rawHeaders({ rawHeaders: words }) {
  let text = '';
  for (let at = 0; at < words.length; at += 2) text += `${words[at]}: ${words[at + 1]}\r\n`;
  return text;
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createTcpServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const bound = /** @type {import('node:net').AddressInfo} */ (probe.address());
      probe.close(() => resolve(bound.port));
    });
  });
}
