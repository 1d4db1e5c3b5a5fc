import type { configKeys as english } from '../en/config-keys.ts';

/** The purpose of each configuration key; the key `a.b` is `a-b` here, in Russian. */
export const configKeys: Record<keyof typeof english, string> = {
  'config.about.port': 'Порт, на котором сервер принимает соединения.',
  'config.about.host': 'Адрес, на котором сервер принимает соединения; 0.0.0.0 — все адреса машины.',
  'config.about.publicUrl':
    'Адрес, который открывают пользователи, например https://video.example.org. Используется в ссылках и письмах.',
  'config.about.trustProxy':
    'Адреса или диапазоны обратных прокси, которые задают X-Forwarded-For и X-Forwarded-Proto.',
  'config.about.database':
    'Адрес базы PostgreSQL, например postgres://user:password@host/name. Если пусто, SQLite в папке данных.',
  'config.about.tls-certificate': 'HTTPS: путь к цепочке сертификатов в PEM. Задаётся вместе с ключом.',
  'config.about.tls-key': 'HTTPS: путь к закрытому ключу в PEM. Задаётся вместе с сертификатом.',
  'config.about.log-level': 'Наименьший уровень сообщений, которые попадают в журнал.',
  'config.about.archive-folder': 'Папка для записей. Если пусто, archive в папке данных.',
  'config.about.archive-downloadMaxSeconds': 'Самый длинный промежуток одного скачивания, в секундах.',
  'config.about.archive-playlistMaxSeconds': 'Самый длинный промежуток одного плейлиста, в секундах.',
  'config.about.archive-rangesMaxSeconds':
    'Самый длинный промежуток, который шкала времени запрашивает за один вызов, в секундах.',
  'config.about.archive-maxDepthHours': 'Наибольшая глубина архива потока, в часах; -1 — без ограничения.',
  'config.about.archive-quotaBytes': 'Если все записи вместе займут больше байт, самые старые удаляются.',
  'config.about.archive-quotaPercent':
    'Если диск архива заполнен на столько процентов, самые старые записи удаляются.',
  'config.about.archive-warnPercent':
    'Если диск архива заполнен на столько процентов, администраторы видят предупреждение.',
  'config.about.archive-warnRecordedPercent':
    'Если за последние сутки записано меньше стольких процентов потока, администраторы видят предупреждение.',
  'config.about.s3-endpoint':
    'Адрес хранилища, совместимого с S3, например https://s3.example.org. Если пусто, Amazon S3 в указанном регионе.',
  'config.about.s3-region': 'Регион, для которого подписываются запросы к хранилищу.',
  'config.about.s3-bucket':
    'Бакет, куда переносятся старые записи. Если пусто, хранилище S3 не используется.',
  'config.about.s3-prefix': 'Префикс всех имён в бакете, например cameras/north.',
  'config.about.s3-accessKeyId': 'Ключ доступа с правом чтения и записи в бакете.',
  'config.about.s3-secretAccessKey': 'Секрет ключа доступа.',
  'config.about.s3-pathStyle':
    'Указывать имя бакета в пути адреса. Это нужно почти всем хранилищам, кроме Amazon S3.',
  'config.about.s3-concurrency': 'Сколько файлов отправляется в хранилище одновременно.',
  'config.about.s3-bytesPerSecond':
    'Ограничение скорости отправки, в байтах в секунду. Если пусто, без ограничения.',
  'config.about.s3-quotaBytes': 'Если записи в бакете займут больше байт, самые старые удаляются.',
  'config.about.export-folder': 'Папка для выгрузок. Если пусто, exports в папке данных.',
  'config.about.export-keepHours': 'Сколько часов хранится готовая выгрузка.',
  'config.about.export-quotaBytes': 'Наибольший общий размер всех выгрузок, в байтах.',
  'config.about.export-minFreeBytes': 'Сколько байт выгрузки оставляют свободными на диске.',
  'config.about.engine-processes':
    'Сколько процессов принимают и записывают потоки, чтобы запись продолжалась, пока перезапускается остальной сервер. auto: по одному на 50 записываемых потоков, но не больше числа ядер. 0: всё делает один процесс.',
  'config.about.overload-yields':
    'При перегрузке сервера выгрузки, миниатюры и другая работа ждут, чтобы запись не прерывалась.',
  'config.about.source-noFramesSeconds': 'Через сколько секунд без кадров сервер переподключается к камере.',
  'config.about.source-probeSeconds': 'Наибольшее время проверки адреса, в секундах.',
  'config.about.conversion-for': 'Для кого сервер преобразует видео, которое не воспроизводит браузер.',
  'config.about.conversion-atOnce':
    'Для скольких зрителей сервер преобразует видео одновременно; на каждого уходит около одного ядра.',
  'config.about.app-title': 'Название в шапке, в заголовках и в письмах.',
  'config.about.app-logo': 'Адрес картинки вместо логотипа.',
  'config.about.app-language': 'Для тех, кто не выбрал язык. Если пусто, по браузеру.',
  'config.about.app-documentation': 'Адрес вашей документации: появится в меню.',
  'config.about.app-site': 'Адрес, где продаётся бо́льшая лицензия: появится в меню.',
  'config.about.session-days': 'Через сколько дней без использования завершается сеанс.',
  'config.about.smtp-host': 'Почтовый сервер, который отправляет коды для новых паролей.',
  'config.about.smtp-port': 'Порт почтового сервера.',
  'config.about.smtp-tls': 'Как шифруется соединение с почтовым сервером.',
  'config.about.smtp-user': 'Логин на почтовом сервере, если он нужен.',
  'config.about.smtp-password': 'Пароль на почтовом сервере.',
  'config.about.smtp-from': 'От кого приходят письма, например cameras@example.org.',
  'config.about.passwordReset-enabled': 'Пользователь, забывший пароль, может запросить код по почте.',
  'config.about.passwordReset-revealUnknown':
    'Сообщать, что учётной записи с такой почтой нет; иначе страница всегда сообщает, что код отправлен.',
  'config.about.passwordReset-codeMinutes': 'Сколько минут действует код.',
  'config.about.license-vendorKey':
    'Открытый ключ (PEM, Ed25519), которым проверяются лицензии. Если пусто, действует лицензия Community.',
  'config.about.audit-enabled': 'Записывать действия пользователей в журнал аудита.',
  'config.about.audit-days': 'Сколько дней хранятся записи журнала аудита.',
  'config.about.metrics-token':
    'Токен, с которым Prometheus читает /metrics. Если пусто, метрики не отдаются.',
  'config.about.versionCheck-url':
    'Адрес, по которому сервер узнаёт о новых версиях. Если пусто, проверки нет.',
  'config.about.kiosk-user':
    'Логин, который подставляется при входе каждому: только для экранов в доверенной сети.',
  'config.about.kiosk-password': 'Пароль, который подставляется вместе с ним.',
  'config.about.node-id': 'Имя этого сервера в кластере: латинские буквы, цифры, точки, _ и -.',
  'config.about.node-capacity': 'Наибольшее число потоков на этом сервере.',
  'config.about.cluster-address':
    'Адрес, по которому этот сервер доступен другим в кластере, например https://a.example.org:8080.',
  'config.about.cluster-allowPlainHttp': 'Серверы могут обмениваться данными без TLS: только в частной сети.',
};
