import { Button, Popover, TextInput } from '@mantine/core';
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import { limits } from '@vidette/contract/constants';
import type { MosaicLayout } from '@vidette/contract/entities';
import { useState, type FormEvent } from 'react';
import { notifySuccess } from '../../../page/notify.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';
import { useAddMosaic } from '../mosaics-api.ts';
import classes from './mosaic.module.css';

interface SaveMosaicProps {
  readonly layout: MosaicLayout;
  /** The moment of the archive on screen, which stays; undefined for live. */
  readonly startMs: number | undefined;
}

/** Saves streams that are watched together as a mosaic of the user's own, and opens it. */
export function SaveMosaic({ layout, startMs }: SaveMosaicProps) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const add = useAddMosaic();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '' || add.isPending) return;
    add.mutate(
      { name: name.trim(), layout },
      {
        onSuccess: ({ id }) => {
          notifySuccess(i18n.t('mosaics.saved'));
          void navigate({
            to: '/mosaic/$id',
            params: { id: String(id) },
            search: startMs === undefined ? {} : { t: startMs },
          });
        },
      },
    );
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <Button
          size="sm"
          variant="default"
          leftSection={<IconLayoutDashboard size={16} aria-hidden="true" className={classes.saveSign} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {i18n.t('mosaic.save')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form className={classes.save} onSubmit={submit}>
          <TextInput
            size="sm"
            label={i18n.t('mosaicEdit.name')}
            maxLength={limits.nameMaxLength}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" size="sm" disabled={name.trim() === ''} loading={add.isPending}>
            {i18n.t('action.save')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
