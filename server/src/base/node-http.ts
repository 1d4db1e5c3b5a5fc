/**
 * What the server uses of `node:http`. An `import` of that module reads all that it exports, and one of these, `WebSocket`,
 * loads undici when it is read: 6 MB and 0.1 s of CPU in each process and thread, none of which needs it.
 */
export const { Agent, createServer, request, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
