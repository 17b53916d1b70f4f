import type { ProblemKind } from './problem-kind.js';

/** Problems of exchanging tokens of identity providers. */
export const OIDC_PROBLEMS = {
  oidc_issuer_unknown: {
    status: 401,
    title: 'Issuer not trusted',
    meaning: 'No trust rule names the issuer of the token.',
    advice: 'Have an admin add a trust rule; its issuer is written as `iss` in the token.',
  },
  oidc_signature_invalid: {
    status: 401,
    title: 'Signature not valid',
    meaning: 'The token is not signed by a key that its issuer publishes, or in a way that is not accepted.',
    advice: 'Send the token as the provider gave it. Where the issuer has just changed its keys, try again in 5 s.',
  },
  oidc_token_expired: {
    status: 401,
    title: 'Token expired',
    meaning: 'The token of the identity provider has expired, or was issued more than an hour ago.',
    advice: 'Have the provider issue a new one right before the exchange.',
  },
  oidc_token_not_yet_valid: {
    status: 401,
    title: 'Token not valid yet',
    meaning: 'The token of the identity provider is valid from a later time on.',
    advice: 'Check the clocks of the issuer and of the service.',
  },
  oidc_claims_invalid: {
    status: 401,
    title: 'Claims not usable',
    meaning: 'The token lacks `exp`, `iat`, `sub` or `aud`, or they can not be used.',
    advice: 'Use an ID token as the provider makes them for jobs.',
  },
  oidc_subject_unknown: {
    status: 401,
    title: 'Subject not trusted',
    meaning: 'No trust rule fits the subject of the token.',
    advice: 'Have an admin add a trust rule for the subject that `detail` names.',
  },
  oidc_audience_wrong: {
    status: 401,
    title: 'Wrong audience',
    meaning: 'A trust rule fits the subject of the token, but asks for another audience.',
    advice: 'Have the provider issue a token for the audience of the rule.',
  },
  oidc_member_disabled: {
    status: 401,
    title: 'Member disabled',
    meaning: 'The member as whom the token would act is disabled.',
    advice: 'Have an admin enable it, or change the trust rule.',
  },
  oidc_several_rules: {
    status: 409,
    title: 'Several rules fit',
    meaning: 'Several trust rules of the tenant fit the token.',
    advice: 'Make one of them narrower, or disable it.',
  },
  too_many_trust_rules: {
    status: 409,
    title: 'Too many trust rules',
    meaning: 'The tenant has as many trust rules as it may have.',
    advice: 'Delete some first; one rule may cover several subjects by a pattern.',
  },
  oidc_issuer_unreachable: {
    status: 503,
    title: 'Issuer unreachable',
    meaning: 'The issuer of the token could not be asked for its keys.',
    advice: 'Try again after as many seconds as `Retry-After` says; `detail` tells what went wrong.',
  },
} as const satisfies Record<string, ProblemKind>;
