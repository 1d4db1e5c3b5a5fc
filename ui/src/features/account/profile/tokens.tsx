import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { limits } from '@vidette/contract/constants';
import type { Token } from '@vidette/contract/entities';
import { useRef, useState } from 'react';
import { tokensQuery, useAddToken, useDeleteToken } from '../account-api.ts';
import { notifyDone } from '../../../page/notify.ts';
import { CopyLine } from '../../../components/copy-line.tsx';
import { useSubmitOnce } from '../../../components/form.tsx';
import { ItemList } from '../../../components/item-list.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import classes from './profile.module.css';

const dayMs = 86_400_000;
const offeredDays = [30, 90, 365];

/** API tokens: creating one, copying its secret the one time it is shown, revoking it [R3.3]. */
export function TokensScreen() {
  const i18n = useI18n();
  const { data } = useQuery(tokensQuery);
  const [added, setAdded] = useState<ReplyOf<'addToken'> | null>(null);
  return (
    <>
      <p className={classes.text}>{i18n.t('tokens.text')}</p>
      <AddToken onAdded={setAdded} />
      {added && (
        <div className={classes.added} aria-live="polite">
          <Notice>
            {i18n.t('tokens.added')}
            <div className={classes.secret}>
              <CopyLine label={i18n.t('tokens.secret', { name: added.name })} text={added.secret} />
            </div>
          </Notice>
        </div>
      )}
      {data?.items.length === 0 && <p className={classes.text}>{i18n.t('tokens.empty')}</p>}
      {data && data.items.length > 0 && (
        <ItemList>
          {data.items.map((token) => (
            <TokenItem key={token.id} token={token} />
          ))}
        </ItemList>
      )}
    </>
  );
}

function AddToken({ onAdded }: { onAdded: (token: ReplyOf<'addToken'>) => void }) {
  const i18n = useI18n();
  const add = useAddToken();
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const submit = useSubmitOnce(() => {
    setMissing(name.trim() === '');
    if (name.trim() === '') {
      field.current?.focus();
      return;
    }
    const expireTime = days === '' ? null : Date.now() + Number(days) * dayMs;
    add.mutate(
      { name: name.trim(), expireTime },
      {
        onSuccess: (token) => {
          setName('');
          onAdded(token);
        },
      },
    );
  });
  return (
    <form noValidate onSubmit={submit} className={classes.tokenForm}>
      <TextInput
        ref={field}
        size="sm"
        label={i18n.t('tokens.name')}
        placeholder={i18n.t('tokens.name.placeholder')}
        maxLength={limits.nameMaxLength}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={isMissing && name.trim() === '' ? i18n.t('tokens.name.missing') : null}
      />
      <NativeSelect
        size="sm"
        label={i18n.t('tokens.expires')}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: '', label: i18n.t('tokens.expires.never') },
          ...offeredDays.map((count) => ({
            value: String(count),
            label: i18n.t('tokens.expires.days', { days: count }),
          })),
        ]}
      />
      <Button type="submit" size="sm" loading={add.isPending}>
        {i18n.t('tokens.add')}
      </Button>
    </form>
  );
}

function TokenItem({ token }: { token: Token }) {
  const i18n = useI18n();
  const remove = useDeleteToken();
  return (
    <li className={classes.item}>
      <div className={classes.itemText}>
        <div className={classes.itemName}>{token.name}</div>
        <div className={classes.itemNote}>
          {expiryText(token, i18n)} · {usedText(token, i18n)}
        </div>
      </div>
      <Button
        size="sm"
        variant="default"
        loading={remove.isPending}
        aria-label={i18n.t('tokens.delete', { name: token.name })}
        onClick={() => notifyDone(remove.mutateAsync(token.id), i18n.t('tokens.deleted'))}
      >
        {i18n.t('action.delete')}
      </Button>
    </li>
  );
}

function expiryText({ expireTime }: Token, i18n: I18n): string {
  return expireTime === null
    ? i18n.t('tokens.expires.never')
    : i18n.t('tokens.validUntil', { time: i18n.dateTime(expireTime) });
}

function usedText({ lastUsedTime }: Token, i18n: I18n): string {
  return lastUsedTime === null
    ? i18n.t('tokens.neverUsed')
    : i18n.t('tokens.lastUsed', { time: i18n.dateTime(lastUsedTime) });
}
