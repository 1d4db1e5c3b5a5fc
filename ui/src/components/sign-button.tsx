import { ActionIcon, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';

interface SignButtonProps extends Omit<
  ComponentPropsWithRef<'button'>,
  'color' | 'style' | 'disabled' | 'aria-label'
> {
  readonly icon: Icon;
  readonly label: string;
  readonly isMain?: boolean;
  readonly isDisabled?: boolean;
}

/** An icon button: named for screen readers and, on hover or focus, for everyone. */
export function SignButton({
  icon: Sign,
  label,
  isMain = false,
  isDisabled = false,
  ...rest
}: SignButtonProps) {
  return (
    <Tooltip label={label} events={{ hover: true, focus: true, touch: false }}>
      <ActionIcon
        size="md"
        variant={isMain ? 'filled' : 'subtle'}
        {...(isMain ? {} : { color: 'gray' })}
        aria-label={label}
        disabled={isDisabled}
        {...rest}
      >
        <Sign size={18} stroke={1.6} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  );
}
