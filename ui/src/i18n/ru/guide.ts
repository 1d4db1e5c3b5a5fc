import type { guide as english } from '../en/guide.ts';

/** A user’s settings, and the help page, in Russian. */
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
  'settings.zone.help': 'В этом поясе показывается время на шкале, в списках и журналах.',
  'settings.zone.viewer': 'Этот браузер: {zone}',
  'settings.zone.server': 'Сервер: {zone}',
  'settings.zone.stream': 'Свой у каждого потока, если указан',
  'settings.zone.all': 'Один определённый пояс',
  'settings.player': 'Проигрыватель',
  'settings.sound': 'Начинать со звуком',
  'settings.sound.help': 'Если браузер разрешает это без щелчка.',
  'settings.speed': 'Скорость просмотра архива',
  'settings.speed.help': 'С этой скорости начинается просмотр записей. Эфир всегда идёт с обычной скоростью.',
  'settings.speed.value': '{speed}×',

  'help.guide.title': 'Руководство',
  'help.guide.text':
    'Как установить, настроить, резервировать и отслеживать сервер, что значат коды ошибок и как пользоваться API. Руководство на английском языке входит в состав сервера, интернет для него не нужен.',
  'help.guide.open': 'Открыть руководство (на английском)',
  'help.start.title': 'Первый поток',
  'help.start.text':
    'Нажмите «Добавить поток» и вставьте адрес камеры, например rtsp://user:password@192.0.2.10/stream1. Нет камеры? Введите адрес demo: — это тестовое видео с идущими часами.',
  'help.sources.title': 'Поддерживаемые адреса',
  'help.sources.text':
    'rtsp и rtsps, rtsph и rtspsh (RTSP через HTTP и HTTPS — когда у камеры доступен только веб-порт), rtmp, http и https (HLS, DASH, MPEG-TS, MJPEG или один кадр JPEG, который запрашивается раз в секунду), srt, udp и demo: для проверки. Видео в H.264 и H.265 не меняется, остальное преобразуется, как и звук в G.711, G.722, G.726, L16 и MP3.',
  'help.archive.title': 'Архив',
  'help.archive.text':
    'Поток с включённым архивом записывается непрерывно. Нажмите на шкалу времени, чтобы посмотреть любой момент; заштрихованные промежутки не записаны. Полоса над шкалой — весь архив, столбик на каждый день. «Эфир» возвращает к настоящему.',
  'help.archive.depth':
    '«Хранить записи» в настройках потока ограничивает срок хранения. Без ограничения самые старые записи удаляются, когда диск почти заполнен.',
  'help.demand.title': 'Только при просмотре',
  'help.demand.text':
    'Поток по требованию подключается к камере, когда его открывают, и отключается через полминуты после ухода последнего зрителя. Записывать его нельзя.',
  'help.keys.title': 'Клавиши на шкале времени',
  'help.keys.arrows': 'Шаг по времени',
  'help.keys.zoom': 'Крупнее и мельче',
  'help.keys.ends': 'В начало, в эфир',
  'help.security.title': 'Уязвимости',
  'help.security.text': 'Сообщайте об уязвимостях не публично, а сюда:',
  'help.version.title': 'Версия',
  'help.version.text': 'Vidette {version}',
};
