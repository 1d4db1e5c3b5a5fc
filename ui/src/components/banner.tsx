import { CloseButton } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n-context.tsx';
import classes from './banner.module.css';

interface BannerProps {
  readonly kind: 'danger' | 'warning';
  readonly icon?: ReactNode;
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** A line above the screen, coloured by severity. */
export function Banner({ kind, icon, onClose, children }: BannerProps) {
  const i18n = useI18n();
  return (
    <div className={classes.banner} data-kind={kind}>
      {icon ?? <IconAlertTriangle size={18} aria-hidden="true" />}
      <div className={classes.text}>{children}</div>
      {onClose && <CloseButton size="sm" onClick={onClose} aria-label={i18n.t('action.dismiss')} />}
    </div>
  );
}
