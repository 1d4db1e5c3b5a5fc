// Words that this project no longer uses: old-style English, and private names for which the field has a word. Every text file
// is searched: comments, documents, identifiers and messages. `word-list-baseline.json` holds, by file, how many are left; a file
// with more fails the check, a file with fewer gives a hint to run `--write`, which rewrites the baseline. It only shrinks.
// `--list PATH...` prints every place in these files. Exit code 1 and a line per breach; part of `npm run check`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { root } from './install.mjs';

/** @typedef {{ line: number, word: string, better: string }} Place Where a word is, and what to write. */
/** @typedef {Readonly<Record<string, number>>} Counts Words left, by path. */

/** Old-style English in any text, in either case. @type {Readonly<Record<string, string>>} */
const phrases = {
  'at once': 'immediately, or simultaneously',
  anew: 'again',
  whoever: 'name the actor',
  nobody: 'name the actor: no viewer, no caller',
  somebody: 'name the actor: a viewer, a caller',
};

/** Private names that are no words of English: not in any text, and not as identifiers. @type {Readonly<Record<string, string>>} */
const names = {
  Doorkeeper: 'Authenticator',
  welcomeUntilMs: 'validUntil',
  FrontDoor: 'ConnectionLimiter',
  FarTier: 'ObjectStorageTier',
  FarStore: 'ObjectStore',
  FarConnection: 'TunnelConnection',
  FarCallers: 'TunnelClients',
  StationStream: 'ManagedStream',
  StreamDesk: 'StreamService',
  SourceLook: 'SourceProbe',
  LicenseKeeper: 'LicenseService',
  ConfigKeeper: 'ConfigStore',
  StatusKeeper: 'StatusWriter',
  StreamWatch: 'StreamMetrics',
  MotionWatch: 'MotionReader',
  JoinedFootage: 'FederatedArchive',
  FootageSlice: 'CatalogSlice',
  RemoteFootage: 'PeerArchive',
  RemotePackage: 'PeerPackage',
  freeMoment: 'nextFreeSlot',
  WriteGate: 'Semaphore',
  DiskRoom: 'FreeSpaceMonitor',
  DiskGuard: 'VolumeMarkerCheck',
  RoomMaker: 'SpaceReclaimer',
  ContinuityWatch: 'RecordingCoverage',
  VideoReader: 'VideoDepacketizer',
  AudioReader: 'AudioDepacketizer',
  TrackGate: 'TrackSelector',
  SoundWait: 'AudioStartWait',
  PendingRun: 'FragmentBuilder',
  isPatient: 'toleratesLatency',
  onHurry: 'onLowLatencyReader',
  ReadPace: 'PollBatcher',
  ReadRounds: 'PollRounds',
  ForbiddenReach: 'ForbiddenNetwork',
  ReachPolicy: 'AddressPolicy',
  UnseenRest: 'BackgroundSuspend',
  PaintMeter: 'RenderLoadMeter',
};

/** Private names that are words of English as well: not as identifiers. @type {Readonly<Record<string, string>>} */
const identifiers = {
  Station: 'StreamManager',
  Desk: 'JobDispatcher, AppShell',
  Keeper: '...Service, ...Store, ...Writer',
  Footage: 'ArchiveReader',
  Piece: 'AssembledFragment, ArchiveFragment',
  Offload: 'Uploader',
  Removal: 'SegmentDeleter',
  Watchers: 'LiveSessions',
  Seats: 'TranscodeSlots',
  Receiver: 'RtpReceiver',
  Witness: 'DatabaseProbe',
  Lead: 'LeaderElection',
  Admission: 'AuthResult',
  Letter: 'Email',
  Lanes: 'TimelineTracks',
  hardship: 'fault injection',
};

/** What has to name the words: the list itself, and the table of names before and now. */
const exempt = new Set([
  'design/names.md',
  'tools/word-list.mjs',
  'tools/word-list.test.ts',
  'tools/word-list-baseline.json',
]);

const baselinePath = 'tools/word-list-baseline.json';
const isText = /(\.(ts|tsx|mjs|md|css|html|json|yaml|py)|^\.ci\/run)$/;
const isCode = /\.(ts|tsx|mjs)$/;

