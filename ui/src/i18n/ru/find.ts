import type { find as english } from '../en/find.ts';

/** Finding the moment of a change in the archive, in Russian. */
export const find: Record<keyof typeof english, string> = {
  'find.open': 'Найти момент изменения',
  'find.title': 'Найти момент изменения: {name}',
  'find.how':
    'Обведите то, что появилось, исчезло или изменилось, или сравнивайте кадры целиком. Укажите время поиска, затем выбирайте кадры сами или поручите сравнение серверу.',
  'find.region': 'Обведите то, что изменилось',
  'find.region.drawn': 'Область изменения выбрана',
  'find.region.keys': 'Стрелки двигают рамку, с Shift меняют её размер. Delete убирает рамку.',
  'find.camera': 'Камера',
  'find.from': 'Искать с',
  'find.until': 'Искать до',
  'find.begin': 'Сравнить кадры целиком',
  'find.begin.region': 'Искать в рамке',
  'find.auto': 'Найти автоматически',
  'find.auto.running': 'Сервер сравнивает кадры',
  'find.auto.progress': 'Сравнено кадров: {done} примерно из {expected}',
  'find.auto.stop': 'Остановить',
  'find.auto.stopped': 'Поиск остановлен.',
  'find.auto.limit': 'Достигнут предел поиска. Чтобы искать подробнее, выберите время короче.',
  'find.auto.replaced': 'Этот поиск прерван другим вашим поиском.',
  'find.auto.found':
    '{count, plural, one {Найдено # изменение.} few {Найдено # изменения.} many {Найдено # изменений.} other {Найдено # изменения.}}',
  'find.auto.likely': 'Самое вероятное — между {from} и {to}. Нажмите на изменение, чтобы его посмотреть.',
  'find.auto.none':
    'Заметных изменений нет. Если что-то появлялось ненадолго, выберите время короче или выбирайте кадры сами.',
  'find.auto.unreadable':
    '{count, plural, one {Не удалось прочитать # кадр.} few {Не удалось прочитать # кадра.} many {Не удалось прочитать # кадров.} other {Не удалось прочитать # кадра.}}',
  'find.auto.away': 'Нет ответа от {nodes}: записи там не просмотрены.',
  'find.auto.passing': 'ненадолго',
  'find.auto.tip': 'Изменение в {time}',
  'find.auto.curve': 'Изменения с {from} до {to}. Самые большие — в списке ниже.',
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
