import type { shell as english } from '../en/shell.ts';

/** Рамка страницы: шапка, панель, баннеры, общие состояния, единицы. */
export const shell: Record<keyof typeof english, string> = {
  'duration.second': '{amount} с',
  'duration.minute': '{amount} мин',
  'duration.hour': '{amount} ч',
  'duration.day': '{amount} д',
  'rate.bits': '{amount} Мбит/с',

  'action.save': 'Сохранить',
  'action.cancel': 'Отмена',
  'action.close': 'Закрыть',
  'action.retry': 'Повторить',
  'action.delete': 'Удалить',
  'action.copy': 'Скопировать',
  'action.copied': 'Скопировано',
  'action.dismiss': 'Скрыть',

  'unsaved.title': 'Изменения не сохранены',
  'unsaved.text': 'То, что вы здесь изменили, ещё не сохранено.',
  'unsaved.stay': 'Остаться',
  'unsaved.leave': 'Уйти без сохранения',

  'nav.skip': 'К содержанию',
  'nav.main': 'Главное меню',
  'nav.tabs': 'Разделы страницы',
  'side.label': 'Все разделы',
  'side.watch': 'Смотреть',
  'side.own': 'Личное',
  'nav.sideBar': 'Боковая панель',
  'nav.search': 'Найти или перейти',
  'nav.allStreams': 'Все потоки',
  'nav.addStream': 'Добавить поток',

  'menu.open': 'Меню: {name}',
  'menu.profile': 'Профиль',
  'menu.administration': 'Администрирование',
  'menu.switchServer': 'Сменить сервер',
  'menu.moreFeatures': 'Больше возможностей',
  'menu.documentation': 'Документация',
  'menu.apiDocumentation': 'Документация API',
  'menu.settings': 'Настройки',
  'menu.help': 'Справка',
  'menu.logout': 'Выйти',

  'title.streams': 'Потоки',
  'title.mosaics': 'Мозаики',
  'title.auth': 'Вход',
  'title.recover': 'Восстановление пароля',
  'title.init': 'Первая настройка',
  'title.profile': 'Профиль',
  'title.userAdd': 'Новый пользователь',
  'title.user': 'Пользователь',
  'title.streamView': 'Поток',
  'title.streamInfo': 'Поток',
  'title.addStream': 'Новый поток',
  'title.createMosaic': 'Новая мозаика',
  'title.mosaic': 'Мозаика',
  'title.mosaicEdit': 'Изменить мозаику',
  'title.administration': 'Администрирование',
  'title.bookmarks': 'Закладки',
  'title.exports': 'Выгрузки',
  'title.help': 'Справка',
  'title.swagger': 'Документация API',
  'title.settings': 'Настройки',
  'title.notFound': 'Страница не найдена',

  'tab.info': 'Сведения',
  'tab.edit': 'Изменить',
  'tab.tokens': 'Токены',
  'tab.sessions': 'Сеансы',
  'tab.permission': 'Права',
  'tab.setting': 'Настройки',
  'tab.debug': 'Отладка',
  'tab.stats': 'Статистика',
  'tab.config': 'Конфигурация',
  'tab.users': 'Пользователи',
  'tab.cluster': 'Кластер',
  'tab.license': 'Лицензия',
  'tab.serverDebug': 'Журнал сервера',
  'tab.tunnel': 'Туннель',
  'tab.auditLogs': 'Аудит',

  'state.notFound.title': 'Страница не найдена',
  'state.notFound.text': 'По этому адресу ничего нет, или это уже удалили.',
  'state.notFound.action': 'Ко всем потокам',
  'state.forbidden.text': 'Если эта страница вам нужна, обратитесь к администратору.',
  'state.offline.title': 'Сервер не отвечает.',
  'state.offline.text': 'Страница пробует снова сама. Пока сервер не ответит, неизвестно, идёт ли запись.',
  'state.failed.title': 'Не удалось загрузить',
  'state.crashed.title': 'На этой странице произошёл сбой',
  'state.crashed.action': 'Загрузить заново',

  'banner.license': 'Лицензия отсутствует или истекла. Добавление потоков и просмотр архива отключены.',
  'banner.license.ask': 'Попросите администратора загрузить лицензию.',
  'nav.addStream.license': 'Пока лицензии нет или она истекла, потоки добавлять нельзя.',
  'banner.license.upload': 'Загрузить лицензию',
  'banner.warnings': 'Предупреждения сервера',
  'warning.licenseWillExpire':
    'Лицензия истекает {day}. После этого добавление потоков и просмотр архива будут отключены.',
  'warning.archiveSpace': 'В каталоге архива заканчивается место, занято больше {percent} %',
  'warning.archiveSpaceOthers':
    'Диск архива заполнен на {percent}%: другие файлы занимают {others}, записи — {archive}. Самые старые записи удаляются, чтобы освободить место; уберите с диска лишние файлы.',
  'warning.archiveClock':
    'Часы сервера спешат на {duration} относительно записей. Пока не ясно, что часы верны, записи по сроку хранения не удаляются. Если дата или время на сервере неверны, исправьте их; если верны — подождите.',
  'warning.archiveUndeletable':
    'Старые записи ({size}) не удаляются: {reason}. Проверьте диск и права на папку архива.',
  'warning.archiveReadOnly':
    'Диск архива не даёт удалять старые записи ({reason}). Проверьте, не подключён ли он только для чтения и исправен ли он.',
  'warning.archiveEarly': 'Записи ({size}) удалены раньше срока хранения: диск архива был заполнен.',
  'warning.archiveDiskMissing':
    'Папки архива нет, или её диск не подключён. Запись не идёт, пока он не вернётся.',
  'warning.archiveDiskOther':
    'К папке архива подключён диск другого архива. Запись не идёт, пока не вернётся нужный.',
  'warning.archiveDiskEmpty': 'Диск архива пуст, запись не ведётся: прежний диск не подключён или заменён.',
  'warning.archiveDiskEmpty.use': 'Использовать этот диск…',
  'warning.archiveDiskEmpty.sure': 'Записи с прежнего диска исчезнут с временной шкалы.',
  'warning.archiveDiskEmpty.yes': 'Использовать этот диск',
  'warning.archiveDiskEmpty.wait': 'Ждать прежний диск',
  'warning.archiveDiskDamaged':
    'Метка папки архива повреждена, и записей в ней нет. Запись не идёт, пока не вернётся нужный диск.',
  'warning.archiveDiskUnreadable':
    'Папка архива не читается. Запись не идёт. Проверьте диск и права на папку.',
  'warning.archiveDiskShared':
    'В папку архива пишет другой сервер. Этот сервер не записывает, пока у него нет своей папки.',
  'warning.dataDiskFull':
    'Диск с папкой данных сервера заполнен. Сервер работает на небольшом резерве; уберите с этого диска лишние файлы.',
  'warning.nodeDrained': 'Этот узел выведен из работы. Запустите узел, чтобы вернуть его в кластер',
  'warning.nodeClockAhead':
    'Часы узла {node} спешат относительно часов базы данных на {duration}: его записи датируются неверно. Исправьте часы, лучше всего по NTP.',
  'warning.nodeClockBehind':
    'Часы узла {node} отстают от часов базы данных на {duration}: его записи датируются неверно. Исправьте часы, лучше всего по NTP.',
  'warning.nodeDrained.show': 'Показать узел',
  'warning.notRecording':
    '{count, plural, one {# поток не записывается.} few {# потока не записываются.} many {# потоков не записываются.} other {# потока не записываются.}}',
  'warning.recordedLow': 'За последние сутки записано только {percent} % потока.',
  'warning.recordedLow.many':
    '{count, plural, one {За последние сутки у # потока слишком много пропусков.} few {За последние сутки у # потоков слишком много пропусков.} many {За последние сутки у # потоков слишком много пропусков.} other {За последние сутки у # потока слишком много пропусков.}}',
  'warning.trustProxy':
    'Настройка trustProxy: true доверяет любому прокси из частной сети. Укажите вместо неё адреса своих прокси.',
  'warning.farArchive': 'Старые записи не переносятся в хранилище S3: {reason}',
  'warning.farArchive.show': 'Показать',
  'warning.certificate.expired': 'Срок TLS-сертификата истёк {day}: браузеры не доверяют этому серверу.',
  'warning.certificate.expires': 'Срок TLS-сертификата истекает {day}.',
  'warning.certificate.unusable':
    'Новый TLS-сертификат или ключ не подходит, действует прежний. Причина — в журнале сервера.',
  'warning.tunnelDown': 'Туннель не работает: снаружи к серверу не попасть.',
  'warning.streams.more': 'и ещё {count}',
  'warning.notRecording.show': 'Показать',
};
