import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconMaximize from '@tabler/icons-react/dist/esm/icons/IconMaximize.mjs';
import IconMinimize from '@tabler/icons-react/dist/esm/icons/IconMinimize.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconScreenShare from '@tabler/icons-react/dist/esm/icons/IconScreenShare.mjs';
import type { ReactNode } from 'react';
import { SignButton } from '../../../components/sign-button.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './mosaic.module.css';

interface MosaicHeadProps {
  readonly name: string;
  /** Whether the pages turn by themselves. */
  readonly hasRotation: boolean;
  /** From 0. */
  readonly page: number;
  readonly pages: number;
  readonly rotation: { readonly isTurning: boolean; readonly setTurning: (isTurning: boolean) => void };
  readonly isFullScreen: boolean;
  readonly onTurn: (by: 1 | -1) => void;
  readonly onKiosk: () => void;
  readonly onFullScreen: () => void;
  /** Further actions for the wall as a whole. */
  readonly children?: ReactNode;
  /** The last action: what can be changed or saved. */
  readonly action: ReactNode;
}

/** The bar above the tiles: the name of the wall, its pages, and its actions [R2.28]. */
export function MosaicHead(props: MosaicHeadProps) {
  const i18n = useI18n();
  const { name, hasRotation, page, pages, rotation, isFullScreen } = props;
  return (
    <header className={classes.head}>
      <h1 className={classes.name}>{name}</h1>
      {pages > 1 && (
        <div className={classes.pages}>
          <SignButton
            icon={IconChevronLeft}
            label={i18n.t('mosaic.page.previous')}
            onClick={() => props.onTurn(-1)}
          />
          <output className={classes.page} aria-label={i18n.t('mosaic.page', { page: page + 1, pages })}>
            {`${page + 1} / ${pages}`}
          </output>
          <SignButton
            icon={IconChevronRight}
            label={i18n.t('mosaic.page.next')}
            onClick={() => props.onTurn(1)}
          />
          {hasRotation && (
            <SignButton
              icon={rotation.isTurning ? IconPlayerPause : IconPlayerPlay}
              label={i18n.t(rotation.isTurning ? 'mosaic.rotation.stop' : 'mosaic.rotation.go')}
              onClick={() => rotation.setTurning(!rotation.isTurning)}
            />
          )}
        </div>
      )}
      <div className={classes.actions}>
        {props.children}
        <SignButton icon={IconScreenShare} label={i18n.t('mosaic.kiosk')} onClick={props.onKiosk} />
        <SignButton
          icon={isFullScreen ? IconMinimize : IconMaximize}
          label={i18n.t(isFullScreen ? 'player.fullScreen.leave' : 'player.fullScreen')}
          onClick={props.onFullScreen}
        />
        {props.action}
      </div>
    </header>
  );
}
