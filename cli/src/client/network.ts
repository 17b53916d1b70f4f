import { EXIT } from '../terminal/exit-codes.ts';
import { Failure, createFailure } from '../terminal/failure.ts';

/** Errors that a further attempt does not change, because of the certificate or the address. */
const LASTING_ERROR_REASONS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by an authority that this machine trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by an authority that this machine trusts',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by an authority that this machine trusts',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by an authority that this machine trusts',
  EPROTO: 'it does not use TLS on this port: use http:// instead of https://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS on this port: use http:// instead of https://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not use TLS on this port: use http:// instead of https://',
};
const TRANSIENT_ERROR_REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it cut the connection',
  EPIPE: 'it cut the connection',
  UND_ERR_SOCKET: 'it cut the connection',
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'it does not answer',
  UND_ERR_BODY_TIMEOUT: 'it does not answer',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'no way leads there',
};

export interface NetworkFailure {
  /** Clause about the service, such as "it refused the connection". */
  reason: string;
  /** Whether a further attempt would fail in the same way. */
  isLasting: boolean;
}

/** @param error thrown by `fetch` or while its response was read */
export function toNetworkFailure(error: unknown): NetworkFailure {
  if (error instanceof DOMException) return { reason: 'it does not answer', isLasting: false };
  const code = readErrorCode(error);
  const lasting = LASTING_ERROR_REASONS[code];
  if (lasting !== undefined) return { reason: lasting, isLasting: true };
  return { reason: TRANSIENT_ERROR_REASONS[code] ?? 'the connection failed', isLasting: false };
}

function readErrorCode(error: unknown): string {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code) return code;
    const [first] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [];
    if (first instanceof Error && (first as NodeJS.ErrnoException).code)
      return (first as NodeJS.ErrnoException).code ?? '';
  }
  return '';
}

export const unreachableFailure = (origin: string, reason: string, advice: readonly string[] = []): Failure =>
  createFailure(
    'service_unreachable',
    'The service could not be reached',
    `The service at ${origin} could not be reached: ${reason}.`,
    EXIT.unreachable,
    advice.length > 0
      ? advice
      : reason.includes('trusts')
        ? ['Set NODE_EXTRA_CA_CERTS=file.pem to the certificate of its authority.']
        : [],
  );
