import { Button, Textarea } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { limits } from '@vidette/contract/constants';
import type { Bookmark } from '@vidette/contract/entities';
import { addressOf } from '@vidette/contract/routes';
import { useState } from 'react';
import { useDeleteBookmark, useSaveBookmark } from './bookmarks-api.ts';
import { useUser } from '../../api/session.ts';
import { notifyDone, notifySuccess } from '../../page/notify.ts';
import { Form, FormActions } from '../../components/form.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import classes from './bookmarks.module.css';

const snapshotWidthPx = 240;

/** One bookmark: its snapshot and its moment link to the player; its owner can edit or delete it. */
export function BookmarkItem({ bookmark }: { bookmark: Bookmark }) {
  const i18n = useI18n();
  const user = useUser();
  const remove = useDeleteBookmark(bookmark.id);
  const [isEditing, setEditing] = useState(false);
  const { stream, streamName, startTime, endTime, note, createdBy } = bookmark;
  const isOwn = user !== null && (user.isAdmin || user.name === createdBy);
  const time = i18n.dateTime(startTime);
  return (
    <li className={classes.item}>
      <Link
        to="/stream/$uid/view"
        params={{ uid: stream }}
        search={{ t: startTime }}
        className={classes.picture}
        aria-hidden="true"
        tabIndex={-1}
      >
        <Still uid={stream} timeMs={startTime} />
      </Link>
      <div className={classes.text}>
        <Link
          to="/stream/$uid/view"
          params={{ uid: stream }}
          search={{ t: startTime }}
          className={classes.name}
        >
          {streamName}
        </Link>
        <div className={classes.time}>
          {endTime === null ? time : i18n.t('bookmarks.span', { from: time, to: i18n.dateTime(endTime) })}
          {createdBy !== null && ` · ${createdBy}`}
        </div>
        {isEditing ? (
          <NoteForm bookmark={bookmark} onDone={() => setEditing(false)} />
        ) : (
          note !== '' && <p className={classes.note}>{note}</p>
        )}
      </div>
      {isOwn && !isEditing && (
        <div className={classes.actions}>
          <SignButton
            icon={IconPencil}
            label={i18n.t('bookmarks.edit', { name: streamName, time })}
            onClick={() => setEditing(true)}
          />
          <SignButton
            icon={IconTrash}
            label={i18n.t('bookmarks.delete', { name: streamName, time })}
            isDisabled={remove.isPending}
            onClick={() => notifyDone(remove.mutateAsync(undefined), i18n.t('bookmarks.deleted'))}
          />
        </div>
      )}
    </li>
  );
}

/** The recorded frame of a moment; an empty box where the recording no longer exists. */
function Still({ uid, timeMs }: { uid: string; timeMs: number }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return null;
  const address = addressOf('getArchivePicture', { uid }, { time: timeMs, width: snapshotWidthPx });
  return <img src={address} alt="" loading="lazy" onError={() => setMissing(true)} />;
}

function NoteForm({ bookmark, onDone }: { bookmark: Bookmark; onDone: () => void }) {
  const i18n = useI18n();
  const save = useSaveBookmark(bookmark.id);
  const [note, setNote] = useState(bookmark.note);
  const submit = () =>
    save.mutate(note.trim(), {
      onSuccess: () => {
        notifySuccess(i18n.t('bookmarks.saved'));
        onDone();
      },
    });
  return (
    <Form onSubmit={submit}>
      <Textarea
        size="sm"
        label={i18n.t('bookmarks.note')}
        autosize
        minRows={2}
        maxLength={limits.noteMaxLength}
        data-autofocus
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <FormActions>
        <Button type="submit" size="sm" loading={save.isPending}>
          {i18n.t('action.save')}
        </Button>
        <Button size="sm" variant="default" onClick={onDone}>
          {i18n.t('action.cancel')}
        </Button>
      </FormActions>
    </Form>
  );
}
