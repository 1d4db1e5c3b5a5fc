import { useState } from 'react';
import { textOf } from '../../../page/failures.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { GuideLink } from '../../../components/guide-link.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { SourceProbe } from '../form/source-probe.tsx';
import { useSourceCheck } from '../form/use-source-check.ts';
import classes from './stream.module.css';

/** Probes the source of a stream, in parallel with the running stream and without affecting it. */
export function SourceReport({ uid, source }: { uid: string; source: string }) {
  const i18n = useI18n();
  const [error, setError] = useState<unknown>(null);
  const check = useSourceCheck(source, uid, setError);
  const run = () => {
    setError(null);
    check.run();
  };
  const report = check.probed?.source;
  return (
    <div className={classes.report}>
      <SourceProbe check={{ ...check, run }} isReady isBeforeSaving={false} />
      {error !== null && (
        <p role="alert" className={classes.reportFailure}>
          {textOf(error, i18n)} <GuideLink page="troubleshoot">{i18n.t('debug.guide')}</GuideLink>
        </p>
      )}
      {report && (
        <Facts>
          <Fact label={i18n.t('debug.transport')}>{report.transport}</Fact>
          {report.tracks.map(({ kind, codecString }, index) => (
            <Fact key={index} label={i18n.t(kind === 'video' ? 'debug.video' : 'debug.audio')}>
              <code>{codecString}</code>
            </Fact>
          ))}
        </Facts>
      )}
    </div>
  );
}
