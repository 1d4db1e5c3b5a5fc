/** Signing in, first set-up, profile, sessions and tokens. */
export const account = {
  'auth.title': 'Sign in',
  'auth.login': 'Login or e-mail',
  'auth.password': 'Password',
  'auth.submit': 'Sign in',
  'auth.recover': 'Forgot the password?',
  'auth.recovered': 'Password has been changed',
  'auth.expired': 'Your session has ended. Sign in again to go on where you were.',
  'auth.failed': 'Signing in failed',
};
