import { limits, type targetTypes } from '@vidette/contract/constants';
import { mqttTopicPattern } from '@vidette/contract/mqtt';
import type { NotificationTarget, TargetSettings } from '@vidette/contract/notifications';
import { programOf } from '../../base/user-agent.ts';
import type { I18n } from '../../i18n/i18n.ts';
import type { TargetBody } from './notifications-api.ts';
import { pushObstacle, type PushDevice } from './push-device.ts';
import { isClockTime } from './rule-values.ts';

type TargetType = (typeof targetTypes)[number];
type QuietHours = NonNullable<Extract<TargetSettings, { type: 'push' }>['quietHours']>;

/** A target as its form shows it. */
export interface TargetValues {
  readonly name: string;
  readonly type: TargetType;
  readonly url: string;
  /** An address per line. */
  readonly to: string;
  readonly topic: string;
  readonly renewSecret: boolean;
  readonly isQuiet: boolean;
  readonly quiet: QuietHours;
}

/** A part of the form of a target. */
export interface TargetFieldsProps {
  readonly values: TargetValues;
  readonly errors: Readonly<Record<string, string>>;
  readonly isNew: boolean;
  readonly onChange: (changes: Partial<TargetValues>) => void;
}

/** A new target is this browser, if that is possible. */
export function targetValues(
  target: NotificationTarget | undefined,
  { ownEmail, timeZone }: { readonly ownEmail: string; readonly timeZone: string },
): TargetValues {
  const settings = target?.settings;
  const quiet = settings?.type === 'push' ? settings.quietHours : null;
  return {
    name: target?.name ?? programOf(navigator.userAgent) ?? '',
    type: settings?.type ?? (pushObstacle(window) ? 'webhook' : 'push'),
    url: settings?.type === 'webhook' ? settings.url : '',
    to: settings?.type === 'email' ? settings.to.join('\n') : ownEmail,
    topic: settings?.type === 'mqtt' ? settings.topic : '',
    renewSecret: false,
    isQuiet: quiet !== null,
    quiet: quiet ?? { timeZone, from: '23:00', to: '07:00' },
  };
}

function addressesIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((address) => address !== '');
}

/** The request that saves a target. @param device the browser, for a target of this type */
export function targetBody(values: TargetValues, device: PushDevice | undefined): TargetBody {
  return { name: values.name.trim(), settings: settingsOf(values, device) };
}

function settingsOf(
  { type, url, to, topic, isQuiet, quiet }: TargetValues,
  device: PushDevice | undefined,
): TargetBody['settings'] {
  switch (type) {
    case 'webhook':
      return { type, url: url.trim() };
    case 'email':
      return { type, to: addressesIn(to) };
    case 'mqtt':
      return { type, topic: topic.trim() };
    case 'push':
      if (!device) throw new Error('The browser has not subscribed');
      return { type, ...device, quietHours: isQuiet ? { ...quiet } : null };
  }
}

/** Why no further target can be added. */
export function targetsFullText(i18n: I18n): string {
  const { targetsMax: count, pushDevicesMax: browsers } = limits;
  return i18n.t('targets.full', { count, browsers });
}

/** What is missing before the target can be saved, by field. */
export function targetProblems(values: TargetValues, i18n: I18n): Record<string, string> {
  const { name, type, url, to, topic, isQuiet, quiet } = values;
  const problems: Record<string, string> = {};
  if (name.trim() === '') problems['name'] = i18n.t('rule.name.missing');
  const isWeb = URL.canParse(url.trim()) && /^https?:$/.test(new URL(url.trim()).protocol);
  if (type === 'webhook' && !isWeb) problems['settings.url'] = i18n.t('target.url.missing');
  const recipients = addressesIn(to).length;
  if (type === 'email' && recipients === 0) problems['settings.to'] = i18n.t('target.to.missing');
  if (type === 'email' && recipients > limits.emailRecipientsMax) {
    problems['settings.to'] = i18n.t('target.to.many', { count: limits.emailRecipientsMax });
  }
  if (type === 'mqtt' && !mqttTopicPattern.test(topic.trim())) {
    problems['settings.topic'] = i18n.t('target.topic.missing');
  }
  if (type === 'push' && isQuiet) {
    for (const end of ['from', 'to'] as const) {
      if (!isClockTime(quiet[end])) {
        problems[`settings.quietHours.${end}`] = i18n.t('rule.time.unreadable');
      }
    }
  }
  return problems;
}
