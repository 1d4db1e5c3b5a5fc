import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue, isErrorCode, messageOf, type ErrorCode } from './errors.ts';

/** Section 8 of the specification, word for word. */
const specified: Record<string, string> = {
  ACCESS_DENIED_ERR: 'Access denied.',
  Unavailable: 'Unavailable.',
  Forbidden: "You don't have access.",
  InternalServerError: 'Internal server error.',
  SERVER_UNKNOWN_ERR: 'Something went wrong.',
  ValidationError: 'Validation error.',
  NotFound: 'Not found.',
  SERVER_NOT_RESPONSE_ERR: 'Server is not responding.',
  IncorrectLicense: 'License is incorrect.',
  LicenseExpired: 'License is missing or expired.',
  EnterpriseOnly: 'Enterprise only.',
  AuthorizationRequired: 'You are not authorized.',
  RequestDecodeError: 'Request decode error.',
  ResponseEncodeError: 'Response encode error.',
  TimeRangeIsTooLong: 'Time range is too long.',
  AuthorizationFailed: 'Incorrect login or password.',
  PasswordIsNotComplexEnough: 'Password is not complex enough.',
  InvalidOldPassword: 'Invalid old password.',
  OldPasswordAndNewPasswordCannotBeSame: 'Old password and new password cannot be same.',
  QuotaReached: 'Quota is reached.',
  FeatureNotFound: "The feature didn't find in the license.",
  AlreadyUsed: 'Already used.',
};

const namedOnly = [
  'ProbeError',
  'AuditLogsDisabled',
  'BadRequest',
  'ActionNotAcceptable',
  'LifetimeCodeRequired',
  'TooManyRequests',
  'SetupNotAllowed',
  'UnknownLifetimeCode',
  'EHOSTUNREACH',
  'HTTP_NOT_FOUND',
  'HTTP_UNAUTHORIZED',
  'CREDENTIALS_ERR',
  'STREAM_SOURCE_ERR',
  'STREAM_NAME_ERR',
  'ARCHIVE_DEPTH_ERR',
  'CLUSTER_NODE_ERR',
];

/** Codes that the specification does not mention. */
const ours = [
  'FootageHeld',
  'MethodNotAllowed',
  'PasswordRequired',
  'FarArchiveUnavailable',
  'FarArchiveRefused',
  'FarArchiveForeign',
  'ServerOverloaded',
  'FarArchiveDamaged',
  'NO_VIDEO_ERR',
];

test('[R8.1] the catalogue is the specification’s, word for word', () => {
  for (const [code, words] of Object.entries(specified))
    assert.equal(messageOf(code as ErrorCode, 'en'), words);
  assert.deepEqual(Object.keys(catalogue).sort(), [...Object.keys(specified), ...namedOnly, ...ours].sort());
});

test('[R8.1] every code has a text in both languages and an error status', () => {
  for (const [code, entry] of Object.entries(catalogue)) {
    assert.match(entry.en, /[.]$/, code);
    assert.match(entry.ru, /^[А-ЯЁ].*[.]$/, code);
    assert.ok(entry.status >= 400 && entry.status < 600, code);
  }
});

test('[R8.11] an error of a camera is never taken for one of the reader’s session or address', () => {
  for (const code of ['HTTP_NOT_FOUND', 'HTTP_UNAUTHORIZED', 'EHOSTUNREACH', 'ProbeError'] as const) {
    assert.ok(![401, 404, 423].includes(catalogue[code].status), code);
  }
});

test('only own members of the catalogue are codes', () => {
  assert.equal(isErrorCode('NotFound'), true);
  for (const other of ['toString', '__proto__', 'nothing', 7, null]) assert.equal(isErrorCode(other), false);
});
