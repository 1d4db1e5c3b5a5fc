// Words that this project no longer uses: old-style English, and private names for which the field has a word.
// Every text file is searched: comments, documents, identifiers and messages. A phrase alone in quotes or
// backticks is a quotation or a value, such as `nobody`, a value of the key conversion.for. Exit code 1 and a
// line per match; part of `npm run check`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { root } from './install.mjs';

/** @typedef {{ line: number, word: string, better: string }} Place Where a word is, and what to write. */

/** Old-style English in any text, case-insensitive. @type {Readonly<Record<string, string>>} */
const phrases = {
  'at once': 'immediately, or simultaneously',
  anew: 'again',
  whoever: 'name the actor',
  nobody: 'name the actor: no viewer, no caller',
  somebody: 'name the actor: a viewer, a caller',
};

/**
 * Private names that are not English words: not allowed in any text or as identifiers. @type
 * {Readonly<Record<string, string>>}
 */
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

/**
 * Private names that are also English words: not allowed as identifiers. @type {Readonly<Record<string,
 * string>>}
 */
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

/** The files that have to contain the words: the list itself, and the table of old and new names. */
const exempt = new Set(['design/names.md', 'tools/word-list.mjs', 'tools/word-list.test.ts']);

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
 * Every match of a listed word in a file, in order of lines.
 * @param {string} path decides whether it is code, in which identifiers are checked as well
 * @param {string} text
 * @returns {Place[]}
 */
export function placesIn(path, text) {
  const at = (/** @type {number} */ index) => text.slice(0, index).split('\n').length;
  const isQuoted = (/** @type {number} */ index, /** @type {string} */ match) =>
    /^(['"`]).*\1$/.test(text.slice(index - 1, index + match.length + 1));
  const places = [...text.matchAll(phrasePattern)]
    .filter(({ index, 0: match }) => !isQuoted(index, match))
    .map(({ index, 0: match }) => {
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
 * Identifiers in code, types and JSX, without strings and comments. @param {any} node @returns {{ start:
 * number, name: string }[]}
 */
function identifiersOf(node) {
  const own = node.type.endsWith('Identifier') && typeof node.name === 'string' ? [node] : [];
  const below = Object.values(node)
    .flat()
    .filter((value) => typeof value === 'object' && value !== null && typeof value.type === 'string');
  return [...own, ...below.flatMap(identifiersOf)];
}

/** Text files that git tracks or would add, as paths below the root. @returns {string[]} */
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
  let isClean = true;
  for (const path of textFiles())
    for (const { line, word, better } of placesIn(path, readFileSync(join(root, path), 'utf8'))) {
      process.stdout.write(`${path}:${line} "${word}": ${better}\n`);
      isClean = false;
    }
  process.exit(isClean ? 0 : 1);
}
