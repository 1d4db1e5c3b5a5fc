import type { depthLoss as english } from '../en/depth-loss.ts';

/** Confirmation before a smaller depth deletes recordings, and the notice until it does, in Russian. */
export const depthLoss: Record<keyof typeof english, string> = {
  'depthLoss.title': 'Удалить старые записи?',
  'depthLoss.text': 'Если хранить {depth}, удалятся записи потока «{name}» за {duration} ({size}).',
  'depthLoss.wait':
    'Первые записи удалятся не раньше чем через час; до этого можно вернуть прежний срок хранения.',
  'depthLoss.withoutNodes': 'Не учтены записи, до которых сейчас нет доступа: {nodes}.',
  'depthLoss.submit': 'Удалить старые записи',
  'depthLoss.pending':
    'Срок хранения уменьшен ({depth}). Удаление более старых записей начнётся в {time}: {size}. Чтобы сохранить их, верните прежний срок.',
};