const phrasePattern = new RegExp(
  String.raw`\b(${Object.keys(phrases)
    .join('|')
    .replaceAll(' ', String.raw`\s+(?:(?:\/\/|\*|#)\s+)?`)})\b`,
  'gi',
);
const namePattern = new RegExp(String.raw`\b(${Object.keys(names).join('|')})\b`, 'g');
const identifierPattern = new RegExp(String.raw`\b(${Object.keys(identifiers).join('|')})\b`);

/**
 * Every place in a file where a listed word is, in the order of lines.
 * @param {string} path decides whether it is code, which is read for identifiers as well
 * @param {string} text
 * @returns {Place[]}
 */
export function placesIn(path, text) {
  const at = (/** @type {number} */ index) => text.slice(0, index).split('\n').length;
  const places = [...text.matchAll(phrasePattern)].map(({ index, 0: match }) => {
    const word = match.replace(/\s.*\s|\s/s, ' ').toLowerCase();
    return { line: at(index), word, better: phrases[word] ?? '' };
  });
  for (const { index, 0: word } of text.matchAll(namePattern))
    places.push({ line: at(index), word, better: names[word] ?? '' });
  if (isCode.test(path) && identifierPattern.test(text))
    for (const { start, name } of identifiersOf(parseSync(path, text).program))
      if (Object.hasOwn(identifiers, name))
        places.push({ line: at(start), word: name, better: identifiers[name] ?? '' });
  return places.toSorted((one, other) => one.line - other.line);
}

/**
 * What differs from the baseline, a line for each file.
 * @param {Counts} found
 * @param {Counts} allowed
 * @returns {{ breaches: string[], hints: string[] }}
 */
export function compared(found, allowed) {
  const paths = [...new Set([...Object.keys(found), ...Object.keys(allowed)])].toSorted();
  const lineFor = (/** @type {string} */ path) =>
    `${path} has ${found[path] ?? 0} words of the list, the baseline ${allowed[path] ?? 0}`;
  return {
    breaches: paths.filter((path) => (found[path] ?? 0) > (allowed[path] ?? 0)).map(lineFor),
    hints: paths.filter((path) => (found[path] ?? 0) < (allowed[path] ?? 0)).map(lineFor),
  };
}

/** Identifiers of code, types and JSX; no strings and no comments. @param {any} node @returns {{ start: number, name: string }[]} */
function identifiersOf(node) {
  const own = node.type.endsWith('Identifier') && typeof node.name === 'string' ? [node] : [];
  const below = Object.values(node)
    .flat()
    .filter((value) => typeof value === 'object' && value !== null && typeof value.type === 'string');
  return [...own, ...below.flatMap(identifiersOf)];
}

/** Text files that git knows or would take, paths below the root. @returns {string[]} */
function textFiles() {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => isText.test(path) && !exempt.has(path) && path !== 'package-lock.json')
    .filter((path) => existsSync(join(root, path)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, ...listed] = process.argv.slice(2);
  const places = new Map(
    textFiles().map((path) => [path, placesIn(path, readFileSync(join(root, path), 'utf8'))]),
  );
  /** @type {Record<string, number>} */
  const found = {};
  for (const [path, { length }] of places) if (length > 0) found[path] = length;
  const print = (/** @type {readonly string[]} */ paths) => {
    for (const path of paths)
      for (const { line, word, better } of places.get(path) ?? [])
        process.stdout.write(`${path}:${line} "${word}": ${better}\n`);
  };
  if (option === '--write') writeFileSync(join(root, baselinePath), `${JSON.stringify(found, null, 2)}\n`);
  else if (option === '--list') print(listed);
  else {
    /** @type {Counts} */
    const allowed = JSON.parse(readFileSync(join(root, baselinePath), 'utf8'));
    const { breaches, hints } = compared(found, allowed);
    for (const line of breaches) process.stdout.write(`${line}\n`);
    print(Object.keys(found).filter((path) => (found[path] ?? 0) > (allowed[path] ?? 0)));
    if (hints.length > 0)
      process.stdout.write(
        `hint: ${hints.length} files have fewer words of the list than their baseline: node tools/word-list.mjs --write\n`,
      );
    process.exit(breaches.length ? 1 : 0);
  }
}
