import type { Rule, RulePreview, WebhookNotification } from '@vidette/contract/notifications';
import type { RuleEvent } from '../store/outbox.ts';
import type { Message } from './channel.ts';

type EventView = RulePreview['items'][number]['event'];

/** An event as the API shows it. A moment has no end. */
export function eventView(event: RuleEvent, streamName: string | null): EventView {
  const { id, kind, stream, startMs, endMs, note, code } = event;
  return {
    id,
    kind,
    stream,
    streamName,
    startTime: startMs,
    endTime: endMs === startMs ? null : endMs,
    note,
    code,
  };
}

/**
 * The page at the moment of an event; undefined if the server knows no public address of its own.
 * @param publicUrl without a slash at its end
 */
export function momentUrl(event: RuleEvent, publicUrl: string | undefined): string | undefined {
  return publicUrl === undefined ? undefined : publicUrl + momentPath(event);
}

/** The path of that page. */
export function momentPath({ stream, startMs }: RuleEvent): string {
  return stream === null ? '/ui/' : `/ui/stream/${stream}/view?t=${startMs}`;
}

/** What a webhook receives, and what is published on a broker. */
export function webhookBody(
  { delivery, streamName }: Message,
  publicUrl: string | undefined,
): WebhookNotification {
  const { key, createdMs, payload } = delivery;
  const { rule, event, suppressed } = payload;
  return {
    type: 'rule',
    id: key,
    createdAt: createdMs,
    rule: rule satisfies Pick<Rule, 'id' | 'name'>,
    event: eventView(event, streamName),
    suppressed,
    url: momentUrl(event, publicUrl) ?? null,
  };
}

/** The same for a test. @param publicUrl as for `momentUrl` */
export function testBody(id: string, createdAt: number, publicUrl: string | undefined): WebhookNotification {
  return { type: 'test', id, createdAt, rule: null, event: null, suppressed: 0, url: publicUrl ?? null };
}
