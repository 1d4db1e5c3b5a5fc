/** Sign-in, password recovery and first setup. */
export const account = {
  'language.en': 'English',
  'language.ru': 'Русский',

  'account.language': 'Language',
  'account.login': 'Login or e-mail',
  'account.newLogin': 'Login',
  'account.login.missing': 'Choose a login',
  'account.login.invalid': 'Use up to 64 letters, digits and . _ - @',
  'account.email': 'E-mail',
  'account.email.invalid': 'This is not an e-mail address',
  'account.fullName': 'Full name',
  'account.password': 'Password',
  'account.password.missing': 'Choose a password',
  'account.password.rules': '8 to 128 characters; common passwords are refused',
  'account.oldPassword': 'Old password',
  'account.newPassword': 'New password',
  'account.showPassword': 'Show or hide the password',
  'account.proof.title': 'Enter your password',
  'account.proof.text':
    'It has been a while since you signed in. Enter your password to confirm your identity.',
  'account.proof.wrong': 'Wrong password.',
  'account.proof.submit': 'Confirm',
  'account.keepTokens': 'Keep API tokens valid',

  'auth.title': 'Sign in',
  'auth.submit': 'Sign in',
  'auth.recover': 'Forgot your password?',
  'auth.recovered': 'Password has been changed',
  'auth.expired': 'Your session has ended. Sign in to continue where you left off.',

  'recover.text': 'We will e-mail you a code that lets you set a new password.',
  'recover.off': 'This server cannot send e-mail. Ask an administrator for a new password.',
  'recover.send': 'Send the code',
  'recover.sendAgain': 'Send another code',
  'recover.wait': 'Send another code in {time}',
  'recover.sent': 'Code has been sent to {email}',
  'recover.unknown': 'User with email {email} has not found',
  'recover.code': 'Code from the e-mail',
  'recover.submit': 'Change the password',
  'recover.back': 'Back to sign-in',

  'init.title': 'Welcome',
  'init.text': 'Create the administrator account to get started. You can set up everything else later.',
  'init.code': 'Set-up code',
  'init.code.help':
    'The server printed this code to its console or log when it started, after “Set-up code:”. It proves that the server is yours.',
  'init.code.missing': 'Enter the code from the server’s console',
  'init.email.help': 'Optional. Used only to recover the password.',
  'init.notAllowed.title': 'This server lost its database',
  'init.notAllowed.text':
    'The server has no accounts, but its archive contains recordings. To protect them, the server can be set up only after this is allowed on its console.',
  'init.notAllowed.restore': 'To recover streams and accounts, stop the server and restore a backup:',
  'init.notAllowed.allow':
    'To set up the server again and keep the existing recordings, run this command on it:',
  'init.notAllowed.again': 'Check again',
  'init.submit': 'Create the account',
};
