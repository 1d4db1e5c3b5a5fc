import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import type { User } from '@vidette/contract/entities';
import type { ComponentProps } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './header.module.css';

/** The button that opens the user's menu. */
export function UserButton({ user, className, ...props }: { user: User } & ComponentProps<'button'>) {
  const i18n = useI18n();
  return (
    <button
      type="button"
      aria-label={i18n.t('menu.open', { name: user.name })}
      aria-haspopup="menu"
      {...props}
      className={`${classes.user} ${className ?? ''}`}
    >
      <span
        className={classes.avatar}
        data-initial={user.name.slice(0, 1).toUpperCase()}
        aria-hidden="true"
      />
      <span className={classes.userName}>{user.name}</span>
      <IconChevronDown size={14} aria-hidden="true" />
    </button>
  );
}
