import { z } from 'zod';
import {
  holdLimits,
  journalKinds,
  limits,
  notificationFailures,
  ruleExportLimits,
  targetTypes,
} from './constants.ts';
import { Email, Id, Name, TimeMs, TimeZoneName, Uid } from './entities.ts';
import { exampleMs, hourMs, like } from './example.ts';
import { JournalKind } from './journal.ts';
import { mqttTopicMaxLength, mqttTopicPattern } from './mqtt.ts';

// Rules and the targets that they notify.

const WebhookUrl = z
  .url({ protocol: /^https?$/ })
  .max(limits.sourceMaxLength)
  .meta(like('https://hooks.example.org/vidette'));
/** Levels of a topic, without wildcards and empty levels. */
const MqttTopic = z.string().max(mqttTopicMaxLength).regex(mqttTopicPattern).meta(like('yard/night'));
const Recipients = z.array(Email).min(1).max(limits.emailRecipientsMax);

/** A time of day. */
const ClockTime = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/);

/** Bytes in unpadded base64url (RFC 4648, 5). */
const base64url = (bytes: number) => z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}$`));

const PushSettings = z.strictObject({
  type: z.literal('push'),
  endpoint: z
    .url({ protocol: /^https$/ })
    .max(limits.sourceMaxLength)
    .describe('The address of the browser’s push service, as in its PushSubscription')
    .meta(like('https://push.example.net/send/c2tq8w')),
  keys: z
    .strictObject({
      p256dh: base64url(65).meta(like(`B${'A'.repeat(86)}`)),
      auth: base64url(16).meta(like('AAAAAAAAAAAAAAAAAAAAAA')),
    })
    .describe('The keys of the PushSubscription (RFC 8291)'),
  quietHours: z
    .strictObject({
      timeZone: TimeZoneName,
      from: ClockTime.meta(like('23:00')),
      to: ClockTime.describe('On the next day if it is not after `from`').meta(like('07:00')),
    })
    .nullable()
    .describe('Every day at these times nothing is sent; what has gathered follows as one notification')
    .meta(like(null)),
});

/** A browser's new subscription, and the old one as proof. */
export const pushRenewal = {
  oldEndpoint: PushSettings.shape.endpoint,
  oldAuth: PushSettings.shape.keys.shape.auth,
  endpoint: PushSettings.shape.endpoint,
  keys: PushSettings.shape.keys,
};

/** Where notifications go, by type. */
export const TargetSettings = z.discriminatedUnion('type', [
  PushSettings,
  z.strictObject({
    type: z.literal('webhook'),
    url: WebhookUrl.describe('Receives a signed POST request for each notification'),
  }),
  z.strictObject({
    type: z.literal('email'),
    to: Recipients.describe('Only administrators may enter addresses other than their own'),
  }),
  z.strictObject({
    type: z.literal('mqtt'),
    topic: MqttTopic.describe('Below `notifications` in the server’s topics on its MQTT broker'),
  }),
]);

/** Why a target did not accept a notification. */
export const NotificationFailure = z.object({
  code: z.enum(notificationFailures).meta(like('status')),
  status: z.int().nullable().describe('The HTTP status of the response, if there was one').meta(like(503)),
});

export const NotificationTarget = z.object({
  id: Id,
  name: z.string().meta(like('Night shift')),
  type: z.enum(targetTypes),
  settings: TargetSettings,
  createdAt: TimeMs,
  waiting: z.int().describe('Notifications in the queue').meta(like(0)),
  dropped: z
    .int()
    .describe('Notifications that were given up: too old, too many, or refused for good')
    .meta(like(0)),
  acceptedAt: TimeMs.nullable().describe('When it last accepted a notification'),
  failingSince: TimeMs.nullable()
    .describe('When the failures began that have not ended since')
    .meta(like(null)),
  nextAttemptAt: TimeMs.nullable().describe('When a failed delivery is tried again').meta(like(null)),
  failure: NotificationFailure.nullable().describe('The last failure; null after a success').meta(like(null)),
});

/** Members that users set. */
export const targetToAdd = {
  name: Name.meta(like('Night shift')),
  settings: TargetSettings.meta(like({ type: 'webhook', url: 'https://hooks.example.org/vidette' })),
};

const Seconds = z.int().min(0).max(limits.ruleSecondsMax);
const ExtraSeconds = z.int().min(0).max(ruleExportLimits.extraSecondsMax);
const HoldSeconds = z.int().min(0).max(holdLimits.extraSecondsMax);

export const RuleSchedule = z.strictObject({
  timeZone: TimeZoneName,
  spans: z
    .array(
      z.strictObject({
        days: z
          .array(z.int().min(1).max(7))
          .min(1)
          .max(7)
          .describe('Days on which the span begins: 1 is Monday')
          .meta(like([1, 2, 3, 4, 5])),
        from: ClockTime.meta(like('22:00')),
        to: ClockTime.describe(
          'On the next day if it is not after `from`; the same time is 24 hours later, by the clock on the wall',
        ).meta(like('06:00')),
      }),
    )
    .min(1)
    .max(limits.ruleSpansMax),
});

const unique = (items: readonly unknown[]) => new Set(items).size === items.length;

/** Members of a rule that users set, as requests contain them. */
export const ruleSettings = {
  name: Name.meta(like('Yard at night')),
  isEnabled: z.boolean(),
  kinds: z.array(JournalKind).min(1).max(journalKinds.length).refine(unique),
  streams: z
    .array(Uid)
    .max(limits.ruleStreamsMax)
    .refine(unique)
    .describe('Without streams and tags: every stream that the owner may see'),
  tags: z
    .array(Name.max(limits.tagMaxLength))
    .max(limits.tagsMax)
    .meta(like(['Yard'])),
  schedule: RuleSchedule.nullable().describe('Null: always'),
  minSeconds: Seconds.describe('What has a duration must last this long').meta(like(5)),
  count: z
    .strictObject({
      events: z.int().min(2).max(limits.ruleEventsMax).meta(like(3)),
      withinSeconds: Seconds.min(1).meta(like(600)),
    })
    .nullable()
    .describe('So many events must occur within this time; null: each one suffices')
    .meta(like(null)),
  unattended: z
    .boolean()
    .describe(
      `Only if no user has had the page open, or has used the server in a session, for ${limits.presenceMinutes} minutes`,
    )
    .meta(like(false)),
  otherRule: z
    .strictObject({
      id: Id.describe('Another rule of the owner; one that was deleted has never acted'),
      hasActed: z.boolean().describe('Whether it must have acted, or must not').meta(like(true)),
      withinSeconds: Seconds.min(1).meta(like(600)),
    })
    .nullable()
    .describe('Only if another rule has, or has not, acted within this time before')
    .meta(like(null)),
  cooldownSeconds: Seconds.describe('For this long after it acted, the rule doesn’t act again').meta(
    like(300),
  ),
  perHourMax: z
    .int()
    .min(1)
    .max(limits.rulePerHourMax)
    .describe('It acts this often in an hour at most')
    .meta(like(12)),
  targets: z.array(Id).max(limits.ruleTargetsMax).refine(unique).describe('The owner’s targets'),
  exports: z
    .strictObject({
      leadSeconds: ExtraSeconds.describe('Before the event').meta(like(10)),
      trailSeconds: ExtraSeconds.describe('After its end').meta(like(20)),
    })
    .nullable()
    .describe(
      `Exports the event, of a longer one the first hour, where the owner may watch the archive; all rules of a user at most ${ruleExportLimits.perHourMax} in an hour, within the limits of exports`,
    )
    .meta(like(null)),
  hold: z
    .strictObject({
      leadSeconds: HoldSeconds.describe('Before the event').meta(like(30)),
      trailSeconds: HoldSeconds.describe('After its end').meta(like(60)),
      days: z.int().min(1).max(holdLimits.daysMax).describe('From the event on').meta(like(30)),
    })
    .nullable()
    .describe(
      `Keeps the footage of the event, of a longer one the first hour, from being deleted by age or for space, where the owner may edit the stream and watch its archive; at most ${holdLimits.perStreamMax} holds of a stream, ${holdLimits.max} of all, and archive.holdPercent of the space: beyond that the oldest hold ends`,
    )
    .meta(like(null)),
  bookmarks: z.boolean().describe('Adds a bookmark, where the owner may watch the archive').meta(like(false)),
};

/** The same with the values that a new rule has unless the request names others. */
export const ruleToAdd = {
  ...ruleSettings,
  isEnabled: ruleSettings.isEnabled.default(true),
  streams: ruleSettings.streams.default([]),
  tags: ruleSettings.tags.default([]),
  schedule: ruleSettings.schedule.default(null),
  minSeconds: ruleSettings.minSeconds.default(0),
  count: ruleSettings.count.default(null),
  unattended: ruleSettings.unattended.default(false),
  otherRule: ruleSettings.otherRule.default(null),
  cooldownSeconds: ruleSettings.cooldownSeconds.default(300),
  perHourMax: ruleSettings.perHourMax.default(12),
  targets: ruleSettings.targets.default([]),
  exports: ruleSettings.exports.default(null),
  hold: ruleSettings.hold.default(null),
  bookmarks: ruleSettings.bookmarks.default(false),
};

export const Rule = z.object({
  id: Id,
  ...ruleSettings,
  createdAt: TimeMs,
  firedAt: TimeMs.nullable()
    .describe('When it last acted')
    .meta(like(exampleMs - hourMs)),
});

/** An event that a rule acts on. */
const RuleEvent = z.object({
  id: Id.describe('Of the journal entry'),
  kind: JournalKind,
  stream: Uid.nullable(),
  streamName: z.string().nullable().meta(like('Yard')),
  startTime: TimeMs.meta(like(exampleMs - hourMs)),
  endTime: TimeMs.nullable().describe('null: a moment, or still going on'),
  note: z.string().meta(like('')),
  code: z.string().nullable().describe('The reason, as in the journal').meta(like(null)),
});

export const RulePreview = z.object({
  from: TimeMs.describe('Where the journal that was read begins'),
  to: TimeMs,
  isCut: z
    .boolean()
    .describe('There are more events than were read: the earliest are missing')
    .meta(like(false)),
  unknown: z
    .array(z.enum(['presence', 'other-rule']))
    .describe(
      'Conditions that the journal can’t decide and that count as met: whether a user was present, and the conditions of a rule on which the other rule depends',
    )
    .meta(like([])),
  events: z.int().describe('Events of these kinds, on these streams').meta(like(41)),
  total: z.int().describe('How often the rule would have acted').meta(like(14)),
  days: z
    .array(z.object({ date: z.iso.date().meta(like('2026-11-21')), count: z.int().meta(like(2)) }))
    .describe('By day, in the rule’s time zone'),
  busiest: z
    .object({
      weekday: z.int().min(1).max(7).describe('1 is Monday').meta(like(2)),
      part: z.enum(['night', 'morning', 'afternoon', 'evening']),
      count: z.int().meta(like(9)),
    })
    .nullable()
    .describe('The part of the week with most of them; null if there are none'),
  items: z
    .array(z.object({ at: TimeMs, event: RuleEvent }))
    .describe(`When it would have acted, and on what; the latest ${limits.previewItemsMax}`),
});

/** The body of a webhook's request, and the payload of an MQTT message. */
export const WebhookNotification = z.object({
  type: z.enum(['rule', 'test']).meta(like('rule')),
  id: z.string().describe('The same in every attempt to deliver this notification').meta(like('r7-e1042-t3')),
  createdAt: TimeMs,
  rule: z
    .object({ id: Id, name: z.string().meta(like('Yard at night')) })
    .nullable()
    .describe('Null for a test'),
  event: RuleEvent.nullable().describe('Null for a test'),
  suppressed: z
    .int()
    .describe('Events since the last notification that the rule’s limits held back')
    .meta(like(0)),
  url: z
    .string()
    .nullable()
    .describe('The moment on the page; null if the server knows no public address of its own')
    .meta(like('https://vidette.example.org/ui/stream/k3m9x2q7w5ab/view?t=1795255200000')),
});

/** What the service worker receives, encrypted by RFC 8291. */
export interface PushMessage {
  readonly title: string;
  readonly body: string;
  /** Of the texts. */
  readonly language: string;
  /** When the event began, ms since the epoch; null for a test. */
  readonly timeMs: number | null;
  /** A notification with the same tag is replaced. */
  readonly tag: string;
  /** Path of the page to open. */
  readonly path: string;
  /** Path of the still; null without one. */
  readonly image: string | null;
}

export type TargetSettings = z.infer<typeof TargetSettings>;
export type NotificationFailure = z.infer<typeof NotificationFailure>;
export type NotificationTarget = z.infer<typeof NotificationTarget>;
export type RuleSchedule = z.infer<typeof RuleSchedule>;
export type Rule = z.infer<typeof Rule>;
export type RulePreview = z.infer<typeof RulePreview>;
export type WebhookNotification = z.infer<typeof WebhookNotification>;
