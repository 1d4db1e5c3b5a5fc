import type { AuditEntry } from '@vidette/contract/entities';
import { depthText, farAfterText } from '../../components/depth-text.ts';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { nameOf } from './audit-sentence.ts';

/** What the forms call the members of objects, by path. */
const ofEveryObject: Readonly<Record<string, MessageKey>> = {
  name: 'stream.name',
  streamSource: 'stream.source',
  subStreamSource: 'audit.field.subStream',
  tags: 'stream.tags',
  location: 'stream.location',
  'location.name': 'stream.location',
  'location.latitude': 'audit.field.latitude',
  'location.longitude': 'audit.field.longitude',
  'location.timeZone': 'stream.zone',
  'meta.marker': 'audit.field.marker',
  archive: 'stream.archive',
  'archive.isEnable': 'stream.archive',
  'archive.depthHours': 'stream.depth',
  'archive.farAfterHours': 'stream.farAfter',
  live: 'stream.onDemand',
  'live.onDemand': 'stream.onDemand',
  motion: 'stream.motion',
  'motion.isEnable': 'stream.motion',
  purge: 'audit.field.purge',
  isPublic: 'share.title',
  isEmbeddable: 'share.embed',
  layout: 'mosaicEdit.grid',
  'layout.columns': 'audit.field.columns',
  'layout.rows': 'audit.field.rows',
  'layout.cells': 'mosaicEdit.grid',
  isShared: 'mosaicEdit.shared',
  rotationSeconds: 'mosaicEdit.rotation',
  email: 'account.email',
  fullName: 'account.fullName',
  language: 'account.language',
  password: 'account.password',
  permissionType: 'profile.info.role',
  isAdmin: 'profile.role.admin',
  isBlocked: 'user.blocked',
  maxStreamCreation: 'user.quota',
  canConvert: 'user.convert',
  mustChangePassword: 'user.mustChange',
  'preferences.theme': 'settings.theme',
  'preferences.timeZone': 'settings.zone',
  'preferences.playerSound': 'settings.sound',
  'preferences.archiveSpeed': 'settings.speed',
  note: 'bookmarks.note',
  startTime: 'audit.from',
  endTime: 'audit.to',
  expireTime: 'tokens.expires',
  isReviewed: 'events.reviewed',
  streams: 'cluster.streams',
};

const ofUsers: Readonly<Record<string, MessageKey>> = { name: 'account.newLogin' };

/** A condition or an action of a rule has several members; its name says enough. */
const ofRules: Readonly<Record<string, MessageKey>> = {
  isEnabled: 'audit.field.enabled',
  kinds: 'rule.kinds',
  streams: 'rule.streams',
  tags: 'rule.tags',
  schedule: 'rule.scheduled',
  minSeconds: 'rule.minSeconds',
  count: 'rule.counted',
  unattended: 'rule.unattended',
  otherRule: 'rule.other',
  cooldownSeconds: 'rule.cooldown',
  perHourMax: 'rule.perHour',
  targets: 'rule.targets',
  exports: 'rule.exports',
  hold: 'rule.hold',
  bookmarks: 'rule.bookmarks',
  settings: 'target.type',
  'settings.url': 'target.url',
  'settings.topic': 'target.topic',
  'settings.to': 'target.to',
  'settings.quietHours': 'target.quiet',
};

const userActions = /^(addUser|saveUser|saveProfile|unlock)$/;
const ruleActions = /(Rule|Target)$/;

/** The member of an object by the name that its form gives it; undefined for an unknown one. */
export function fieldText(
  path: string,
  { action, details }: Pick<AuditEntry, 'action' | 'details'>,
  i18n: I18n,
): string | undefined {
  if (isOfRights(action)) return nameOf(path, details);
  if (action === 'saveConfiguration') return configText(path, i18n);
  const key =
    (userActions.test(action) && ofUsers[path]) ||
    (ruleActions.test(action) && ofRuleAt(path)) ||
    ofEveryObject[path];
  return key ? i18n.t(key) : undefined;
}

function ofRuleAt(path: string): MessageKey | undefined {
  return ofRules[path] ?? ofRules[path.split('.').slice(0, 2).join('.')] ?? ofRules[path.split('.')[0] ?? ''];
}

function configText(path: string, i18n: I18n): string | undefined {
  const key = `config.name.${path.replaceAll('.', '-')}` as MessageKey;
  const name = i18n.t(key);
  return name === key ? undefined : name;
}

/** Whether the changed members are users or streams, and their values rights. */
function isOfRights(action: string): boolean {
  return action === 'saveUserPermissions' || action === 'saveStreamPermissions';
}

const rights: Readonly<Record<string, MessageKey>> = {
  view: 'rights.view',
  archive: 'rights.archive',
  share: 'rights.share',
  edit: 'rights.edit',
};

/** Words for the values that are names of choices. */
const choices: Readonly<Record<string, Readonly<Record<string, MessageKey>>>> = {
  language: { en: 'language.en', ru: 'language.ru' },
  permissionType: { admin: 'profile.role.admin', user: 'profile.role.user' },
  maxStreamCreation: { '-1': 'profile.info.noLimit', '0': 'user.quota.none' },
  rotationSeconds: { '0': 'mosaicEdit.rotation.never' },
  'preferences.theme': {
    auto: 'settings.theme.system',
    light: 'settings.theme.light',
    dark: 'settings.theme.dark',
  },
};

const moments: readonly string[] = ['startTime', 'endTime', 'expireTime', 'until'];

/** A value as its form shows it. */
export function valueText(value: unknown, path: string, action: string, i18n: I18n): string {
  if (value === null || value === undefined || value === '') return i18n.t('audit.nothingYet');
  if (typeof value === 'boolean') return i18n.t(value ? 'audit.yes' : 'audit.no');
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    const names = isOfRights(action) ? rights : {};
    const words = value.map((item) => {
      const key = names[String(item)];
      return key ? i18n.t(key) : String(item);
    });
    return words.length === 0 ? i18n.t('audit.nothingYet') : words.join(', ');
  }
  if (typeof value !== 'string' && typeof value !== 'number') return JSON.stringify(value);
  const choice = choices[path]?.[value];
  if (choice) return i18n.t(choice);
  return typeof value === 'number' ? numberText(value, path, i18n) : value;
}

function numberText(value: number, path: string, i18n: I18n): string {
  if (path === 'archive.depthHours') return depthText(value, i18n);
  if (path === 'archive.farAfterHours') return farAfterText(value, i18n);
  if (moments.includes(path)) return i18n.dateTime(value);
  if (path === 'rotationSeconds') return i18n.duration(value * 1000);
  // A port or an id without thousands separators, as it was typed.
  return String(value);
}
