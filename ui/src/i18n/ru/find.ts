import type { find as english } from '../en/find.ts';

/** Finding the moment of a change in the archive, in Russian. */
export const find: Record<keyof typeof english, string> = {
  'find.open': 'Найти момент изменения',
  'find.title': 'Найти момент изменения: {name}',
  'find.how':
    'Обведите то, что появилось, исчезло или изменилось, или сравнивайте кадры целиком. Затем укажите время поиска.',
  'find.region': 'Обведите то, что изменилось',
  'find.region.drawn': 'Область изменения выбрана',
  'find.region.keys': 'Стрелки двигают рамку, с Shift меняют её размер. Delete убирает рамку.',
  'find.camera': 'Камера',
  'find.from': 'Искать с',
  'find.until': 'Искать до',
  'find.begin': 'Сравнить кадры целиком',
  'find.begin.region': 'Искать в рамке',
  'find.step': 'Шаг {step}.',
  'find.choose':
    'Нажмите на первый кадр, который отличается от начального. Следующие кадры будут перед ним. Клавиши: стрелки и Enter.',
  'find.before': 'начало',
  'find.gap': 'перед ним пропуск {duration}',
  'find.noFrame': 'Нет кадра',
  'find.loading': 'Загрузка кадров…',
  'find.empty': 'За это время записано слишком мало, искать негде.',
  'find.back': 'На шаг назад',
  'find.found': 'Изменение между {from} и {to}',
  'find.found.gap': 'Изменение между {from} и {to}. Из этого времени не записано {duration}.',
};
