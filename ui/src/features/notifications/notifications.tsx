import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import type { NotificationTarget, Rule } from '@vidette/contract/notifications';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { ItemList } from '../../components/item-list.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { NotFoundScreen } from '../../components/fallback-screens.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { useSearch } from '../../routing/react/router-context.tsx';
import { rulesQuery, targetsQuery } from './notifications-api.ts';
import type { NotificationsSearch } from './notifications-search.ts';
import { RuleForm } from './rule-form.tsx';
import { RuleItem } from './rule-item.tsx';
import { TargetForm } from './target-form.tsx';
import { TargetItem } from './target-item.tsx';
import { targetsFullText } from './target-values.ts';
import classes from './notifications.module.css';

/** Rules and targets of notifications, or the form of one of them [R11.5]. */
export function NotificationsScreen() {
  const i18n = useI18n();
  const search: NotificationsSearch = useSearch({ from: '/notifications' });
  const rules = useQuery(rulesQuery);
  const targets = useQuery(targetsQuery);
  return (
    <div className={classes.page}>
      <PageBar title={i18n.t('title.notifications')} />
      <Loaded query={targets} skeletonPx={320}>
        {(knownTargets) => (
          <Loaded query={rules} skeletonPx={320}>
            {(knownRules) => <Shown search={search} rules={knownRules.items} targets={knownTargets.items} />}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

interface ListsProps {
  readonly rules: readonly Rule[];
  readonly targets: readonly NotificationTarget[];
}

function Shown({ search: { rule, target }, rules, targets }: ListsProps & { search: NotificationsSearch }) {
  if (rule !== undefined) {
    const known = rules.find(({ id }) => id === rule);
    if (rule !== 'new' && !known) return <NotFoundScreen />;
    return <RuleForm key={rule} rule={known} rules={rules} targets={targets} />;
  }
  if (target !== undefined) {
    const known = targets.find(({ id }) => id === target);
    if (target !== 'new' && !known) return <NotFoundScreen />;
    return <TargetForm key={target} target={known} />;
  }
  return <Lists rules={rules} targets={targets} />;
}

function Lists({ rules, targets }: ListsProps) {
  const i18n = useI18n();
  const hasTargets = targets.length > 0;
  return (
    <>
      <Section
        title={i18n.t('rules.title')}
        action={
          rules.length < limits.rulesMax ? (
            <Button
              size="sm"
              variant={hasTargets ? 'filled' : 'default'}
              renderRoot={(props) => <Link to="/notifications" search={{ rule: 'new' }} {...props} />}
            >
              {i18n.t('rules.add')}
            </Button>
          ) : (
            <p className={classes.text}>{i18n.t('rules.full', { count: limits.rulesMax })}</p>
          )
        }
      >
        {rules.length === 0 ? (
          <p className={classes.text}>{i18n.t(hasTargets ? 'rules.empty' : 'rules.empty.targets')}</p>
        ) : (
          <ItemList>
            {rules.map((rule) => (
              <RuleItem key={rule.id} rule={rule} targets={targets} rules={rules} />
            ))}
          </ItemList>
        )}
      </Section>
      <Section
        title={i18n.t('targets.title')}
        action={
          targets.length < limits.targetsMax ? (
            <Button
              size="sm"
              variant={hasTargets ? 'default' : 'filled'}
              renderRoot={(props) => <Link to="/notifications" search={{ target: 'new' }} {...props} />}
            >
              {i18n.t('targets.add')}
            </Button>
          ) : (
            <p className={classes.text}>{targetsFullText(i18n)}</p>
          )
        }
      >
        {targets.length === 0 ? (
          <p className={classes.text}>{i18n.t('targets.empty')}</p>
        ) : (
          <ItemList>
            {targets.map((target) => (
              <TargetItem key={target.id} target={target} />
            ))}
          </ItemList>
        )}
      </Section>
    </>
  );
}

function Section({ title, action, children }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <section>
      <div className={classes.bar}>
        <h2>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
