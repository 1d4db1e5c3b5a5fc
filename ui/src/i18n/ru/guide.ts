import type { guide as english } from '../en/guide.ts';

/** Личные настройки и справка внутри продукта. */
export const guide: Record<keyof typeof english, string> = {
  'settings.text': 'Хранятся в вашей учётной записи и действуют в любом браузере, где вы вошли.',
  'settings.saved': 'Настройки сохранены',
  'settings.failed': 'Настройки не сохранены',
  'settings.appearance': 'Оформление',
  'settings.theme': 'Тема',
  'settings.theme.system': 'Как в системе',
  'settings.theme.light': 'Светлая',
  'settings.theme.dark': 'Тёмная',
  'settings.language': 'Язык',
  'settings.time': 'Время',
  'settings.zone': 'Часовой пояс',
  'settings.zone.help': 'По этим часам подписаны шкала времени, списки и журналы.',
  'settings.zone.viewer': 'Этого браузера: {zone}',
  'settings.zone.server': 'Сервера: {zone}',
  'settings.zone.stream': 'Каждого потока, где он указан',
  'settings.zone.all': 'Всегда один пояс',
  'settings.player': 'Проигрыватель',
  'settings.sound': 'Начинать со звуком',
  'settings.sound.help': 'Если браузер разрешает это без щелчка.',
  'settings.speed': 'Скорость архива',
  'settings.speed.help': 'С этой скорости начинается просмотр записей. Эфир всегда идёт со скоростью 1.',
  'settings.speed.value': '{speed}×',

  'help.start.title': 'Первый поток',
  'help.start.text':
    'Нажмите «Добавить поток» и вставьте адрес камеры, например rtsp://user:password@192.0.2.10/stream1. Нет камеры? demo: — тоже адрес: нарисованная картинка с идущими часами.',
  'help.sources.title': 'Какие адреса подходят',
  'help.sources.text':
    'rtsp и rtsps, rtsph и rtspsh (RTSP через HTTP и HTTPS — когда у камеры доступен только веб-порт), rtmp, http и https (HLS, DASH, MPEG-TS, MJPEG или один кадр JPEG, который запрашивается раз в секунду), srt, udp и demo: для пробы. Видео в H.264 и H.265 берётся как есть, остальное преобразуется, как и звук в G.711, G.722, G.726, L16 и MP3.',
  'help.archive.title': 'Архив',
  'help.archive.text':
    'Поток с включённым архивом записывается непрерывно. Нажмите на шкалу времени, чтобы посмотреть любой момент; заштрихованное не записано. Полоса над шкалой — весь архив, столбик на каждый день. «Эфир» возвращает к настоящему.',
  'help.archive.depth':
    'Глубина — сколько хранятся записи. Более старые удаляются сами; без ограничения они лежат, пока есть место на диске.',
  'help.demand.title': 'Только при просмотре',
  'help.demand.text':
    'Поток по требованию подключается к камере, когда его открывают, и отключается через полминуты после ухода последнего зрителя. Записывать его при этом нельзя.',
  'help.keys.title': 'Клавиши на шкале времени',
  'help.keys.arrows': 'Шаг по времени',
  'help.keys.zoom': 'Крупнее и мельче',
  'help.keys.ends': 'В начало, в эфир',
  'help.version.title': 'Версия',
  'help.version.text': 'Vidette {version}',
};
