import { Button } from '@mantine/core';
import IconMovie from '@tabler/icons-react/dist/esm/icons/IconMovie.mjs';
import { useSettings } from '../../api/session.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { useAddDigestExport } from '../exports/exports-api.ts';
import type { DigestSpan } from './digest-search.ts';
import classes from './digest.module.css';

/** Of which footage a digest is. */
export interface Digested {
  readonly span: DigestSpan;
  /** None: all cameras. */
  readonly uids: readonly string[];
  readonly tag: string | undefined;
}

/** Makes a file of the digest on the server. */
export function DigestExport({ digested }: { readonly digested: Digested }) {
  const i18n = useI18n();
  const { hasFfmpeg } = useSettings();
  const add = useAddDigestExport();
  const { span, uids, tag } = digested;
  if (!hasFfmpeg) return <p className={classes.exportText}>{i18n.t('digest.export.noFfmpeg')}</p>;
  if (add.isSuccess) {
    return (
      <p className={classes.exportText} role="status">
        {i18n.t('digest.export.queued')} <Link to="/exports">{i18n.t('save.queued.show')}</Link>
      </p>
    );
  }
  const start = () =>
    add.mutate({
      streams: [...uids],
      ...(tag === undefined ? {} : { tag }),
      startTime: span.fromMs,
      endTime: span.toMs,
      name: i18n.t('digest.export.name', { date: i18n.date(span.fromMs) }),
      timeZone: i18n.timeZone,
      language: i18n.language,
    });
  return (
    <Button
      size="compact-sm"
      variant="default"
      className={classes.export}
      leftSection={<IconMovie size={16} aria-hidden="true" />}
      loading={add.isPending}
      onClick={start}
    >
      {i18n.t('digest.export')}
    </Button>
  );
}
