import type { ProblemKind } from './problem-kind.js';

export const OIDC_PROBLEMS = {
  oidc_issuer_unknown: {
    status: 401,
    title: 'Issuer not trusted',
    meaning: 'No trust rule has the issuer of the token.',
    advice: 'Ask an admin to add a trust rule whose issuer equals `iss` of the token.',
  },
  oidc_signature_invalid: {
    status: 401,
    title: 'Invalid signature',
    meaning: 'The token is not signed with a key that its issuer publishes, or its algorithm is not accepted.',
    advice: 'Send the token unchanged. If the issuer has just changed its keys, try again in 5 s.',
  },
  oidc_token_expired: {
    status: 401,
    title: 'Token expired',
    meaning: 'The identity token has expired, or was issued more than an hour ago.',
    advice: 'Request a new token from the provider right before the exchange.',
  },
  oidc_token_not_yet_valid: {
    status: 401,
    title: 'Token not valid yet',
    meaning: 'The identity token is not valid yet.',
    advice: 'Check the clocks of the issuer and of the Runward server.',
  },
  oidc_claims_invalid: {
    status: 401,
    title: 'Invalid claims',
    meaning: 'The claim `exp`, `iat`, `sub` or `aud` of the token is missing or invalid.',
    advice: 'Use the ID token that the provider issues for jobs.',
  },
  oidc_subject_unknown: {
    status: 401,
    title: 'Subject not trusted',
    meaning: 'No trust rule matches the subject of the token.',
    advice: 'Ask an admin to add a trust rule for the subject in `detail`.',
  },
  oidc_audience_wrong: {
    status: 401,
    title: 'Wrong audience',
    meaning: 'A trust rule matches the subject of the token, but requires another audience.',
    advice: 'Request a token with the audience of the rule.',
  },
  oidc_claim_mismatch: {
    status: 401,
    title: 'Claim not trusted',
    meaning: 'A trust rule matches subject and audience of the token, but not a further claim that it requires.',
    advice: 'Compare the claim in `detail` with `claims` of the rule.',
  },
  oidc_member_disabled: {
    status: 401,
    title: 'Member disabled',
    meaning: 'The member of the trust rule is disabled.',
    advice: 'Ask an admin to enable the member, or to change the trust rule.',
  },
  oidc_several_rules: {
    status: 409,
    title: 'Several rules match',
    meaning: 'Several trust rules of the tenant match the token.',
    advice: 'Narrow or disable one of them.',
  },
  too_many_trust_rules: {
    status: 409,
    title: 'Too many trust rules',
    meaning: 'The tenant has reached its limit of trust rules.',
    advice: 'Delete a rule first. One rule can match several subjects by a pattern.',
  },
  oidc_issuer_unreachable: {
    status: 503,
    title: 'Issuer unreachable',
    meaning: 'Runward could not fetch the keys of the issuer.',
    advice: 'Wait for the number of seconds in `Retry-After`, then try again. `detail` contains the error.',
  },
} as const satisfies Record<string, ProblemKind>;
