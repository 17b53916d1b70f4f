import type { CreateTrustRuleRequest, TokenAccess, TrustRule } from '../../api/types';

export interface RuleForm {
  name: string;
  issuer: string;
  audience: string;
  subject: string;
  /** Patterns of further claims, as `name=pattern`. */
  claims: string[];
  userId: string | null;
  access: TokenAccess;
  environmentIds: string[];
  planIds: string[];
  lifetimeMinutes: number | string;
}

const MAX_LIFETIME_MINUTES = 60;

export const formOf = (rule: TrustRule | null, audience: string): RuleForm => ({
  name: rule?.name ?? '',
  issuer: rule?.issuer ?? '',
  audience: rule?.audience ?? audience,
  subject: rule?.subject ?? '',
  claims: claimLines(rule?.claims ?? {}),
  userId: rule?.user.id ?? null,
  access: rule?.access ?? 'run',
  environmentIds: rule?.environmentIds ?? [],
  planIds: rule?.planIds ?? [],
  lifetimeMinutes: (rule?.tokenLifetimeSeconds ?? MAX_LIFETIME_MINUTES * 60) / 60,
});

export const claimLines = (claims: Readonly<Record<string, string>>): string[] =>
  Object.entries(claims).map(([name, pattern]) => `${name}=${pattern}`);

export const findClaimFault = (lines: readonly string[]): string | null => {
  const wrong = lines.find((line) => !/^[^=]+=./.test(line));
  return wrong === undefined ? null : `Write “${wrong}” as name=pattern`;
};

/** Splits at the first `=`: a pattern may contain more of them, a name none. */
const claimsOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));

const listOf = (ids: readonly string[]): string[] | null => (ids.length > 0 ? [...ids] : null);

/** In the form, an empty list means that there is no restriction. */
export const requestOf = ({ lifetimeMinutes, userId, ...form }: RuleForm): CreateTrustRuleRequest => ({
  ...form,
  claims: claimsOf(form.claims),
  userId: userId ?? '',
  environmentIds: listOf(form.environmentIds),
  planIds: listOf(form.planIds),
  tokenLifetimeSeconds: Math.round(Number(lifetimeMinutes) * 60),
});

export interface ProviderExample {
  name: string;
  issuer: string;
  subjects: [subject: string, meaning: string][];
}

export const EXAMPLES: readonly ProviderExample[] = [
  {
    name: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    subjects: [
      ['repo:acme/shop:ref:refs/heads/main', 'jobs of the branch main'],
      ['repo:acme/shop:environment:production', 'jobs with the environment production'],
      ['repo:acme/shop:ref:refs/tags/v*', 'jobs of tags that begin with v'],
    ],
  },
  {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    subjects: [
      ['project_path:acme/shop:ref_type:branch:ref:main', 'jobs of the branch main'],
      ['project_path:acme/*:ref_type:branch:ref:main', 'jobs of the branch main in all projects of a group'],
    ],
  },
];
