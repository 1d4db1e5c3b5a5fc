import { Button, Popover, Textarea } from '@mantine/core';
import IconBookmarkPlus from '@tabler/icons-react/dist/esm/icons/IconBookmarkPlus.mjs';
import { limits } from '@vidette/contract/constants';
import { useState, type FormEvent } from 'react';
import { useAddBookmark } from '../bookmarks/bookmarks-api.ts';
import { notifySuccess } from '../../page/notify.ts';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './stream-view.module.css';

interface BookmarkControlProps {
  readonly uid: string;
  /** The moment on screen, ms since the epoch. */
  readonly shownMs: () => number;
}

/** Bookmarks the moment that was on screen when the button was pressed, with an optional note. */
export function BookmarkControl({ uid, shownMs }: BookmarkControlProps) {
  const i18n = useI18n();
  const add = useAddBookmark();
  const [momentMs, setMoment] = useState<number | null>(null);
  const [note, setNote] = useState('');
  const open = () => {
    setNote('');
    setMoment(momentMs === null ? Math.round(shownMs()) : null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (momentMs === null || add.isPending) return;
    add.mutate(
      { stream: uid, startTime: momentMs, note: note.trim() },
      {
        onSuccess: () => {
          setMoment(null);
          notifySuccess(i18n.t('bookmarks.added'));
        },
      },
    );
  };
  return (
    <Popover
      opened={momentMs !== null}
      onChange={() => setMoment(null)}
      position="top"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <SignButton icon={IconBookmarkPlus} label={i18n.t('bookmarks.add')} onClick={open} />
      </Popover.Target>
      <Popover.Dropdown>
        <form className={classes.bookmark} onSubmit={submit}>
          <Textarea
            size="sm"
            label={i18n.t('bookmarks.noteAt', { time: momentMs === null ? '' : i18n.dateTime(momentMs) })}
            placeholder={i18n.t('bookmarks.note.placeholder')}
            rows={2}
            maxLength={limits.noteMaxLength}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          <Button type="submit" size="sm" loading={add.isPending}>
            {i18n.t('bookmarks.submit')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
