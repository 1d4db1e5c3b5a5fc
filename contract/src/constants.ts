/** Numbers that server and page must agree on. Units are in the names. Contains no Zod. */

export const productName = 'Vidette';

export const languages = ['en', 'ru'] as const;

/** Colour schemes of the page; `auto` follows the system. */
export const themes = ['auto', 'light', 'dark'] as const;

/** Time zone in which times are shown: the viewer's or the server's. Any IANA zone can be named instead. */
export const clockOwners = ['viewer', 'server', 'stream'] as const;

/** Width of the still that the view shows until its video arrives. */
export const posterWidthPx = 1280;

/** Polling intervals of the page. */
export const polls = {
  streamStatusMs: 1_000,
  logsMs: 1_000,
  healthMs: 60_000,
  mosaicMs: 10_000,
  /**
   * The archive's data is requested again after the longer of this and `archiveSecondsPerPixelFactor` x seconds
   * per pixel.
   */
  archiveMinimumMs: 3_500,
  archiveSecondsPerPixelFactor: 6,
} as const;

/** Request timeouts of the page. */
export const timeouts = {
  defaultMs: 20_000,
  addStreamMs: 35_000,
  probeMs: 60_000,
  /** For the polls of stream states, which also detect a server that hangs. */
  statusMs: 8_000,
} as const;

/** Defaults of the configuration that the settings call reports. */
export const archiveDefaults = {
  downloadMaxSeconds: 3_600,
  playlistMaxSeconds: 604_800,
  /** Small enough to start quickly, large enough to keep requests few. */
  playlistEntrySeconds: 6,
  rangesMaxSeconds: 10_800,
  /** -1: no limit. */
  depthHours: -1,
} as const;

/**
 * Why a span of an archive contains no footage, as recorded by the recorder. A gap can have several, one after
 * the other, as in `server-crashed`, then `unreachable`.
 */
export const gapCauses = [
  /** Recording had not begun yet: nothing is missing, and no response lists it as a gap. */
  'before-recording',
  /** Recording is on, and the source has not delivered its first key frame yet. */
  'waiting',
  'unreachable',
  'no-frames',
  'paused',
  /** The source answered and then ended the stream. */
  'ended',
  /** The received data could not be parsed as frames. */
  'damaged',
  /** The stream runs on demand and had no viewer. */
  'idle',
  'stopped',
  /** Its address or its parameters were changed. */
  'source-changed',
  /** The timestamps of its frames jumped by more than a long frame. */
  'time-jump',
  /** The clock of the server was set forwards or back. */
  'clock-set',
  'server-stopped',
  'server-crashed',
  'recording-off',
  'disk-full',
  'write-failed',
  'write-too-slow',
  'wrong-disk',
  /** It was recorded; its file has since been lost, truncated or overwritten. */
  'file-damaged',
  /** It was recorded on a disk that has been replaced. */
  'disk-replaced',
  /** Its node was drained, and no other took over. */
  'drained',
  /** Another node of the cluster has taken over recording. */
  'moved',
  /** The node that recorded it does not answer; the footage reappears when the node returns. */
  'node-away',
  /** Retention or an administrator removed the footage. */
  'removed',
  /** Unknown, as before the first recording and in the future. */
  'none',
] as const;

/** What the journal records (`JournalEntry`). */
export const journalKinds = [
  'motion',
  /** Added by a user or by a program of theirs. */
  'annotation',
  /** The source was not available. */
  'stream-down',
  /** Frames arrived and could not be written. */
  'recording-stopped',
  /** Footage is missing; recorded when recording continues. */
  'gap',
  'disk',
  /** A server of the cluster, or this one: away, drained, overloaded, or with a wrong clock. */
  'node',
  'sign-in-failed',
  'share-opened',
  'export-made',
  /** Footage was deleted early, or could not be deleted. */
  'retention',
] as const;

/** Kinds of targets of notifications. */
export const targetTypes = ['push', 'webhook', 'email', 'mqtt'] as const;

/** Why a target did not accept a notification. */
export const notificationFailures = [
  /** No host answers at its address, or the connection was refused. */
  'unreachable',
  /** The connection ended before there was a response. */
  'reset',
  'timeout',
  /** Its certificate is not valid. */
  'tls',
  /** Its address leads to a network that this server may not contact for the owner. */
  'address-forbidden',
  /** It responded with a status other than success. */
  'status',
  /** It redirects, which is not followed. */
  'redirect',
  'mail-server',
  /** The server's configuration has no mail server, or no MQTT broker. */
  'not-configured',
  /** The MQTT broker does not accept the server's user name and password. */
  'broker-credentials',
  /** The MQTT broker does not accept the connection or the message. */
  'broker-refused',
  /** The key of its signatures can't be read: the server's own key was replaced. */
  'secret-lost',
  /** The browser ended its subscription, or its site data were deleted. */
  'gone',
] as const;

