import type { ClusterNode } from '@vidette/contract/entities';
import type { ReactNode } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import classes from './cluster.module.css';

type NodeState = ClusterNode['state'];

const words: Record<NodeState, MessageKey> = {
  working: 'cluster.state.working',
  draining: 'cluster.state.draining',
  drained: 'cluster.state.drained',
  away: 'cluster.state.away',
};

/** Each state has its own shape, so that none depends on colour alone. */
const shapes: Record<NodeState, ReactNode> = {
  working: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  draining: (
    <path d="M1.5 2h9L6 11z" fill="none" stroke="currentColor" strokeWidth="2" strokeLinejoin="round" />
  ),
  drained: <rect x="2" y="2" width="8" height="8" fill="none" stroke="currentColor" strokeWidth="2" />,
  away: <path d="M2.5 2.5l7 7m0-7l-7 7" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />,
};

/** A node's state: shape, word and colour. */
export function NodeStateMark({ state }: { state: NodeState }) {
  const i18n = useI18n();
  return (
    <span className={classes.state} data-state={state}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {shapes[state]}
      </svg>
      {i18n.t(words[state])}
    </span>
  );
}
