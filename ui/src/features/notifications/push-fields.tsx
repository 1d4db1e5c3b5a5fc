import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { Notice } from '../../components/notice.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { pushObstacle, type PushObstacle } from './push-device.ts';
import type { TargetFieldsProps } from './target-values.ts';
import classes from './notifications.module.css';

const obstacleTexts: Record<PushObstacle, MessageKey> = {
  insecure: 'target.push.insecure',
  'not-installed': 'target.push.not-installed',
  unsupported: 'target.push.unsupported',
  denied: 'target.push.denied',
  'push-service': 'target.push.service',
};

/** Why this browser can't receive notifications, in words. */
export const obstacleText = (obstacle: PushObstacle, i18n: I18n): string => i18n.t(obstacleTexts[obstacle]);

/** What is particular to a browser as a target: whether it can be one, and its quiet hours. */
export function PushFields({ values, errors, isNew, onChange }: TargetFieldsProps) {
  const i18n = useI18n();
  const { quiet, isQuiet } = values;
  const zones = Intl.supportedValuesOf('timeZone');
  const obstacle = isNew ? pushObstacle(window) : undefined;
  const problem = errors['push'] ?? (obstacle && obstacleText(obstacle, i18n));
  return (
    <>
      {problem === undefined ? (
        isNew && <p className={classes.text}>{i18n.t('target.push.help')}</p>
      ) : (
        <div role={errors['push'] === undefined ? undefined : 'alert'}>
          <Notice>{problem}</Notice>
        </div>
      )}
      <Switch
        label={i18n.t('target.quiet')}
        description={i18n.t('target.quiet.help')}
        checked={isQuiet}
        onChange={(event) => onChange({ isQuiet: event.currentTarget.checked })}
      />
      {isQuiet && (
        <>
          <div className={classes.pair}>
            {(['from', 'to'] as const).map((end) => (
              <TextInput
                key={end}
                size="sm"
                label={i18n.t(end === 'from' ? 'rule.from' : 'rule.to')}
                maxLength={5}
                autoComplete="off"
                value={quiet[end]}
                error={errors[`settings.quietHours.${end}`]}
                onChange={(event) => onChange({ quiet: { ...quiet, [end]: event.currentTarget.value } })}
              />
            ))}
          </div>
          <NativeSelect
            size="sm"
            label={i18n.t('rule.zone')}
            data={zones.includes(quiet.timeZone) ? zones : [quiet.timeZone, ...zones]}
            value={quiet.timeZone}
            error={errors['settings.quietHours.timeZone']}
            onChange={(event) => onChange({ quiet: { ...quiet, timeZone: event.currentTarget.value } })}
          />
        </>
      )}
    </>
  );
}
