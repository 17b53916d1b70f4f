import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { Problem, invalidRequest, unauthorizedProblem } from '../../common/errors/problem.js';
import { IssuerUnreachable, type IssuerKeys } from './issuer-keys.js';

/** Only algorithms with public keys. A shared-secret algorithm would accept the issuer's public key as the secret. */
const SIGNATURE_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SKEW_SECONDS = 60;
/** Maximum age of a token at its exchange, in seconds, even if the token expires later. */
export const MAX_TOKEN_AGE_SECONDS = 3600;
export const MAX_SUBJECT_LENGTH = 500;
const PRINTABLE_PATTERN = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u;

export interface TokenIdentity {
  issuer: string;
  subject: string;
  audiences: readonly string[];
  /** All claims of the token. */
  claims: Readonly<Record<string, unknown>>;
  expiresAt: Date;
  /** ID of the token; null: none. */
  jti: string | null;
}

export interface UnverifiedClaims {
  issuer: string;
  kid: string | undefined;
}

/** @throws Problem 400 if the text is not a signed token */
export function parseUnverifiedClaims(token: string): UnverifiedClaims {
  try {
    const { kid } = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    if (typeof iss === 'string') return { issuer: iss, kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    // The error is thrown below.
  }
  throw invalidRequest([
    {
      path: '/token',
      code: 'not_a_jwt',
      message:
        'token must be a signed JWT with an issuer, from the identity provider of a job (GitHub Actions: ACTIONS_ID_TOKEN_REQUEST_URL, GitLab: id_tokens).',
    },
  ]);
}

/**
 * Verifies the token. Verifies the signature first, so a caller without a signed token learns nothing else.
 * @throws Problem 401 `oidc_signature_invalid`, `oidc_token_expired`, `oidc_token_not_yet_valid`,
 *   `oidc_claims_invalid`; 503 `oidc_issuer_unreachable`
 */
export async function verifyIdentityToken(
  token: string,
  { issuer, kid }: UnverifiedClaims,
  keys: IssuerKeys,
): Promise<TokenIdentity> {
  try {
    const set = await keys.findKeySet(issuer, kid);
    const { payload } = await jwtVerify(token, set, {
      algorithms: SIGNATURE_ALGORITHMS,
      issuer,
      clockTolerance: CLOCK_SKEW_SECONDS,
      maxTokenAge: MAX_TOKEN_AGE_SECONDS,
      requiredClaims: ['exp', 'iat', 'sub', 'aud'],
    });
    const { sub: subject, aud = [], exp = 0, jti } = payload;
    const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
    if (!audiences.every((each) => typeof each === 'string'))
      throw unauthorizedProblem('oidc_claims_invalid', 'The token\'s claim "aud" must be a text or a list of texts.');
    if (typeof subject !== 'string' || subject.length > MAX_SUBJECT_LENGTH || !PRINTABLE_PATTERN.test(subject))
      throw unauthorizedProblem('oidc_claims_invalid', 'The token has no subject ("sub") that a trust rule can match.');
    const tokenId = typeof jti === 'string' && jti.length <= 200 && PRINTABLE_PATTERN.test(jti) ? jti : null;
    return { issuer, subject, audiences, claims: payload, expiresAt: new Date(exp * 1000), jti: tokenId };
  } catch (error) {
    throw toTokenProblem(error);
  }
}

function toTokenProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof IssuerUnreachable) {
    const detail = `The keys of the token's issuer are not available. ${error.message} Try again shortly.`;
    return new Problem('oidc_issuer_unreachable', detail, { headers: { 'Retry-After': '5' } });
  }
  if (error instanceof errors.JWTExpired && error.claim === 'exp')
    return unauthorizedProblem(
      'oidc_token_expired',
      'The token has expired. Request a new one from the identity provider.',
    );
  if (error instanceof errors.JWTExpired)
    return unauthorizedProblem(
      'oidc_token_expired',
      `The token was issued more than ${MAX_TOKEN_AGE_SECONDS / 60} minutes ago. Request a new one from the identity provider.`,
    );
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'check_failed' && (error.claim === 'nbf' || error.claim === 'iat'))
      return unauthorizedProblem(
        'oidc_token_not_yet_valid',
        'The token is not valid yet: the clock of its issuer, or of this service, is wrong.',
      );
    return unauthorizedProblem('oidc_claims_invalid', `The token's claim "${error.claim}" is missing or invalid.`);
  }
  // If a published key is invalid, the library throws an error other than JOSEError.
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
    return unauthorizedProblem(
      'oidc_signature_invalid',
      'The token is not signed with a published key of its issuer and an accepted algorithm (RS, PS, ES, EdDSA). If the issuer just rotated its keys, try again in 5 s.',
    );
  return error;
}