/** Limits of user input (lengths in characters unless a name says otherwise). */
export const limits = {
  loginMaxLength: 64,
  nameMaxLength: 200,
  emailMaxLength: 254,
  tagsMax: 20,
  tagMaxLength: 50,
  sourceMaxLength: 2_048,
  noteMaxLength: 2_000,
  passwordMinLength: 8,
  passwordMaxLength: 128,
  /** For calls that take long lists. */
  bodyMaxBytes: 1_048_576,
  /** For all other calls that need an account. */
  usualBodyMaxBytes: 131_072,
  /** For calls without an account. */
  openBodyMaxBytes: 16_384,
  pageSizeDefault: 50,
  pageSizeMax: 500,
  pageMax: 1_000_000,
  searchValuesMax: 10,
  permissionRowsMax: 10_000,
  exportStreamsMax: 16,
  /** Of one filter of the journal. */
  journalStreamsMax: 100,
  /** Entries that one call marks as reviewed. */
  journalReviewMax: 1_000,
  /** For all pages together. */
  mosaicCellsMax: 256,
  mosaicTilesPerPageMax: 64,
  mosaicPagesMax: 16,
  /** Of one user. */
  rulesMax: 50,
  targetsMax: 20,
  /** Of the targets: browsers of one user. */
  pushDevicesMax: 10,
  ruleStreamsMax: 200,
  ruleSpansMax: 20,
  ruleTargetsMax: 10,
  /** A user counts as present for this long after using the page or having it open. */
  presenceMinutes: 5,
  /** Of a rule's counted events. */
  ruleEventsMax: 100,
  rulePerHourMax: 60,
  /** A day: of a rule's durations. */
  ruleSecondsMax: 86_400,
  emailRecipientsMax: 10,
  previewItemsMax: 100,
} as const;

/** For the exports of rules. */
export const ruleExportLimits = {
  /** Before the event, and after it. */
  extraSecondsMax: 600,
  /** Of an event that lasts longer, the beginning is exported. */
  eventSecondsMax: 3_600,
  /** Of all rules of a user. */
  perHourMax: 12,
} as const;

/** For the footage that rules hold. */
export const holdLimits = {
  /** Before the event, and after it. */
  extraSecondsMax: 600,
  /** Of an event that lasts longer, the beginning is held. */
  eventSecondsMax: 3_600,
  daysMax: 365,
  /** Beyond it the oldest hold of the stream ends. */
  perStreamMax: 100,
  /** Of all streams together; beyond it the oldest hold ends. */
  max: 2_000,
} as const;

/** Why a hold ended early: held footage exceeded its share, or there were too many holds. */
export const holdEndCauses = ['share', 'number'] as const;
export type HoldEndCause = (typeof holdEndCauses)[number];

/** For a wall's socket. */
export const wallLimits = {
  /** Simultaneously open: every tile of a full page, and as many again while tiles switch feeds. */
  channelsMax: 128,
  /** Length of the channel number before every binary message. */
  headerBytes: 4,
  /** Interval of the server's keep-alive messages. */
  aliveMs: 5_000,
} as const;

/** Of the event stream. */
export const eventLimits = {
  /** A comment is sent this often, so that a client notices a broken connection. */
  aliveMs: 800,
  /** After this long without a byte the connection is broken. */
  silenceMs: 1_900,
  /** So many changes of the warnings about streams are told immediately, and further ones at this interval. */
  warningsAtOnce: 4,
  warningsMs: 20_000,
  /** Events that are kept for clients that reconnect. */
  keptMax: 1_000,
  /** Connections of one user. */
  perUser: 32,
} as const;

/** Letters and digits of any ASCII login, with `. _ - @`. */
export const loginPattern = /^[A-Za-z0-9._@-]+$/;

/** Schemes that a source address may have; `demo:` is the generated test video. */
export const sourceSchemes = [
  'rtsp',
  'rtsps',
  'rtsph',
  'rtspsh',
  'rtmp',
  'rtmps',
  'http',
  'https',
  'srt',
  'udp',
  'demo',
] as const;

export const timelineDefaults = {
  backMs: 20 * 3_600_000,
  aheadMs: 3 * 3_600_000,
  zoomInAboveMs: 5 * 60_000,
  zoomOutBelowMs: 24 * 3_600_000,
  zoomFactor: 1.5,
  labelSpacingPx: 70,
  labelStepsMinutes: [1, 5, 15, 30, 60],
} as const;

/** Before this much was expected, a recorded share says more about the seconds of connecting than about the camera. */
export const shareJudgedAfterMs = 3_600_000;

/** Failed streams that the server's statistics name. */
export const failedStreamsMax = 5;

/** Footage that is shown before an event. */
export const eventLeadMs = 2_000;

export const playbackSpeeds = [0.25, 0.5, 1, 2, 4, 8, 16] as const;

export const calendarDefaults = { months: 3, monthsMax: 12, monthsStep: 3, weekStartsOn: 1 } as const;

/** How long elements stay on the screen. */
export const pageTimes = {
  resizeDebounceMs: 100,
  tooltipHideDelayMs: 200,
  profileSavedFlagMs: 300,
  successMs: 3_000,
  errorMs: 4_500,
  dismissedWarningDays: 7,
} as const;

export const defaultTunnelLocation = 'RU';

/** Id of the script element that carries the boot data in the served page. */
export const bootElementId = 'boot';
