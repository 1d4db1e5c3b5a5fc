import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigFile } from '../config/schema.ts';
import { securityText } from './security-text.ts';

const nowMs = Date.UTC(2026, 10, 23, 12, 30);
const configured = (securityContact: string | null, publicUrl: string | null = null) =>
  ConfigFile.parse({ app: { securityContact }, publicUrl });

test('security.txt has a contact and an end of its validity, and with an address also links', () => {
  assert.equal(securityText(configured(null), nowMs), undefined);
  const contact = 'mailto:security@example.org';
  const short = `Contact: ${contact}\nExpires: 2026-12-23T00:00:00.000Z\n`;
  assert.equal(securityText(configured(contact), nowMs), short);
  assert.equal(securityText(configured(contact, 'http://video.example.org/'), nowMs), short);
  assert.equal(
    securityText(configured(contact, 'https://video.example.org/'), nowMs),
    `${short}Policy: https://video.example.org/ui/help/security.html\nCanonical: https://video.example.org/.well-known/security.txt\n`,
  );
});

test('a contact is one address, with https or mailto', () => {
  for (const good of ['https://example.org', 'https://example.org/security?a=b', 'mailto:a+b@example.org'])
    assert.equal(configured(good).app.securityContact, good);
  for (const bad of [
    '',
    'security@example.org',
    'http://example.org/',
    'https://',
    'https://user:secret@example.org/',
    'javascript:alert(1)',
    'mailto:a',
    'mailto:a@b?subject=x',
    'mailto:a@b\nPolicy: https://evil.example.org',
    `https://example.org/${'a'.repeat(500)}`,
  ])
    assert.throws(() => configured(bad), /securityContact/, bad);
});
