import type { command as english } from '../en/command.ts';

/** The command palette, in Russian. */
export const command: Record<keyof typeof english, string> = {
  'palette.placeholder': 'Название, раздел, действие',
  'palette.list': 'Результаты',
  'palette.recent': 'Недавно открытое',
  'palette.found': 'Результаты',
  'palette.screens': 'Разделы',
  'palette.actions': 'Действия',
  'palette.kind.stream': 'Поток',
  'palette.kind.mosaic': 'Мозаика',
  'palette.kind.bookmark': 'Закладка',
  'palette.kind.user': 'Пользователь',
  'palette.count':
    '{count, plural, =0 {Ничего не найдено} one {# результат} few {# результата} many {# результатов} other {# результата}}',
  'palette.keys': '↑ ↓ выбрать · Enter открыть · Esc закрыть',
};
