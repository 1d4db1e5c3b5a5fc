import { z } from 'zod';
import type { Call } from '../call.ts';
import { Id } from '../entities.ts';
import { like } from '../example.ts';
import {
  NotificationFailure,
  NotificationTarget,
  Rule,
  RulePreview,
  pushRenewal,
  ruleSettings,
  ruleToAdd,
  targetToAdd,
} from '../notifications.ts';
import { Done, pageOf } from '../page.ts';

const id = z.strictObject({ id: Id });
const errors = ['AuthorizationRequired', 'Forbidden', 'NotFound'] as const;

const secret = z
  .string()
  .nullable()
  .describe('Signs the requests of a webhook (Standard Webhooks); only in this response')
  .meta(like('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'));

export const notificationCalls = {
  listTargets: {
    summary: 'Where the caller’s rules send notifications, and the state of each target',
    who: 'user',
    reply: pageOf(NotificationTarget),
    errors: ['AuthorizationRequired'],
  },
  addTarget: {
    summary: 'Adds a target of notifications; the key that signs its requests is only in this response',
    who: 'user',
    body: z.strictObject(targetToAdd),
    reply: NotificationTarget.extend({ secret }),
    errors: ['AuthorizationRequired', 'Forbidden', 'QuotaReached', 'STREAM_SOURCE_ERR'],
  },
  saveTarget: {
    summary: 'Changes a target; on request, with a new key for its signatures',
    who: 'user',
    params: id,
    body: z.strictObject({
      ...NotificationTarget.omit({ name: true, settings: true }).partial().shape,
      name: targetToAdd.name.optional(),
      settings: targetToAdd.settings.optional(),
      renewSecret: z.boolean().optional(),
    }),
    reply: NotificationTarget.extend({ secret }),
    errors: [...errors, 'STREAM_SOURCE_ERR'],
  },
  deleteTarget: {
    summary: 'Deletes a target with all notifications that wait for it',
    who: 'user',
    params: id,
    reply: Done,
    errors,
  },
  testTarget: {
    summary: 'Sends a test notification immediately and reports the result',
    who: 'user',
    params: id,
    reply: z.object({
      isAccepted: z.boolean().meta(like(true)),
      failure: NotificationFailure.nullable().meta(like(null)),
    }),
    errors,
  },
  getPushKey: {
    summary: 'The key that a browser needs to subscribe to notifications (VAPID, RFC 8292)',
    who: 'user',
    reply: z.object({
      publicKey: z
        .string()
        .describe('An uncompressed P-256 point in base64url: `applicationServerKey`')
        .meta(like(`B${'A'.repeat(86)}`)),
    }),
    errors: ['AuthorizationRequired'],
  },
  renewPushDevice: {
    summary:
      'Replaces the address of a browser whose push service has renewed its subscription, which the secrets of the old one prove',
    who: 'anyone',
    body: z.strictObject(pushRenewal),
    reply: Done,
    errors: ['NotFound', 'STREAM_SOURCE_ERR'],
  },
  getNotificationStill: {
    summary: 'The still of a notification, by the address in it, which is valid for 15 minutes',
    who: 'anyone',
    params: z.strictObject({
      key: z
        .string()
        .max(400)
        .regex(/^[\w-]+$/)
        .meta(like('q8cN4')),
    }),
    reply: { contentType: 'image/jpeg' },
    errors: ['NotFound'],
  },
  listRules: {
    summary: 'Rules of the caller',
    who: 'user',
    reply: pageOf(Rule),
    errors: ['AuthorizationRequired'],
  },
  addRule: {
    summary: 'Adds a rule that acts on events of streams that the caller may see',
    who: 'user',
    body: z.strictObject(ruleToAdd),
    reply: Rule,
    errors: [...errors, 'QuotaReached'],
  },
  previewRule: {
    summary: 'What a rule would have done in the last seven days, from the journal; nothing is saved or sent',
    who: 'user',
    body: z.strictObject(ruleToAdd),
    reply: RulePreview,
    errors,
  },
  saveRule: {
    summary: 'Changes a rule',
    who: 'user',
    params: id,
    body: z.strictObject({
      ...Rule.pick({ id: true, createdAt: true, firedAt: true }).partial().shape,
      ...z.object(ruleSettings).partial().shape,
    }),
    reply: Rule,
    errors,
  },
  deleteRule: { summary: 'Deletes a rule', who: 'user', params: id, reply: Done, errors },
} as const satisfies Record<string, Call>;
