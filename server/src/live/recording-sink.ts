import type { LiveMessage } from '@vidette/contract/live';
import type { PreparedMessage } from '../base/web-socket.ts';
import type { LiveSink } from './session.ts';

/** Records what a live session sends, for tests; `bufferedBytes` is set by the test. */
export class RecordingSink implements LiveSink {
  readonly messages: LiveMessage[] = [];
  readonly media: Uint8Array[] = [];
  /** Text messages by their type and media as 'media', in the order in which they were sent. */
  readonly order: string[] = [];
  bufferedBytes = 0;

  text(message: LiveMessage): void {
    this.messages.push(message);
    this.order.push(message.type);
  }

  binary({ payload }: PreparedMessage): void {
    this.media.push(payload);
    this.order.push('media');
  }
}
