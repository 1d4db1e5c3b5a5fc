import type { ReactNode } from 'react';
import classes from './account-frame.module.css';
import { Logo } from '../../components/logo.tsx';

interface AccountFrameProps {
  readonly appTitle: string;
  readonly appLogo: string | null;
  readonly title: string;
  readonly text?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the screens before sign-in: the product's name above one narrow form. */
export function AccountFrame({ appTitle, appLogo, title, text, children }: AccountFrameProps) {
  return (
    <div className={classes.frame}>
      <div className={classes.logo}>
        <Logo appTitle={appTitle} appLogo={appLogo} />
      </div>
      <section className={classes.panel} aria-labelledby="account-title">
        <h1 id="account-title" className={classes.title}>
          {title}
        </h1>
        {text && <p className={classes.text}>{text}</p>}
        {children}
      </section>
    </div>
  );
}
