import type { ListedStream } from '@vidette/contract/entities';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './pick-box.module.css';
import type { Picking } from './use-picking.ts';

interface PickBoxProps {
  readonly picking: Picking;
  /** Position in the whole list, from 0. */
  readonly place: number;
  readonly stream: ListedStream;
}

/** The checkbox that selects a stream; with Shift, all streams between it and the one selected before. */
export function PickBox({ picking, place, stream }: PickBoxProps) {
  const i18n = useI18n();
  return (
    <label className={classes.box} data-on={picking.isOn}>
      <input
        type="checkbox"
        aria-label={i18n.t('streams.pick', { name: stream.name })}
        checked={picking.picked.has(stream.uid)}
        onChange={({ nativeEvent }) =>
          picking.toggle(place, stream, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </label>
  );
}
