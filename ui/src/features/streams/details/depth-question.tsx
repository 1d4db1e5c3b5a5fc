import { Button, Group, Stack } from '@mantine/core';
import type { ArchiveLoss } from '@vidette/contract/entities';
import type { RefObject } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { depthText } from '../../../components/depth-text.ts';
import { lossSpanText } from './loss-text.ts';

interface DepthQuestionProps {
  readonly isOpen: boolean;
  /** The button that opened the question. */
  readonly opener: RefObject<HTMLElement | null>;
  readonly name: string;
  /** What the new depth deletes; kept while the dialog closes. */
  readonly loss: ArchiveLoss | undefined;
  readonly isSaving: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation before a lowered depth is saved, and shows what it deletes. */
export function DepthQuestion({ isOpen, opener, name, loss, isSaving, onSave, onClose }: DepthQuestionProps) {
  const i18n = useI18n();
  return (
    <Dialog isOpen={isOpen} opener={opener} onClose={onClose} title={i18n.t('depthLoss.title')}>
      <Stack gap="md">
        {loss && <p>{lossText(loss, name, i18n)}</p>}
        <Group gap={8}>
          <Button size="sm" color="red" loading={isSaving} onClick={onSave}>
            {i18n.t('depthLoss.submit')}
          </Button>
          <Button size="sm" variant="default" onClick={onClose} data-autofocus>
            {i18n.t('action.cancel')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function lossText(loss: ArchiveLoss, name: string, i18n: I18n): string {
  const { depthHours, durationMs, bytes, beginsAt, withoutNodes } = loss;
  const values = {
    depth: depthText(depthHours ?? -1, i18n),
    duration: lossSpanText(durationMs, i18n),
    name,
    size: i18n.bytes(bytes),
  };
  return [
    ...(beginsAt === null ? [] : [i18n.t('depthLoss.text', values)]),
    ...(withoutNodes ? [i18n.t('depthLoss.withoutNodes', { nodes: withoutNodes.join(', ') })] : []),
    i18n.t('depthLoss.wait'),
  ].join(' ');
}
