import { Modal, type ModalProps } from '@mantine/core';
import type { RefObject } from 'react';
import { useI18n } from '../i18n/i18n-context.tsx';
import { useFocusBack } from './focus-back.ts';

interface DialogProps extends Omit<ModalProps, 'opened' | 'returnFocus' | 'closeButtonProps'> {
  readonly isOpen: boolean;
  /** The element that opened it, if it isn't the one that has the focus then. */
  readonly opener?: RefObject<HTMLElement | null> | undefined;
}

/** A modal dialog. When it closes, the focus returns to what opened it. */
export function Dialog({ isOpen, opener, ...rest }: DialogProps) {
  const i18n = useI18n();
  useFocusBack(isOpen, opener);
  return (
    <Modal
      {...rest}
      opened={isOpen}
      returnFocus={false}
      // The library moves the focus into a dialog after it has opened: it may be closing by then.
      inert={!isOpen}
      closeButtonProps={{ 'aria-label': i18n.t('action.close') }}
    />
  );
}
