import type { administration as english } from '../en/administration.ts';

/** Страницы администратора. */
export const administration: Record<keyof typeof english, string> = {
  'stats.uptime': 'Работает',
  'stats.streams': 'Потоки',
  'stats.streams.running': 'в эфире {running} из {total}',
  'stats.viewers': 'Смотрят сейчас',
  'stats.archive': 'Архив',
  'stats.disk': 'Диск',
  'stats.disk.free': 'свободно {free} из {total}',
  'stats.disk.unknown': 'Неизвестно',
  'stats.cpu': 'Процессор, от одного ядра',
  'stats.memory': 'Память',

  'license.state': 'Состояние',
  'license.valid': 'Действует',
  'license.expired': 'Отсутствует или истекла',
  'license.owner': 'Владелец',
  'license.expires': 'Действует до',
  'license.never': 'Без срока',
  'license.streams': 'Разрешено потоков',
  'license.text': 'Текст лицензии',
  'license.saved': 'Лицензия сохранена',

  'config.search': 'Искать ключ',
  'config.server': 'Сервер',
  'config.fixed': 'Задано переменной окружения',
  'config.secret': 'Задано; чтобы заменить, введите новое',
  'config.bounds': 'От {minimum} до {maximum}',
  'config.list': 'Перечислите через запятую',
  'config.default': 'По умолчанию: {value}',
  'config.restart': 'После перезапуска',
  'config.none': 'Не задано',
  'config.pending': 'Часть сохранённых значений вступит в силу после перезапуска сервера.',
  'config.saved': 'Конфигурация сохранена',
};
