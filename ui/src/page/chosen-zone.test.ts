import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownTimeZone } from '../i18n/i18n.ts';
import { chosenZone } from './chosen-zone.ts';

test('[R2.19] times are written by the clocks of the viewer, of the server, of the stream, or of a named zone', () => {
  assert.equal(chosenZone('viewer', 'Asia/Tokyo'), ownTimeZone());
  assert.equal(chosenZone('server', 'Asia/Tokyo'), 'Asia/Tokyo');
  assert.equal(chosenZone('Europe/Berlin', 'Asia/Tokyo'), 'Europe/Berlin');
  assert.equal(chosenZone('stream', 'Asia/Tokyo', 'Australia/Lord_Howe'), 'Australia/Lord_Howe');
  assert.equal(chosenZone('stream', 'Asia/Tokyo'), ownTimeZone());
});

test('without a zone of the server, and with one that the browser has never heard of, it is the viewer’s', () => {
  assert.equal(chosenZone('server', null), ownTimeZone());
  assert.equal(chosenZone('Mars/Olympus', null), ownTimeZone());
});
