import type { EnvReader } from './env-reader.js';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** True = TLS from the first byte (`smtps:`). False = STARTTLS as set by `startTls`. */
  readonly secure: boolean;
  /** `required`: no mail is sent without STARTTLS. `off`: STARTTLS is not used. Certificates are always verified. */
  readonly startTls: 'required' | 'off';
  readonly login: { readonly user: string; readonly password: string } | undefined;
  readonly from: MailSender;
  /** File with additional certificate authorities (PEM); undefined = none. */
  readonly caFile: string | undefined;
}

export interface MailSender {
  readonly name: string;
  readonly address: string;
}

const URL_NAME = 'RUNWARD_SMTP_URL';
const FROM_NAME = 'RUNWARD_SMTP_FROM';
const URL_FORM =
  'smtp://mail.example.org:587, smtps://user:password@mail.example.org or smtp://localhost:25?starttls=off';
/** Syntax that is safe in SMTP commands: no spaces, quotes, brackets or control characters. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,252}[\p{L}\p{N}])?$/u;

export const isMailAddress = (text: string): boolean => text.length <= 254 && ADDRESS.test(text);

/**
 * Returns the mail server; undefined = the installation sends no mail.
 * @param caFile absolute path
 */
export function readSmtp(read: EnvReader, caFile: string | undefined): SmtpSettings | undefined {
  const url = read.text(URL_NAME);
  const senderText = read.text(FROM_NAME);
  if (url === undefined) {
    if (senderText !== undefined)
      read.fault(`${FROM_NAME} is set without ${URL_NAME}, the server that sends the mail.`);
    return undefined;
  }
  const server = parseSmtpUrl(url);
  // The value may contain a password, so the fault does not quote it.
  if (typeof server === 'string') read.fault(`${URL_NAME} ${server} It looks like ${URL_FORM}.`);
  const from = senderText === undefined ? null : parseSender(senderText);
  if (senderText === undefined) read.fault(`${URL_NAME} is set without ${FROM_NAME}, the sender of the mail.`);
  else if (from === null)
    read.fault(`${FROM_NAME}: "${senderText}" is not an address like Runward <runward@example.org>.`);
  return typeof server === 'string' || from === null ? undefined : { ...server, from, caFile };
}

/** @returns a text that describes the fault if the URL is invalid */
function parseSmtpUrl(text: string): Omit<SmtpSettings, 'from' | 'caFile'> | string {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol)) return 'is not an address that begins with smtp:// or smtps://.';
  if (url.hostname === '') return 'has no host.';
  if (!['', '/'].includes(url.pathname) || url.hash !== '') return 'has text after the host and port.';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'smtps:';
  const options = [...url.searchParams];
  const [option] = options;
  if (options.length > 1 || (option && option[0] !== 'starttls')) return 'has an option other than starttls.';
  if (option && (secure || !['required', 'off'].includes(option[1])))
    return 'has an option starttls that is neither required nor off (not allowed with smtps://).';
  const startTls = option?.[1] === 'off' ? 'off' : 'required';
  if ((url.username === '') !== (url.password === ''))
    return 'has a user without a password, or a password without a user.';
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return {
      ...{ host, secure, startTls, port: url.port === '' ? (secure ? 465 : 587) : Number(url.port) },
      login: user === '' ? undefined : { user, password },
    };
  } catch {
    return 'has a user or password with a % that is not written as %25.';
  }
}

function parseSender(text: string): MailSender | null {
  const [, name = '', inBrackets] = /^(.*?)\s*<([^<>]*)>$/.exec(text.trim()) ?? [];
  const address = inBrackets ?? text.trim();
  if (!isMailAddress(address) || /[\p{Cc}<>]/u.test(name)) return null;
  return { name: name.replace(/^"(.*)"$/, '$1') || 'Runward', address };
}
