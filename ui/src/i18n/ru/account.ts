import type { account as english } from '../en/account.ts';

/** Sign-in, password recovery and first setup, in Russian. */
export const account: Record<keyof typeof english, string> = {
  'language.en': 'English',
  'language.ru': 'Русский',

  'account.language': 'Язык',
  'account.login': 'Логин или почта',
  'account.newLogin': 'Логин',
  'account.login.missing': 'Придумайте логин',
  'account.login.invalid': 'До 64 латинских букв, цифр и знаков . _ - @',
  'account.email': 'Почта',
  'account.email.invalid': 'Это не похоже на адрес почты',
  'account.fullName': 'Полное имя',
  'account.password': 'Пароль',
  'account.password.missing': 'Придумайте пароль',
  'account.password.rules': 'От 8 до 128 знаков; расхожие пароли не подойдут',
  'account.oldPassword': 'Старый пароль',
  'account.newPassword': 'Новый пароль',
  'account.showPassword': 'Показать или скрыть пароль',
  'account.proof.title': 'Введите пароль',
  'account.proof.text': 'Вы вошли довольно давно. Введите пароль, чтобы подтвердить, что это вы.',
  'account.proof.wrong': 'Неверный пароль.',
  'account.proof.submit': 'Подтвердить',
  'account.keepTokens': 'Оставить токены API',

  'auth.title': 'Вход',
  'auth.submit': 'Войти',
  'auth.recover': 'Забыли пароль?',
  'auth.recovered': 'Пароль изменён',
  'auth.expired': 'Сеанс завершён. Войдите, чтобы продолжить с того же места.',

  'recover.text': 'Мы отправим на вашу почту код, с которым можно задать новый пароль.',
  'recover.off': 'Этот сервер не отправляет почту. Попросите новый пароль у администратора.',
  'recover.send': 'Отправить код',
  'recover.sendAgain': 'Отправить ещё раз',
  'recover.wait': 'Отправить ещё раз через {time}',
  'recover.sent': 'Код отправлен на {email}',
  'recover.unknown': 'Пользователь с почтой {email} не найден',
  'recover.code': 'Код из письма',
  'recover.submit': 'Сменить пароль',
  'recover.back': 'Вернуться ко входу',

  'init.title': 'Добро пожаловать',
  'init.text': 'Для начала создайте учётную запись администратора. Остальное можно настроить позже.',
  'init.code': 'Код настройки',
  'init.code.help':
    'Сервер вывел его при запуске в консоль или журнал после слов «Set-up code:». Код подтверждает, что сервер ваш.',
  'init.code.missing': 'Введите код из консоли сервера',
  'init.email.help': 'Необязательно. Нужна только для восстановления пароля.',
  'init.notAllowed.title': 'Сервер потерял свою базу данных',
  'init.notAllowed.text':
    'Учётных записей на нём нет, но в архиве есть записи. Чтобы ими не завладел посторонний, настроить сервер можно только после разрешения в его консоли.',
  'init.notAllowed.restore':
    'Чтобы вернуть потоки и учётные записи, остановите сервер и восстановите резервную копию:',
  'init.notAllowed.allow': 'Чтобы настроить сервер заново и сохранить имеющиеся записи, выполните на нём:',
  'init.notAllowed.again': 'Проверить снова',
  'init.submit': 'Создать учётную запись',
};
