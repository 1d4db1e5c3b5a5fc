import type { cluster as english } from '../en/cluster.ts';

/** Nodes of the cluster, in Russian. */
export const cluster: Record<keyof typeof english, string> = {
  'cluster.alone': 'Этот сервер работает один: другого узла, который принял бы его потоки, нет.',
  'cluster.unlicensed':
    'Чтобы запускать несколько серверов с общей конфигурацией и выводить их из работы, нужна корпоративная лицензия, в которую входит кластер. Одиночному серверу она не нужна.',
  'cluster.license': 'Показать лицензию',
  'cluster.self': 'этот сервер',
  'cluster.state.working': 'Работает',
  'cluster.state.draining': 'Выводится',
  'cluster.state.drained': 'Выведен',
  'cluster.state.away': 'Недоступен',
  'cluster.streams': 'Потоки',
  'cluster.streams.count': '{count, plural, one {# поток} few {# потока} many {# потоков} other {# потока}}',
  'cluster.streams.ofCapacity': '{streams} из {capacity} возможных',
  'cluster.streams.active': '{all}, в работе {active}',
  'cluster.lastSeen': 'Последний раз на связи',
  'cluster.version': 'Версия',
  'cluster.id': 'Идентификатор',
  'cluster.name': 'Название',
  'cluster.rename': 'Переименовать',
  'cluster.rename.title': 'Переименовать {name}',
  'cluster.drain': 'Вывести {name}',
  'cluster.drain.title': 'Вывести {name} из работы?',
  'cluster.drain.stops':
    '{count, plural, =0 {Заменить узел некому. Пока он не вернётся, здесь ничего не записывается и не показывается в эфире.} one {Принять # поток некому: пока узел не вернётся, его не будет ни в записи, ни в эфире. Архив сохранится.} few {Принять # потока некому: пока узел не вернётся, их не будет ни в записи, ни в эфире. Архив сохранится.} many {Принять # потоков некому: пока узел не вернётся, их не будет ни в записи, ни в эфире. Архив сохранится.} other {Принять # потока некому: пока узел не вернётся, их не будет ни в записи, ни в эфире. Архив сохранится.}}',
  'cluster.drain.moves':
    '{count, plural, =0 {Пока узел не вернётся, потоков он не получит.} one {# поток продолжит работу на другом узле; новых этот узел не получит, пока не вернётся.} few {# потока продолжат работу на других узлах; новых этот узел не получит, пока не вернётся.} many {# потоков продолжат работу на других узлах; новых этот узел не получит, пока не вернётся.} other {# потока продолжат работу на других узлах; новых этот узел не получит, пока не вернётся.}}',
  'cluster.draining': 'Осталось остановить потоков: {left} из {total}.',
  'cluster.drained.stopped':
    'Пока узел не вернётся, на нём нет ни записи, ни эфира: другие узлы его не заменили.',
  'cluster.drained.moved': 'Его потоки работают на других узлах. Новых он не получит, пока не вернётся.',
  'cluster.drained.title': 'Этот узел выведен из работы',
  'cluster.drained.text':
    'Пока он не вернётся, нет ни записи, ни эфира. Чтобы вернуть его, лицензия не нужна.',
  'cluster.return': 'Вернуть {name} в работу',
  'cluster.returned': 'Узел {name} снова в работе',
  'cluster.forget': 'Удалить {name}',
  'cluster.forgotten': 'Узел {name} удалён',
  'cluster.invite.heading': 'Ещё один сервер',
  'cluster.invite.add': 'Создать код',
  'cluster.invite.text':
    'Код позволяет одному серверу присоединиться к кластеру. Он одноразовый и действует 15 минут. Введите его на новом сервере; папка данных там должна быть пустой.',
  'cluster.invite.needsDatabase':
    'Кластеру нужна база PostgreSQL, доступная всем узлам. Укажите её в конфигурации как database.',
  'cluster.invite.name': 'Имя нового узла',
  'cluster.invite.name.wrong': 'Буквы латиницы, цифры, точки, дефисы и подчёркивания, не больше 64.',
  'cluster.invite.once': 'Выполните это на новом сервере до {time}. Больше эта команда не покажется.',
  'cluster.invite.command': 'Команда для нового сервера',
  'cluster.invite.until': 'Код действует до {time}, создал: {by}',
  'cluster.invite.byOperator': 'оператор',
  'cluster.invite.withdraw': 'Отозвать',
  'cluster.invite.withdrawn': 'Код отозван',
  'cluster.invite.failed': 'Не удалось создать или отозвать код',
  'cluster.failed': 'Не удалось изменить узел',
};
