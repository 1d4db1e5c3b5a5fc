import { Switch } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import type { NotificationTarget, Rule } from '@vidette/contract/notifications';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { notifyDone } from '../../page/notify.ts';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { useDeleteRule, useEnableRule, useRuleChoices } from './notifications-api.ts';
import { ruleSentence } from './rule-sentence.ts';
import classes from './notifications.module.css';

interface RuleItemProps {
  readonly rule: Rule;
  readonly targets: readonly NotificationTarget[];
  readonly rules: readonly Rule[];
}

/** One rule as a sentence, with its switch. */
export function RuleItem({ rule, targets, rules }: RuleItemProps) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const enable = useEnableRule();
  const remove = useDeleteRule();
  const { streams } = useRuleChoices();
  const { id, name, isEnabled, firedAt } = rule;
  const names = {
    stream: (uid: string) => streams.find((stream) => stream.uid === uid)?.name,
    rule: (other: number) => rules.find((one) => one.id === other)?.name,
    target: (target: number) => targets.find((one) => one.id === target)?.name,
  };
  const fired =
    firedAt === null ? i18n.t('rules.fired.never') : i18n.t('rules.fired', { time: i18n.dateTime(firedAt) });
  return (
    <li className={classes.item}>
      <Switch
        aria-label={i18n.t('rules.on', { name })}
        checked={isEnabled}
        disabled={enable.isPending}
        onChange={(event) => enable.mutate({ id, isEnabled: event.currentTarget.checked })}
      />
      <div className={classes.itemText} data-off={!isEnabled}>
        <div className={classes.itemName}>{name}</div>
        <p className={classes.sentence}>{ruleSentence(rule, names, i18n)}</p>
        <p className={classes.note}>{isEnabled ? fired : i18n.t('rules.disabled')}</p>
      </div>
      <div className={classes.actions}>
        <SignButton
          icon={IconPencil}
          label={i18n.t('rules.edit', { name })}
          onClick={() => void navigate({ to: '/notifications', search: { rule: id } })}
        />
        <SignButton
          icon={IconTrash}
          label={i18n.t('rules.delete', { name })}
          isDisabled={remove.isPending}
          onClick={() => notifyDone(remove.mutateAsync(id), i18n.t('rules.deleted'))}
        />
      </div>
    </li>
  );
}
