import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { healthQuery } from '../../api/health.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { useRouteLocation } from '../../routing/react/router-context.tsx';
import { dismiss, loadDismissals } from './dismissals.ts';
import classes from './health.module.css';
import { HealthProblem } from './health-problem.tsx';
import { isLoss, problemsOf } from './problems.ts';

/** The number of problems, in the header; it opens their list. Code and texts are fetched when there is one. */
export function HealthIndicator() {
  const i18n = useI18n();
  const { data } = useQuery(healthQuery);
  const [dismissed, putAway] = useDismissals();
  const { href } = useRouteLocation();
  const [openAt, setOpenAt] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const problems = problemsOf(data?.warnings ?? [], dismissed);
  // Another screen closes it: the user has followed one of its links, or left.
  const isOpen = openAt === href && problems.length > 0;
  useDismissal(frame, isOpen, (isByKey) => {
    setOpenAt(undefined);
    if (isByKey) button.current?.focus();
  });
  if (problems.length === 0) return null;
  const count = i18n.t('health.count', { count: problems.length });
  const onDismiss = (key: string) => {
    putAway(key);
    // The button that had the focus is gone.
    if (problems.length > 1) list.current?.focus();
    else document.getElementById('content')?.focus();
  };
  return (
    <div ref={frame} className={classes.frame}>
      <button
        ref={button}
        type="button"
        className={classes.indicator}
        data-loss={problems.some(isLoss)}
        aria-expanded={isOpen}
        aria-controls="health-problems"
        aria-label={count}
        onClick={() => setOpenAt(isOpen ? undefined : href)}
      >
        <IconAlertTriangle size={18} stroke={1.6} aria-hidden="true" />
        <span className={classes.count} aria-hidden="true">
          <span className={classes.word}>{count}</span>
          <span className={classes.figure}>{i18n.number(problems.length)}</span>
        </span>
      </button>
      {isOpen && (
        <section
          ref={list}
          id="health-problems"
          className={classes.list}
          aria-label={i18n.t('banner.warnings')}
          tabIndex={-1}
        >
          <ul>
            {problems.map((problem) => (
              <HealthProblem key={problem.key} problem={problem} onDismiss={onDismiss} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** The dismissals in this browser, and how one is added. */
function useDismissals() {
  const [dismissed, setDismissed] = useState(() => loadDismissals(localStorage, Date.now()));
  const putAway = (key: string) => setDismissed(dismiss(localStorage, key, Date.now()));
  return [dismissed, putAway] as const;
}

/** Calls `onLeave` on Escape, and on a click outside. */
function useDismissal(
  frame: RefObject<HTMLElement | null>,
  isOpen: boolean,
  onLeave: (isByKey: boolean) => void,
): void {
  const leave = useRef(onLeave);
  useEffect(() => {
    leave.current = onLeave;
  });
  useEffect(() => {
    if (!isOpen) return;
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && !frame.current?.contains(target)) leave.current(false);
    };
    const onKeyDown = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented) leave.current(true);
    };
    document.addEventListener('pointerdown', onPointerDown);
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown);
      document.removeEventListener('keydown', onKeyDown);
    };
  }, [frame, isOpen]);
}
