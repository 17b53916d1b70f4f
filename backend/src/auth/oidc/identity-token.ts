import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { Problem, invalidRequest, unauthorized } from '../../common/errors/problem.js';
import { IssuerUnreachable, type IssuerKeys } from './issuer-keys.js';

/** Signatures that are checked by a public key. None by a shared secret: an issuer's public key would be one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** What clocks may differ by, in seconds. */
const SKEW_SECONDS = 60;
/** A token is exchanged for so long after it was issued, in seconds, however long it lasts. */
export const MOST_AGE_SECONDS = 3600;
export const MOST_SUBJECT = 500;
/** Texts that a person can read. */
const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** What an identity provider says, by its own signature. */
export interface Identity {
  issuer: string;
  subject: string;
  audiences: readonly string[];
  expiresAt: Date;
  /** The token's own id; null: it has none. */
  jti: string | null;
}

/** What a token says of itself; nothing of it is proved. */
export interface Claimed {
  issuer: string;
  kid: string | undefined;
}

/** @throws Problem 400 for what is no signed token */
export function claimedBy(token: string): Claimed {
  try {
    const { kid } = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    if (typeof iss === 'string') return { issuer: iss, kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    // Told below.
  }
  throw invalidRequest([
    {
      path: '/token',
      code: 'not_a_jwt',
      message:
        'token must be a signed JWT with an issuer, as an identity provider gives to a job (GitHub Actions: ACTIONS_ID_TOKEN_REQUEST_URL, GitLab: id_tokens).',
    },
  ]);
}

/**
 * What the token proves. The signature is looked at first: who has no token that the issuer signed learns nothing but that.
 * @throws Problem 401 `oidc_signature_invalid`, `oidc_token_expired`, `oidc_token_not_yet_valid`, `oidc_claims_invalid`;
 *   503 `oidc_issuer_unreachable`
 */
export async function provedBy(token: string, { issuer, kid }: Claimed, keys: IssuerKeys): Promise<Identity> {
  try {
    const set = await keys.of(issuer, kid);
    const { payload } = await jwtVerify(token, set, {
      algorithms: ALGORITHMS,
      issuer,
      clockTolerance: SKEW_SECONDS,
      maxTokenAge: MOST_AGE_SECONDS,
      requiredClaims: ['exp', 'iat', 'sub', 'aud'],
    });
    const { sub: subject, aud = [], exp = 0, jti } = payload;
    const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
    if (!audiences.every((each) => typeof each === 'string'))
      throw unauthorized('oidc_claims_invalid', 'The token\'s claim "aud" must be a text or a list of texts.');
    if (typeof subject !== 'string' || subject.length > MOST_SUBJECT || !PRINTABLE.test(subject))
      throw unauthorized('oidc_claims_invalid', 'The token names no subject ("sub") that a trust rule could name.');
    const shown = typeof jti === 'string' && jti.length <= 200 && PRINTABLE.test(jti) ? jti : null;
    return { issuer, subject, audiences, expiresAt: new Date(exp * 1000), jti: shown };
  } catch (error) {
    throw told(error);
  }
}

function told(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof IssuerUnreachable) {
    const detail = `The issuer of the token could not be asked for its keys. ${error.message} Try again shortly.`;
    return new Problem('oidc_issuer_unreachable', detail, { headers: { 'Retry-After': '5' } });
  }
  if (error instanceof errors.JWTExpired && error.claim === 'exp')
    return unauthorized('oidc_token_expired', 'The token has expired. Have the identity provider issue a new one.');
  if (error instanceof errors.JWTExpired)
    return unauthorized(
      'oidc_token_expired',
      `The token was issued more than ${MOST_AGE_SECONDS / 60} minutes ago. Have the identity provider issue a new one.`,
    );
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'check_failed' && (error.claim === 'nbf' || error.claim === 'iat'))
      return unauthorized(
        'oidc_token_not_yet_valid',
        'The token is not valid yet: the clock of its issuer, or of this service, is wrong.',
      );
    return unauthorized('oidc_claims_invalid', `The token's claim "${error.claim}" is missing or can not be used.`);
  }
  // A published key that is none is no JOSEError.
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
    return unauthorized(
      'oidc_signature_invalid',
      'The token is not signed by a key that its issuer publishes, in a way that is accepted (RS, PS, ES, EdDSA). Where the issuer has just changed its keys, try again in 5 s.',
    );
  return error;
}
