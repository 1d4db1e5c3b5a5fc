import type { configKeys as english } from '../en/config-keys.ts';

/** Зачем нужен каждый ключ конфигурации; ключ `a.b` стоит здесь как `a-b`. */
export const configKeys: Record<keyof typeof english, string> = {
  'config.about.port': 'Порт, на котором сервер принимает соединения.',
  'config.about.host': 'Адрес, на котором он их принимает; 0.0.0.0 — на всех адресах машины.',
  'config.about.publicUrl':
    'Адрес, по которому сюда приходят, например https://video.example.org. Он стоит в ссылках и письмах.',
  'config.about.trustProxy':
    'Адреса или диапазоны обратных прокси, которые задают X-Forwarded-For и X-Forwarded-Proto.',
  'config.about.database':
    'PostgreSQL: postgres://user:password@host/name. Если пусто, SQLite в папке данных.',
  'config.about.tls-certificate': 'HTTPS: путь к цепочке сертификатов в PEM. Задаётся вместе с ключом.',
  'config.about.tls-key': 'HTTPS: путь к закрытому ключу в PEM. Задаётся вместе с сертификатом.',
  'config.about.log-level': 'С какой важности записи попадают в журнал.',
  'config.about.archive-folder': 'Где лежат записи. Если пусто, в папке archive среди данных.',
  'config.about.archive-downloadMaxSeconds': 'Самый длинный фрагмент одного скачивания, в секундах.',
  'config.about.archive-playlistMaxSeconds': 'Самый длинный отрезок одного плейлиста, в секундах.',
  'config.about.archive-rangesMaxSeconds':
    'Самый длинный отрезок, который шкала запрашивает за раз, в секундах.',
  'config.about.archive-maxDepthHours': 'Наибольшая глубина архива потока, в часах; -1 — без ограничения.',
  'config.about.archive-quotaBytes': 'Если все записи займут больше байт, самые старые удаляются.',
  'config.about.archive-quotaPercent':
    'Если диск заполнен на столько процентов, самые старые записи удаляются.',
  'config.about.archive-warnPercent':
    'Если диск заполнен на столько процентов, администраторы видят предупреждение.',
  'config.about.archive-warnRecordedPercent':
    'Администраторов предупреждают, если за последние 24 часа записано меньше этой доли потока, в процентах.',
  'config.about.s3-endpoint':
    'Адрес хранилища с протоколом S3, например https://s3.example.org. Если пусто, Amazon выбранного региона.',
  'config.about.s3-region': 'Регион, для которого подписываются запросы к хранилищу.',
  'config.about.s3-bucket': 'Бакет, куда переезжают старые записи. Если пусто, такого хранилища нет.',
  'config.about.s3-prefix': 'С чего начинаются все имена в бакете, например cameras/north.',
  'config.about.s3-accessKeyId': 'Ключ, с правами которого бакет читается и пишется.',
  'config.about.s3-secretAccessKey': 'Секрет этого ключа.',
  'config.about.s3-pathStyle':
    'Имя бакета стоит в пути адреса: так нужно почти всем хранилищам, кроме Amazon.',
  'config.about.s3-concurrency': 'Сколько файлов отправляется в хранилище одновременно.',
  'config.about.s3-bytesPerSecond':
    'Сколько байт в секунду отправлять в хранилище самое большее. Если пусто, без ограничения.',
  'config.about.s3-quotaBytes': 'Если записи в бакете займут больше байт, самые старые удаляются.',
  'config.about.export-folder': 'Где лежат выгрузки. Если пусто, в папке exports среди данных.',
  'config.about.export-keepHours': 'Через сколько часов готовая выгрузка удаляется.',
  'config.about.export-quotaBytes': 'Сколько байт могут занять все выгрузки вместе.',
  'config.about.export-minFreeBytes': 'Сколько байт выгрузка оставляет свободными на диске.',
  'config.about.source-noFramesSeconds':
    'Если камера столько секунд не шлёт кадров, соединение с ней открывается заново.',
  'config.about.source-probeSeconds': 'Сколько секунд может длиться проверка адреса.',
  'config.about.conversion-for': 'Для кого сервер преобразует то, чего не воспроизводит браузер.',
  'config.about.conversion-atOnce': 'Для скольких зрителей сразу; на каждого уходит около одного ядра.',
  'config.about.app-title': 'Название в шапке, в заголовках и в письмах.',
  'config.about.app-logo': 'Адрес картинки вместо логотипа.',
  'config.about.app-language': 'Для тех, кто не выбрал язык. Если пусто, по браузеру.',
  'config.about.app-documentation': 'Адрес вашей документации: появится в меню.',
  'config.about.app-site': 'Адрес, где продаётся бо́льшая лицензия: появится в меню.',
  'config.about.session-days': 'Вход заканчивается, если им не пользовались столько дней.',
  'config.about.smtp-host': 'Почтовый сервер, который отправляет коды для новых паролей.',
  'config.about.smtp-port': 'Порт почтового сервера.',
  'config.about.smtp-tls': 'Как шифруется соединение с почтовым сервером.',
  'config.about.smtp-user': 'Логин на почтовом сервере, если он нужен.',
  'config.about.smtp-password': 'Пароль на почтовом сервере.',
  'config.about.smtp-from': 'От кого приходят письма, например cameras@example.org.',
  'config.about.passwordReset-enabled': 'Забывший пароль может запросить код на почту.',
  'config.about.passwordReset-revealUnknown':
    'Сообщать, что такой почты нет ни у кого; иначе в любом случае сказано, что код отправлен.',
  'config.about.passwordReset-codeMinutes': 'Сколько минут действует код.',
  'config.about.license-vendorKey':
    'Открытый ключ (PEM, Ed25519), чьи лицензии принимаются. Если пусто, лицензия Community.',
  'config.about.audit-enabled': 'Записывать, кто что сделал.',
  'config.about.audit-days': 'Через сколько дней записи аудита удаляются.',
  'config.about.metrics-token': 'С этим токеном Prometheus читает /metrics. Если пусто, не читает никто.',
  'config.about.versionCheck-url': 'Где спрашивать о новых версиях. Если пусто, нигде.',
  'config.about.kiosk-user':
    'Логин, который подставляется при входе каждому: только для экранов в доверенной сети.',
  'config.about.kiosk-password': 'Пароль, который подставляется вместе с ним.',
  'config.about.node-id': 'Имя этого сервера в кластере: латинские буквы, цифры, точки, _ и -.',
  'config.about.node-capacity': 'Сколько потоков берёт этот сервер, самое большее.',
  'config.about.cluster-address':
    'Адрес, по которому этот сервер доступен другим в кластере, например https://a.example.org:8080.',
  'config.about.cluster-allowPlainHttp': 'Серверы могут общаться без TLS: только в собственной сети.',
};
