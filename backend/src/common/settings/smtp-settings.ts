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

const SMTP_URL_VARIABLE = 'RUNWARD_SMTP_URL';
const SMTP_FROM_VARIABLE = 'RUNWARD_SMTP_FROM';
const SMTP_URL_EXAMPLES =
  'smtp://mail.example.org:587, smtps://user:password@mail.example.org or smtp://localhost:25?starttls=off';
/** Syntax that is safe in SMTP commands: no spaces, quotes, brackets or control characters. */
const MAIL_ADDRESS_PATTERN = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,252}[\p{L}\p{N}])?$/u;

export const isMailAddress = (text: string): boolean => text.length <= 254 && MAIL_ADDRESS_PATTERN.test(text);

/**
 * Returns the mail server; undefined = the installation sends no mail.
 * @param caFile absolute path
 */
export function readSmtpSettings(read: EnvReader, caFile: string | undefined): SmtpSettings | undefined {
  const url = read.readText(SMTP_URL_VARIABLE);
  const senderText = read.readText(SMTP_FROM_VARIABLE);
  if (url === undefined) {
    if (senderText !== undefined)
      read.addFault(`${SMTP_FROM_VARIABLE} is set without ${SMTP_URL_VARIABLE}, the server that sends the mail.`);
    return undefined;
  }
  const server = parseSmtpUrl(url);
  // The value may contain a password, so the fault does not quote it.
  if (typeof server === 'string') read.addFault(`${SMTP_URL_VARIABLE} ${server} It looks like ${SMTP_URL_EXAMPLES}.`);
  const from = senderText === undefined ? null : parseSender(senderText);
  if (senderText === undefined)
    read.addFault(`${SMTP_URL_VARIABLE} is set without ${SMTP_FROM_VARIABLE}, the sender of the mail.`);
  else if (from === null)
    read.addFault(`${SMTP_FROM_VARIABLE}: "${senderText}" is not an address like Runward <runward@example.org>.`);
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
