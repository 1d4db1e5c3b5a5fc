import type { firstSteps as english } from '../en/first-steps.ts';

/** The checklist after the setup, in Russian. */
export const firstSteps: Record<keyof typeof english, string> = {
  'firstSteps.text': 'Шесть шагов к надёжной записи. К каждому из них можно вернуться позже.',
  'firstSteps.finish': 'Закрыть список',
  'firstSteps.open': 'предстоит',
  'firstSteps.done': 'готово',
  'firstSteps.wrong': 'требует внимания',
  'firstSteps.cameras': 'Добавьте камеры',
  'firstSteps.cameras.text':
    '{count, plural, =0 {Пока ни одной. Срок хранения задаётся для каждой камеры.} one {# поток. Срок хранения задаётся для каждого.} few {# потока. Срок хранения задаётся для каждого.} many {# потоков. Срок хранения задаётся для каждого.} other {# потока. Срок хранения задаётся для каждого.}}',
  'firstSteps.disk': 'Место на диске и срок хранения',
  'firstSteps.disk.text':
    'Свободно {free} из {total}. Самые старые записи удаляются, когда истекает срок хранения или диск почти заполнен.',
  'firstSteps.time': 'Дата и время',
  'firstSteps.time.same': 'Часы сервера и этого компьютера совпадают. Часовой пояс сервера: {zone}.',
  'firstSteps.time.differs':
    'Часы сервера и этого компьютера расходятся на {duration}. Настройте на обоих синхронизацию по NTP. Часовой пояс сервера: {zone}.',
  'firstSteps.people': 'Добавьте пользователей',
  'firstSteps.people.text':
    '{count, plural, =0 {Пока только вы. Заведите каждому свою учётную запись.} one {Ещё # пользователь.} few {Ещё # пользователя.} many {Ещё # пользователей.} other {Ещё # пользователя.}}',
  'firstSteps.mail': 'Подключите почтовый сервер',
  'firstSteps.mail.on': 'Сервер может отправлять письма.',
  'firstSteps.mail.off': 'Без него пользователи не смогут восстановить пароль по почте.',
  'firstSteps.notifications': 'Настройте уведомления',
  'firstSteps.notifications.text':
    '{count, plural, =0 {Правил пока нет. Правило сообщит, например, о камере без видео.} one {# правило.} few {# правила.} many {# правил.} other {# правила.}}',
};
