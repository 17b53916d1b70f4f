import { describe, expect, it } from '@jest/globals';
import { parseIdentification, isOtherProtocolGreeting, findServiceKind, toFailureReason } from './peer-texts.js';

describe('the text of a service', () => {
  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n', 'SSH-2.0-OpenSSH_9.6'],
    ['SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13 secret\r\n', 'SSH-2.0-OpenSSH_9.6p1'],
    ['Welcome\r\nSSH-1.99-Cisco-1.25\n', 'SSH-1.99-Cisco-1.25'],
    ['SSH-2.0-dropbear', null],
    ['SSH-2.0-\u001b[31mred\r\n', null],
    [`SSH-2.0-${'x'.repeat(41)}\r\n`, null],
    ['SSH-2.0-<b>\r\n', null],
    ['220 mail ESMTP SSH-2.0-none\r\n', null],
    ['', null],
  ])('names an SSH server only by its version and software: %j', (greeting, identification) => {
    expect(parseIdentification(greeting)).toBe(identification);
  });

  it.each([
    ['HTTP/1.1 200 OK\r\n\r\n{"token":"abc"}', 'a web server (HTTP)'],
    ['\x15\x03\x01\x00\x02\x02\x46', 'a service that speaks TLS'],
    ['220 internal.example.org ESMTP', 'a mail or FTP server'],
    ['-ERR unknown command abc', 'a Redis server'],
    ['J\x00\x00\x00\x0a8.0.36', null],
    ['secret', null],
  ])('is replaced by a fixed text: %j', (greeting, kind) => {
    expect(findServiceKind(greeting)).toBe(kind);
    expect(isOtherProtocolGreeting(greeting)).toBe(true);
  });

  it('gives no reason except its number', () => {
    const ended = (code: number) => toFailureReason(Object.assign(new Error('secret'), { code }));
    expect([2, 11, 99].map(ended)).toEqual([
      'it ended the connection: protocol error',
      'it ended the connection',
      'it ended the connection',
    ]);
  });

  it.each([
    ['Wrong signature type: secret, expected: ssh-ed25519', 'Wrong signature type'],
    ['Bad packet length: 1936024434', 'Bad packet length'],
    ['Received packet 115 instead of 31', 'Received packet'],
    ['Handshake failed: no matching C->S cipher', 'Handshake failed: no matching C->S cipher'],
    ['read ECONNRESET', 'read ECONNRESET'],
    ['secret', ''],
    ['Host keys of type secret are not supported', ''],
  ])("is removed from the library's message: %s", (message, reason) => {
    expect(toFailureReason(new Error(message))).toBe(reason);
  });
});
