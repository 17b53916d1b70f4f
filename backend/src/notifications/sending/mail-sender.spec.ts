import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../../test/support/free-port.js';
import { type MailServer, startMailServer } from '../../../test/support/mail-server.js';
import { selfSignedCertificate } from '../../../test/support/self-signed.js';
import type { Runtime } from '../../common/settings/runtime.js';
import { readSettings } from '../../common/settings/settings.js';
import { type Mail, MailSender } from './mail-sender.js';

const certificate = selfSignedCertificate('localhost');
let folder: string;
let caFile: string;
let plain: MailServer;
let secured: MailServer;
let silent: Server;
let silentPort: number;

const mail = (more: Partial<Mail> = {}): Mail => ({
  id: '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79',
  thread: 'run-1',
  to: ['ada@example.org'],
  subject: 'Grüße 😀',
  text: 'Hello\n.\nworld',
  html: '<p>Hello</p>',
  ...more,
});
const senderOf = (url: string, more: NodeJS.ProcessEnv = {}) =>
  new MailSender({
    settings: readSettings({ RUNWARD_SMTP_URL: url, RUNWARD_SMTP_FROM: 'Runward <runward@example.org>', ...more }),
  } as Runtime);
const faultOf = async (url: string, more: Partial<Mail> = {}, settings: NodeJS.ProcessEnv = {}, withinMs?: number) => {
  const { fault } = await senderOf(url, settings).send(mail(more), withinMs);
  return fault && { code: fault.code, permanent: fault.permanent, text: fault.text };
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-mail-'));
  caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, certificate.cert);
  plain = await startMailServer();
  secured = await startMailServer({
    ...certificate,
    authOptional: false,
    onAuth: ({ username, password }, _, done) =>
      username === 'runward' && password === 'p%t @:'
        ? done(null, { user: username })
        : done(new Error('Invalid username or password')),
  });
  silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  silentPort = (silent.address() as AddressInfo).port;
});
afterAll(async () => {
  await plain.close();
  await secured.close();
  silent.close();
  await rm(folder, { recursive: true, force: true });
});

describe('mail', () => {
  it('is sent in any alphabet, with the same id each time, and headers that suppress automatic replies', async () => {
    const sender = senderOf(`smtp://127.0.0.1:${plain.port}?starttls=off`);
    for (const _ of [1, 2]) expect(await sender.send(mail())).toEqual({ reached: ['ada@example.org'], fault: null });
    const [first, second] = plain.mails;
    expect(first?.headers).toMatchObject({
      from: 'Runward <runward@example.org>',
      to: 'ada@example.org',
      subject: 'Grüße 😀',
      'message-id': '<01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79@example.org>',
      references: '<run-1@example.org>',
      'auto-submitted': 'auto-generated',
    });
    expect(second?.headers['message-id']).toBe(first?.headers['message-id']);
    expect(first?.text.trim()).toBe('Hello\n.\nworld');
    expect(first?.html.trim()).toBe('<p>Hello</p>');
  });

  it('takes no header from a subject, and hides recipients from one another', async () => {
    const to = ['ada@example.org', 'grace@example.org'];
    await senderOf(`smtp://127.0.0.1:${plain.port}?starttls=off`).send(
      mail({ subject: 'x\r\nBcc: all@example.org\r\n\r\nbody', to }),
    );
    const taken = plain.mails.at(-1);
    expect(taken?.headers.bcc).toBeUndefined();
    expect(taken?.to).toEqual(to);
    expect(taken?.raw).not.toContain('grace@example.org');
    expect(taken?.headers.to).toBe('"undisclosed-recipients":;');
  });

  it('uses STARTTLS and a login, with a certificate that the installation trusts', async () => {
    const url = `smtp://runward:${encodeURIComponent('p%t @:')}@localhost:${secured.port}`;
    expect(await faultOf(url, {}, { RUNWARD_SMTP_CA_FILE: caFile })).toBeNull();
    expect(secured.mails.at(-1)).toMatchObject({ user: 'runward', secure: true });
  });

  it('reaches the recipients that the server accepts, and names those it refused', async () => {
    const to = ['ada@example.org', 'refused@example.org'];
    const { reached, fault } = await senderOf(`smtp://127.0.0.1:${plain.port}?starttls=off`).send(mail({ to }));
    expect(reached).toEqual(['ada@example.org']);
    expect(fault).toMatchObject({ code: 'recipient_refused', permanent: true });
    expect(fault?.text).toContain('refused@example.org');
    expect(fault?.text).toContain('No such mailbox here');
  });
});

describe('errors of sending mail are distinguished:', () => {
  it('no server', async () => {
    const none = new MailSender({ settings: readSettings({}) } as Runtime);
    const { fault } = await none.send(mail());
    expect(fault).toMatchObject({ code: 'not_configured', permanent: true });
    expect(fault?.text).toContain('RUNWARD_SMTP_URL');
  });

  it('an unknown host name', async () => {
    expect(await faultOf('smtp://mail.invalid')).toMatchObject({ code: 'host_not_found', permanent: false });
  });

  it('a port without a server', async () => {
    expect(await faultOf(`smtp://127.0.0.1:${await freePort()}`)).toMatchObject({
      code: 'connection_refused',
      permanent: false,
    });
  });

  it('an untrusted certificate, and a server without TLS', async () => {
    const url = `smtp://runward:x@localhost:${secured.port}`;
    expect(await faultOf(url)).toMatchObject({
      code: 'tls_failed',
      text: expect.stringContaining('RUNWARD_SMTP_CA_FILE'),
    });
    expect(await faultOf(`smtp://127.0.0.1:${plain.port}`)).toMatchObject({ code: 'tls_failed' });
    expect(await faultOf(`smtps://127.0.0.1:${plain.port}`)).toMatchObject({ code: 'tls_failed' });
  });

  it('a refused login, which is not retried and not quoted', async () => {
    const fault = await faultOf(
      `smtp://runward:s3cret@localhost:${secured.port}`,
      {},
      { RUNWARD_SMTP_CA_FILE: caFile },
    );
    expect(fault).toMatchObject({ code: 'login_refused', permanent: true });
    expect(fault?.text).not.toContain('s3cret');
  });

  it('a sender or recipient that the server refuses permanently or temporarily', async () => {
    const url = `smtp://127.0.0.1:${plain.port}?starttls=off`;
    expect(await faultOf(url, {}, { RUNWARD_SMTP_FROM: 'refused@example.org' })).toMatchObject({
      code: 'sender_refused',
      permanent: true,
      text: expect.stringContaining('RUNWARD_SMTP_FROM'),
    });
    expect(await faultOf(url, { to: ['refused@example.org'] })).toMatchObject({
      code: 'recipient_refused',
      permanent: true,
    });
    expect(await faultOf(url, { to: ['later@example.org'] })).toMatchObject({
      code: 'recipient_refused',
      permanent: false,
    });
  });

  it('a server that does not answer', async () => {
    expect(await faultOf(`smtp://127.0.0.1:${silentPort}`, {}, {}, 500)).toMatchObject({
      code: 'timed_out',
      permanent: false,
    });
  });
});
