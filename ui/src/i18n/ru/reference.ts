import type { reference as english } from '../en/reference.ts';

/** The API documentation, in Russian. */
export const reference: Record<keyof typeof english, string> = {
  'swagger.intro':
    'Все вызовы API этого сервера. Создайте токен в профиле и передавайте его: «Authorization: Bearer …».',
  'swagger.search': 'Искать по имени, адресу, описанию',
  'swagger.nothing': 'Нет вызова со всеми этими словами.',
  'swagger.download': 'Документ OpenAPI',
  'swagger.parameters': 'Параметры',
  'swagger.body': 'Тело запроса',
  'swagger.answer': 'Ответ',
  'swagger.errors': 'Ошибки',
  'swagger.required': 'обязательно',
  'swagger.example': 'Пример',
  'swagger.try': 'Проверить',
  'swagger.send': 'Отправить',
};
