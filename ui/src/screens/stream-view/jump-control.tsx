import { Button, Popover, TextInput } from '@mantine/core';
import IconCalendarTime from '@tabler/icons-react/dist/esm/icons/IconCalendarTime.mjs';
import { useState, type FormEvent } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Zone } from '../../timeline/zone.ts';
import { localText, parseLocal } from './local-time.ts';
import classes from './stream-view.module.css';

interface JumpControlProps {
  /** The moment on screen, which the field starts from. */
  readonly shownMs: () => number;
  readonly onJump: (utcMs: number) => void;
}

/** Goes to a typed date and time, by the clocks that the viewer chose. */
export function JumpControl({ shownMs, onJump }: JumpControlProps) {
  const i18n = useI18n();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const open = () => {
    setText(localText(shownMs(), new Zone(i18n.timeZone)));
    setError(undefined);
    setOpen(!isOpen);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const utcMs = parseLocal(text, new Zone(i18n.timeZone));
    if (utcMs === undefined) return;
    if (utcMs > Date.now()) {
      setError(i18n.t('player.jump.future'));
      return;
    }
    setOpen(false);
    onJump(utcMs);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top" trapFocus returnFocus withinPortal={false}>
      <Popover.Target>
          <SignButton icon={IconCalendarTime} label={i18n.t('player.jump')} onClick={open} />
      </Popover.Target>
      <Popover.Dropdown>
        <form className={classes.jump} onSubmit={submit}>
          <TextInput
            type="datetime-local"
            step={1}
            size="sm"
            label={i18n.t('player.jump.label')}
            value={text}
            error={error}
            required
            withAsterisk={false}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" size="sm">
            {i18n.t('player.jump.go')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
