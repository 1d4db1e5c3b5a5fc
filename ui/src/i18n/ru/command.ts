import type { command as english } from '../en/command.ts';

/** Строка, которая находит и делает по словам. */
export const command: Record<keyof typeof english, string> = {
  'palette.placeholder': 'Название, раздел, действие',
  'palette.list': 'Найденное',
  'palette.recent': 'Недавно открытое',
  'palette.found': 'Найдено',
  'palette.screens': 'Разделы',
  'palette.actions': 'Действия',
  'palette.kind.stream': 'Поток',
  'palette.kind.mosaic': 'Мозаика',
  'palette.kind.bookmark': 'Закладка',
  'palette.kind.user': 'Пользователь',
  'palette.count':
    '{count, plural, =0 {Ничего со всеми этими словами.} one {# строка} few {# строки} many {# строк} other {# строки}}',
  'palette.keys': '↑ ↓ выбрать · Enter открыть · Esc закрыть',
};
