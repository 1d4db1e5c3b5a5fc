import { Menu } from '@mantine/core';
import IconAspectRatio from '@tabler/icons-react/dist/esm/icons/IconAspectRatio.mjs';
import { useSyncExternalStore } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import type { VideoFit, VideoViewport } from '../video-viewport.ts';

const fits: readonly (readonly [VideoFit, MessageKey])[] = [
  ['contain', 'player.view.contain'],
  ['cover', 'player.view.cover'],
  ['fill', 'player.view.fill'],
];

interface ViewMenuProps {
  readonly view: VideoViewport;
  readonly hasFigures: boolean;
  readonly onFigures: () => void;
  readonly onKeys: () => void;
}

/** Display options of the video: aspect ratio and statistics; and the keyboard shortcuts. */
export function ViewMenu({ view, hasFigures, onFigures, onKeys }: ViewMenuProps) {
  const i18n = useI18n();
  const { fit } = useSyncExternalStore(view.subscribe, view.getLook);
  return (
    <Menu
      position="top-end"
      withinPortal={false}
      // Between the menu and its items there may be nothing else.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <SignButton icon={IconAspectRatio} label={i18n.t('player.view')} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{i18n.t('player.view.fit')}</Menu.Label>
        {fits.map(([one, label]) => (
          <Menu.RadioItem
            key={one}
            value={one}
            checked={fit === one}
            closeMenuOnClick
            onChange={() => view.setFit(one)}
          >
            {i18n.t(label)}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.CheckboxItem checked={hasFigures} closeMenuOnClick onChange={onFigures}>
          {i18n.t('player.view.figures')}
        </Menu.CheckboxItem>
        <Menu.Item onClick={onKeys}>{i18n.t('player.view.keys')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
