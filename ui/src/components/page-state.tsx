import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './page-state.module.css';

interface PageStateProps {
  readonly icon: Icon;
  readonly title: string;
  readonly text?: string;
  /** One action, sometimes with a secondary one. */
  readonly action?: ReactNode;
  /** Inside a screen rather than instead of one. */
  readonly isInline?: boolean;
}

/** A state shown instead of content: empty, failed, forbidden, offline. One sentence and one action. */
export function PageState({ icon: Icon, title, text, action, isInline = false }: PageStateProps) {
  const Heading = isInline ? 'h2' : 'h1';
  return (
    <div className={classes.state} data-inline={isInline}>
      <Icon size={40} stroke={1.25} aria-hidden="true" className={classes.icon} />
      <Heading className={classes.title}>{title}</Heading>
      {text && <p className={classes.text}>{text}</p>}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}
