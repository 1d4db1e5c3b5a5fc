import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { RowGroup } from './rows.ts';
import classes from './streams.module.css';

/** The name of a group, and the number of its streams. */
export function GroupHeading({ group }: { group: RowGroup }) {
  const i18n = useI18n();
  return (
    <h2 className={classes.heading}>
      {group.name ?? i18n.t('streams.untagged')}
      <span className={classes.headingCount}>{i18n.number(group.total)}</span>
    </h2>
  );
}
