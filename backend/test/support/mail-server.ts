import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Authenticated user; undefined: none. */
  user: string | undefined;
  secure: boolean;
  /** By lower-case name, unfolded and decoded. */
  headers: Record<string, string>;
  text: string;
  html: string;
  raw: string;
}

export interface MailServer {
  port: number;
  mails: ReceivedMail[];
  close(): Promise<void>;
}

/** SMTP server on loopback. It refuses senders and recipients whose names begin with `refused`, `later` or `full`. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    onMailFrom: ({ address }, _, done) => done(answerToRecipient(address)),
    onRcptTo: ({ address }, _, done) => done(answerToRecipient(address)),
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const raw = Buffer.concat(parts).toString('latin1');
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user as string | undefined,
          secure: session.secure,
          ...contentOf(raw),
          raw,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function answerToRecipient(address: string): Error | null {
  const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });
  if (address.startsWith('refused')) return refusal(550, 'No such mailbox here');
  if (address.startsWith('later')) return refusal(451, 'Try again later');
  return null;
}

function contentOf(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = splitMail(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  const parts = boundary ? body.split(`--${boundary}`).map((part) => splitMail(part.replace(/^\r\n/, ''))) : [];
  const of = (type: string) => parts.find(({ headers: own }) => own['content-type']?.startsWith(type));
  return { headers, text: decoded(of('text/plain')), html: decoded(of('text/html')) };
}

function splitMail(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const headers = head.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), words(line.slice(colon + 1).trim())];
  });
  return { headers: Object.fromEntries(headers), body: raw.slice(end + 4) };
}

const quoted = (text: string): string =>
  Buffer.from(
    text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();

/** Encoded words of RFC 2047. */
const words = (text: string): string =>
  text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : quoted(word.replaceAll('_', ' ')),
    );

function decoded(part: { headers: Record<string, string>; body: string } | undefined): string {
  if (!part) return '';
  const encoding = part.headers['content-transfer-encoding'] ?? '';
  if (encoding === 'base64') return Buffer.from(part.body, 'base64').toString();
  return (encoding === 'quoted-printable' ? quoted(part.body) : part.body).replaceAll('\r\n', '\n');
}
