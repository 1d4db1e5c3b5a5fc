import { Button, Loader } from '@mantine/core';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { useCallback } from 'react';
import type { Probed } from './probe-api.ts';
import { Notice } from '../../../components/notice.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { trackText } from './track-text.ts';
import type { SourceCheck } from './use-source-check.ts';
import classes from './source-probe.module.css';

interface SourceProbeProps {
  readonly check: SourceCheck;
  /** There is an address to probe. */
  readonly isReady: boolean;
  /** The form is about to be saved: a snapshot helps before that. */
  readonly isBeforeSaving?: boolean;
}

/** The probe below the address field: the button, the progress, what the camera delivers and its snapshot. */
export function SourceProbe({ check, isReady, isBeforeSaving = true }: SourceProbeProps) {
  const i18n = useI18n();
  return (
    <div className={classes.probe} aria-live="polite">
      {check.isRunning ? (
        <div className={classes.waiting}>
          <Loader size={18} />
          <span>{i18n.t('probe.checking')}</span>
          <Button size="sm" variant="subtle" onClick={check.cancel}>
            {i18n.t('probe.cancel')}
          </Button>
        </div>
      ) : (
        !check.probed && (
          <div className={classes.waiting}>
            <Button size="sm" variant="default" disabled={!isReady} onClick={check.run}>
              {i18n.t('probe.test')}
            </Button>
            {isBeforeSaving && <span className={classes.help}>{i18n.t('probe.help')}</span>}
          </div>
        )
      )}
      {check.probed && <ProbeResult probed={check.probed} />}
    </div>
  );
}

function ProbeResult({ probed }: { probed: Probed }) {
  const i18n = useI18n();
  const { tracks } = probed.source;
  const isH265 = tracks.some(({ codec }) => /^(h265|hevc)$/i.test(codec));
  return (
    <div className={classes.result}>
      <div className={classes.picture}>
        {probed.picture ? <SourceSnapshot blob={probed.picture} /> : <p>{i18n.t('probe.noPicture')}</p>}
      </div>
      <div className={classes.facts}>
        <p className={classes.ok}>
          <IconCircleCheck size={18} aria-hidden="true" />
          {i18n.t('probe.ok')}
        </p>
        <ul>
          {tracks.map((track, index) => (
            <li key={index}>{trackText(track, i18n)}</li>
          ))}
          {!tracks.some(({ kind }) => kind === 'audio') && <li>{i18n.t('probe.noSound')}</li>}
        </ul>
      </div>
      {isH265 && <Notice>{i18n.t('probe.h265')}</Notice>}
    </div>
  );
}

function SourceSnapshot({ blob }: { blob: Blob }) {
  const i18n = useI18n();
  const show = useCallback(
    (image: HTMLImageElement) => {
      image.src = URL.createObjectURL(blob);
      return () => URL.revokeObjectURL(image.src);
    },
    [blob],
  );
  return <img ref={show} alt={i18n.t('probe.preview')} />;
}
