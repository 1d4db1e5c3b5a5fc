import { ApiError, createClient } from '@vidette/contract/client';
import { bootElementId } from '@vidette/contract/constants';
import type { MessageLanguage } from '@vidette/contract/errors';
import { browserClock } from '../base/clock.ts';
import { FrameAge } from '../playback/frame-age.ts';
import { browserMse } from '../playback/media-sink.ts';
import { SharePage } from './share-page.ts';
import { SharedPlayer } from './shared-player.ts';
import { openShared } from './shared-source.ts';
import './share.css';

// The public page of a shared stream [R10.5]: a separate entry, so that a visitor without an account loads a
// player and nothing of the application around it.

/** What the server writes into the page; `name` is null for a link that is not valid. */
interface ShareBoot {
  readonly key: string;
  readonly name: string | null;
  readonly title: string;
  readonly language: MessageLanguage;
}

const factsPeriodMs = 5_000;
const frameLookMs = 250;

const boot = JSON.parse(document.getElementById(bootElementId)?.textContent || 'null') as ShareBoot | null;
const root = document.getElementById('root');
if (!root || !boot) throw new Error('The page was not served by the server itself.');

const { key, name, title, language } = boot;
const page = new SharePage(root, name ?? title, language);
if (name === null) page.setInvalid();
else watch();

function watch(): void {
  const client = createClient();
  const ask = () => {
    client.getShared({ params: { key } }).then(
      (facts) => page.setFacts(facts),
      (error: unknown) => {
        // Any other error is the network's or the server's, and the player reports it already.
        if (error instanceof ApiError && error.status === 404) end();
      },
    );
  };
  const cancelAsking = browserClock.every(factsPeriodMs, ask);
  let wasPlaying = false;
  const player = new SharedPlayer({
    video: page.video,
    environment: browserMse(),
    clock: browserClock,
    open: (options) => openShared(key, options),
    onState: (state) => {
      page.setState(state);
      if (state.name === 'failed' && state.code === 'NotFound') end();
      // A new viewer is included in the count.
      const isPlaying = state.name === 'playing';
      if (isPlaying && !wasPlaying) ask();
      wasPlaying = isPlaying;
    },
  });
  const age = new FrameAge(browserClock);
  const cancelLooking = browserClock.every(frameLookMs, () => {
    const { currentTime } = page.video;
    page.setOldFrame(age.look(currentTime > 0 ? currentTime * 1000 : undefined, wasPlaying));
  });
  const end = () => {
    cancelAsking();
    cancelLooking();
    player.dispose();
    page.setInvalid();
  };
  page.listen(() => player.play());
  player.play();
  ask();
  document.addEventListener('visibilitychange', () =>
    player.setVisible(document.visibilityState === 'visible'),
  );
  window.addEventListener('online', () => player.wake());
}
