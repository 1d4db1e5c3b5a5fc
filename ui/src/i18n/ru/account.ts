import type { account as english } from '../en/account.ts';

/** Вход, первая настройка, профиль, сеансы и токены. */
export const account: Record<keyof typeof english, string> = {
  'auth.title': 'Вход',
  'auth.login': 'Логин или почта',
  'auth.password': 'Пароль',
  'auth.submit': 'Войти',
  'auth.recover': 'Забыли пароль?',
  'auth.recovered': 'Пароль изменён',
  'auth.expired': 'Сеанс завершён. Войдите снова, чтобы продолжить с того же места.',
  'auth.failed': 'Войти не удалось',
};
