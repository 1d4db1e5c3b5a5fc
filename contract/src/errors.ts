/**
 * The one catalogue of errors: every code that a call may answer or the page may show, with its text in both
 * languages and its HTTP status. Server and page read this table; nothing else decides on a status or a
 * wording. Contains no Zod, so that the page stays small.
 */
export interface CatalogueEntry {
  /** HTTP status of a reply with this code. Codes that only the page raises carry the nearest one. */
  readonly status: number;
  readonly en: string;
  readonly ru: string;
}

/**
 * The probe's codes answer 422, never 401 or 404: to the page those two concern the user's own session and
 * address, while HTTP_UNAUTHORIZED and HTTP_NOT_FOUND concern a camera.
 */
export const catalogue = {
  ACCESS_DENIED_ERR: { status: 403, en: 'Access denied.', ru: 'Доступ запрещён.' },
  Unavailable: { status: 503, en: 'Unavailable.', ru: 'Недоступно.' },
  Forbidden: { status: 403, en: "You don't have access.", ru: 'У вас нет доступа.' },
  InternalServerError: { status: 500, en: 'Internal server error.', ru: 'Внутренняя ошибка сервера.' },
  SERVER_UNKNOWN_ERR: { status: 500, en: 'Something went wrong.', ru: 'Что-то пошло не так.' },
  ValidationError: { status: 400, en: 'Validation error.', ru: 'Ошибка проверки данных.' },
  NotFound: { status: 404, en: 'Not found.', ru: 'Не найдено.' },
  SERVER_NOT_RESPONSE_ERR: { status: 504, en: 'Server is not responding.', ru: 'Сервер не отвечает.' },
  IncorrectLicense: { status: 400, en: 'License is incorrect.', ru: 'Неверная лицензия.' },
  LicenseExpired: {
    status: 403,
    en: 'License is missing or expired.',
    ru: 'Лицензия отсутствует или истекла.',
  },
  EnterpriseOnly: { status: 403, en: 'Enterprise only.', ru: 'Только в корпоративной версии.' },
  AuthorizationRequired: { status: 401, en: 'You are not authorized.', ru: 'Вы не авторизованы.' },
  RequestDecodeError: { status: 400, en: 'Request decode error.', ru: 'Не удалось разобрать запрос.' },
  ResponseEncodeError: { status: 500, en: 'Response encode error.', ru: 'Не удалось составить ответ.' },
  TimeRangeIsTooLong: {
    status: 400,
    en: 'Time range is too long.',
    ru: 'Слишком большой промежуток времени.',
  },
  AuthorizationFailed: {
    status: 401,
    en: 'Incorrect login or password.',
    ru: 'Неверный логин или пароль.',
  },
  PasswordIsNotComplexEnough: {
    status: 400,
    en: 'Password is not complex enough.',
    ru: 'Пароль недостаточно сложный.',
  },
  InvalidOldPassword: { status: 400, en: 'Invalid old password.', ru: 'Неверный старый пароль.' },
  PasswordRequired: {
    status: 403,
    en: 'Enter your password to continue.',
    ru: 'Чтобы продолжить, введите пароль.',
  },
  OldPasswordAndNewPasswordCannotBeSame: {
    status: 400,
    en: 'Old password and new password cannot be same.',
    ru: 'Старый и новый пароли не могут совпадать.',
  },
  QuotaReached: { status: 403, en: 'Quota is reached.', ru: 'Достигнут предел.' },
  FeatureNotFound: {
    status: 403,
    en: "The feature didn't find in the license.",
    ru: 'Эта возможность не входит в лицензию.',
  },
  FootageHeld: {
    status: 409,
    en: 'Release the held footage first.',
    ru: 'Сначала снимите удержание записей.',
  },
  AlreadyUsed: { status: 409, en: 'Already used.', ru: 'Уже используется.' },

  ProbeError: {
    status: 422,
    en: 'No stream was found at this address.',
    ru: 'По этому адресу не найден видеопоток.',
  },
  AuditLogsDisabled: { status: 403, en: 'Audit logs are disabled.', ru: 'Журнал аудита выключен.' },
  BadRequest: { status: 400, en: 'Bad request.', ru: 'Неверный запрос.' },
  MethodNotAllowed: {
    status: 405,
    en: 'This method is not allowed at this address.',
    ru: 'Этот метод по этому адресу не поддерживается.',
  },
  ActionNotAcceptable: {
    status: 409,
    en: 'This action is not possible now.',
    ru: 'Сейчас это действие невозможно.',
  },
  LifetimeCodeRequired: {
    status: 423,
    en: 'The server is not set up yet: a set-up code is required.',
    ru: 'Сервер ещё не настроен: нужен код настройки.',
  },
  TooManyRequests: {
    status: 429,
    en: 'Too many requests. Try again later.',
    ru: 'Слишком много запросов. Попробуйте позже.',
  },
  SetupNotAllowed: {
    status: 403,
    en: 'The archive of this server contains recordings: allow set-up on the server’s console first.',
    ru: 'В архиве этого сервера есть записи: сначала разрешите настройку в консоли сервера.',
  },
  UnknownLifetimeCode: {
    status: 400,
    en: 'The code is wrong or no longer valid.',
    ru: 'Код неверен или больше не действует.',
  },
  EHOSTUNREACH: { status: 422, en: 'The camera cannot be reached.', ru: 'Камера недоступна.' },
  NO_VIDEO_ERR: {
    status: 422,
    en: 'The camera sends no video.',
    ru: 'Камера не передаёт видео.',
  },
  HTTP_NOT_FOUND: {
    status: 422,
    en: 'The camera answers, but has no such stream.',
    ru: 'Камера отвечает, но такого потока на ней нет.',
  },
  HTTP_UNAUTHORIZED: {
    status: 422,
    en: 'The camera refuses the login or password.',
    ru: 'Камера не принимает логин или пароль.',
  },
  CREDENTIALS_ERR: {
    status: 400,
    en: 'Check the login and password of the source.',
    ru: 'Проверьте логин и пароль источника.',
  },
  STREAM_SOURCE_ERR: {
    status: 400,
    en: 'This source address cannot be used.',
    ru: 'Этот адрес источника использовать нельзя.',
  },
  STREAM_NAME_ERR: { status: 400, en: 'This name cannot be used.', ru: 'Это имя использовать нельзя.' },
  FarArchiveUnavailable: {
    status: 503,
    en: 'The storage that holds this part of the archive does not answer.',
    ru: 'Хранилище с этой частью архива не отвечает.',
  },
  FarArchiveRefused: {
    status: 503,
    en: 'The storage for old footage denies access: check its keys, bucket and permissions.',
    ru: 'Хранилище старых записей отказывает в доступе: проверьте ключи, бакет и права.',
  },
  FarArchiveForeign: {
    status: 503,
    en: 'The bucket for old footage belongs to another archive.',
    ru: 'Бакет для старых записей принадлежит другому архиву.',
  },
  FarArchiveDamaged: {
    status: 500,
    en: 'A part of the old footage cannot be moved to storage.',
    ru: 'Часть старых записей не удаётся перенести в хранилище.',
  },
  ARCHIVE_DEPTH_ERR: {
    status: 400,
    en: 'The archive depth is beyond what is allowed.',
    ru: 'Глубина архива больше допустимой.',
  },
  ServerOverloaded: {
    status: 503,
    en: 'The server is overloaded. Try again later.',
    ru: 'Сервер перегружен. Попробуйте позже.',
  },
  CLUSTER_NODE_ERR: {
    status: 400,
    en: 'This cluster node cannot be used.',
    ru: 'Этот узел кластера использовать нельзя.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

export type MessageLanguage = 'en' | 'ru';

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(catalogue, code);
}

/** The catalogue's sentence for a code. */
export function messageOf(code: ErrorCode, language: MessageLanguage): string {
  return catalogue[code][language];
}

/** One field that failed validation: `path` as in `archive.depthHours`, `error` in the reader's language. */
export interface FieldError {
  readonly path: string;
  /** A code of the catalogue if one fits the field, else the kind of check that failed, as in `too_small`. */
  readonly code: string;
  readonly error: string;
}

/** The body of every failed call. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly error: string;
  readonly fields?: readonly FieldError[];
}
