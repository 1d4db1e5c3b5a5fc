import { Button } from '@mantine/core';
import { useI18n } from '../i18n/i18n-context.tsx';
import classes from './pager.module.css';

interface PagerProps {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

/** The position in a long list, with links to the adjacent pages; nothing when the list fits one page. */
export function Pager({ page, pageSize, total, onPage }: PagerProps) {
  const i18n = useI18n();
  if (total <= pageSize && page === 1) return null;
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  return (
    <nav className={classes.pager} aria-label={i18n.t('pager.label')}>
      <output className={classes.words}>{i18n.t('pager.shown', { first, last, total })}</output>
      <Button size="sm" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {i18n.t('pager.previous')}
      </Button>
      <Button size="sm" variant="default" disabled={last >= total} onClick={() => onPage(page + 1)}>
        {i18n.t('pager.next')}
      </Button>
    </nav>
  );
}
