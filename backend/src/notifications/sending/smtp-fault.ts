import { toOneLine } from '../messages/plain-text.js';
import type { SendFault, SendFaultCode } from './send-result.js';

export interface SmtpError {
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
  responseCode?: number;
  timeoutType?: string;
  message: string;
}

const TLS = /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$)/;
const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'ENETDOWN',
]);
const OPERATOR_PREFIX = 'For the operator of this installation:';

export function smtpFault(error: SmtpError, server: string): SendFault {
  const { code = '', originalCode = code, command = '', responseCode = 0 } = error;
  const permanent = responseCode >= 500 && responseCode !== 503;
  const said = error.response ? ` It said: ${toOneLine(error.response, 300)}` : '';
  const fault = (name: SendFaultCode, text: string, isPermanent = permanent): SendFault => ({
    code: name,
    text: `${text}${said}`,
    permanent: isPermanent,
  });
  if (code === 'EDNS')
    return fault(
      'host_not_found',
      `The mail server ${server} was not found. ${OPERATOR_PREFIX} check the host in RUNWARD_SMTP_URL.`,
    );
  if (UNREACHABLE_CODES.has(originalCode))
    return fault(
      'connection_refused',
      `The mail server ${server} does not accept connections (${originalCode}). ${OPERATOR_PREFIX} check host and port in RUNWARD_SMTP_URL.`,
    );
  if (code === 'ETIMEDOUT' || code === 'EABORT' || originalCode === 'ETIMEDOUT')
    return fault('timed_out', `The mail server ${server} did not answer in time.`);
  if (TLS.test(originalCode) || code === 'ETLS')
    return fault(
      'tls_failed',
      `TLS with the mail server ${server} failed${TLS.test(originalCode) ? ` (${originalCode})` : ': the server does not offer it, or ended the connection'}. ${OPERATOR_PREFIX} a private certificate authority needs RUNWARD_SMTP_CA_FILE, a server on this machine without TLS needs ?starttls=off.`,
    );
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return fault(
      'login_refused',
      `The mail server ${server} refused the login. ${OPERATOR_PREFIX} check user and password in RUNWARD_SMTP_URL.`,
    );
  if (command === 'MAIL FROM')
    return fault(
      'sender_refused',
      `The mail server ${server} refused the sender. ${OPERATOR_PREFIX} check whether that login may send as the address in RUNWARD_SMTP_FROM.`,
    );
  if (command === 'RCPT TO') return fault('recipient_refused', `The mail server ${server} refused every recipient.`);
  if (code === 'EMESSAGE' || code === 'EENVELOPE')
    return fault('message_refused', `The mail server ${server} refused the message.`);
  if (code === 'ECONNECTION' || code === 'ESOCKET')
    return fault('connection_lost', `The connection to the mail server ${server} was lost.`);
  return fault('failed', `The mail server ${server} did not accept the message (${toOneLine(error.message, 200)}).`);
}
