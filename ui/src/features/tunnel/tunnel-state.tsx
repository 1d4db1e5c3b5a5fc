import { Button } from '@mantine/core';
import type { TunnelFailure, TunnelLocation, TunnelStatus } from '@vidette/contract/tunnel';
import type { ReactNode } from 'react';
import { CopyLine } from '../../components/copy-line.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import classes from './tunnel.module.css';

interface TunnelStateProps {
  readonly tunnel: TunnelStatus;
  /** The displayed relay: the one in use, or another configured one. */
  readonly location: TunnelLocation;
  readonly isPending: boolean;
  readonly onStart: () => void;
  readonly onStop: () => void;
  /** The user confirmed the host key that the relay presented. */
  readonly onPin: (hostKey: string) => void;
}

const words: Record<TunnelStatus['status'], MessageKey> = {
  stopped: 'tunnel.status.stopped',
  starting: 'tunnel.status.starting',
  running: 'tunnel.status.running',
  failed: 'tunnel.status.failed',
};

/** Each state has its own shape, so that none depends on colour alone. */
const shapes: Record<TunnelStatus['status'], ReactNode> = {
  stopped: <rect x="2" y="2" width="8" height="8" fill="none" stroke="currentColor" strokeWidth="2" />,
  starting: (
    <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="4 2.2" />
  ),
  running: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  failed: <path d="M6 1l5.4 9.6H.6z" fill="currentColor" />,
};

const reasons: Record<TunnelFailure, MessageKey> = {
  'not-configured': 'tunnel.reason.notConfigured',
  unlicensed: 'tunnel.expired.text',
  unreachable: 'tunnel.reason.unreachable',
  'host-key-unknown': 'tunnel.reason.hostKeyUnknown',
  'host-key-changed': 'tunnel.reason.hostKeyChanged',
  'key-refused': 'tunnel.reason.keyRefused',
  'forwarding-refused': 'tunnel.reason.forwardingRefused',
  'connection-lost': 'tunnel.reason.connectionLost',
  'relay-silent': 'tunnel.reason.relaySilent',
  'relay-misbehaves': 'tunnel.reason.relayMisbehaves',
};

/** The state of the tunnel, its cause, and the one action for it. */
export function TunnelState(props: TunnelStateProps) {
  const i18n = useI18n();
  const { tunnel, location, isPending, onStart, onStop, onPin } = props;
  const isThis = tunnel.location === location.code;
  const status = isThis ? tunnel.status : 'stopped';
  return (
    <section className={classes.state} data-status={status} aria-label={i18n.t('tunnel.state')}>
      <div className={classes.head}>
        <div className={classes.status} role="status">
          <svg viewBox="0 0 12 12" className={classes.shape} aria-hidden="true">
            {shapes[status]}
          </svg>
          <strong>{i18n.t(words[status])}</strong>
        </div>
        <div className={classes.buttons}>
          {status === 'failed' && tunnel.presentedHostKey === null && (
            <Button size="sm" loading={isPending} onClick={onStart}>
              {i18n.t('tunnel.tryNow')}
            </Button>
          )}
          {isThis ? (
            <Button size="sm" variant="default" loading={isPending} onClick={onStop}>
              {i18n.t('tunnel.stop')}
            </Button>
          ) : (
            <Button size="sm" loading={isPending} disabled={location.host === null} onClick={onStart}>
              {i18n.t('tunnel.start')}
            </Button>
          )}
        </div>
      </div>
      {status === 'stopped' && (
        <p className={classes.reason}>
          {i18n.t(location.host === null ? 'tunnel.notSetUp' : 'tunnel.stopped.text')}
        </p>
      )}
      {status === 'failed' && (
        <Failure tunnel={tunnel} location={location} isPending={isPending} onPin={onPin} />
      )}
      {status === 'running' && tunnel.url !== null && (
        <div>
          <p className={classes.label}>{i18n.t('tunnel.url')}</p>
          <CopyLine label={i18n.t('tunnel.url')} text={tunnel.url} />
        </div>
      )}
      {status === 'running' && <Figures tunnel={tunnel} />}
    </section>
  );
}

type FailureProps = Pick<TunnelStateProps, 'tunnel' | 'location' | 'isPending' | 'onPin'>;

function Failure({ tunnel, location, isPending, onPin }: FailureProps) {
  const i18n = useI18n();
  const { failureCode, failureReason, presentedHostKey } = tunnel;
  if (failureCode === null) return null;
  return (
    <>
      <p className={classes.reason}>
        {i18n.t(reasons[failureCode], {
          host: `${location.host ?? ''}:${location.port}`,
          user: location.user,
          listen: `${location.bindHost}:${location.bindPort}`,
        })}
      </p>
      {presentedHostKey !== null && (
        <div className={classes.keys}>
          <p className={classes.label}>{i18n.t('tunnel.presented')}</p>
          <code className={classes.code}>{presentedHostKey}</code>
          {location.hostKey !== null && (
            <>
              <p className={classes.label}>{i18n.t('tunnel.expected')}</p>
              <code className={classes.code}>{location.hostKey}</code>
            </>
          )}
          <p className={classes.label}>{i18n.t('tunnel.compare')}</p>
          <code className={classes.code}>{compareCommand}</code>
          <Button
            size="sm"
            variant={location.hostKey === null ? 'filled' : 'default'}
            className={classes.pin}
            loading={isPending}
            onClick={() => onPin(presentedHostKey)}
          >
            {i18n.t('tunnel.pin')}
          </Button>
        </div>
      )}
      {failureCode === 'unreachable' && <p className={classes.detail}>{failureReason}</p>}
      <p className={classes.detail}>{retryText(tunnel, i18n)}</p>
    </>
  );
}

/** Run on the relay, it prints the fingerprints of all its host keys. */
const compareCommand = 'for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf $key; done';

function retryText({ retryTime, failureCode }: TunnelStatus, i18n: I18n): string {
  if (failureCode === 'not-configured' || failureCode === 'unlicensed') return '';
  return retryTime === null
    ? i18n.t('tunnel.retrying')
    : i18n.t('tunnel.retry', { time: i18n.time(retryTime) });
}

function Figures({ tunnel }: { tunnel: TunnelStatus }) {
  const i18n = useI18n();
  return (
    <Facts>
      {tunnel.sinceTime !== null && (
        <Fact label={i18n.t('tunnel.since')}>{i18n.dateTime(tunnel.sinceTime)}</Fact>
      )}
      <Fact label={i18n.t('tunnel.connections')}>
        {i18n.t('tunnel.connections.count', {
          now: i18n.number(tunnel.connections),
          total: i18n.number(tunnel.connectionsTotal),
        })}
      </Fact>
      <Fact label={i18n.t('tunnel.sent')}>{i18n.bytes(tunnel.sentBytes)}</Fact>
      <Fact label={i18n.t('tunnel.received')}>{i18n.bytes(tunnel.receivedBytes)}</Fact>
      <Fact label={i18n.t('tunnel.roundTrip')}>
        {tunnel.roundTripMs === null
          ? i18n.t('tunnel.roundTrip.unknown')
          : i18n.t('tunnel.roundTrip.ms', {
              amount: i18n.number(Math.max(1, Math.round(tunnel.roundTripMs))),
            })}
      </Fact>
      <Fact label={i18n.t('tunnel.reconnects')}>
        {i18n.t('tunnel.reconnects.count', { count: tunnel.reconnects })}
      </Fact>
    </Facts>
  );
}
