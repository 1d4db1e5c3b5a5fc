import type { NotificationFailure } from '@vidette/contract/notifications';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { Delivery } from '../store/outbox.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';

/** The longest pause that a target can ask for, and after which it is tried again in any case. */
export const retryAfterMaxMs = 3_600_000;

/** A notification with what its reader sees of it now. */
export interface Message {
  readonly delivery: Delivery;
  /** The current name of its stream; null: it concerns the server. */
  readonly streamName: string | null;
}

/** Who gets notifications: the owner of the target. */
export interface Recipient {
  readonly login: string;
  readonly language: MessageLanguage;
  readonly isAdmin: boolean;
}

export type DeliveryResult =
  | { readonly isAccepted: true }
  | {
      readonly isAccepted: false;
      readonly failure: NotificationFailure;
      /** The target works and does not want these: after some attempts they are given up. */
      readonly isRefusal: boolean;
      /** The pause that the target asks for. */
      readonly retryAfterMs?: number;
      /** The target no longer exists: it is removed. */
      readonly isGone?: true;
    };

/** One way to deliver notifications. */
export interface Channel {
  /** Notifications that one delivery may contain. */
  readonly batchMax: number;
  /** Pause after a delivery, in which further notifications gather; 0: none. */
  readonly pauseMs: number;
  /** Whether nothing is to be sent now; what waits is looked at again every minute. */
  holds?(target: DeliveryTarget, nowMs: number): boolean;
  /** Resolves within a minute; a rejection is a defect of the channel. */
  send(target: DeliveryTarget, recipient: Recipient, messages: readonly Message[]): Promise<DeliveryResult>;
  /** Sends a notification that is recognisable as a test. */
  test(target: DeliveryTarget, recipient: Recipient): Promise<DeliveryResult>;
}

/** A delivery that did not get a response that says more. */
export function failed(code: NotificationFailure['code']): DeliveryResult {
  return { isAccepted: false, failure: { code, status: null }, isRefusal: false };
}
