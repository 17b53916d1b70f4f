import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import {
  IsText,
  PartialUpdateOf,
  IsOptionalField,
  OptionalOneOf,
  NotBlank,
  QueryText,
  RecordId,
  RequiredTextLine,
  OptionalBoolean,
} from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { OptionalScopeIds } from '../tokens/token-scope.dto.js';
import { OptionalClaimPatterns } from './claim-patterns.js';
import { MAX_SUBJECT_LENGTH } from './identity-token.js';
import { MAX_ISSUER_LENGTH } from './issuer-url.js';

const MIN_LIFETIME_SECONDS = 60;
/** Maximum and default lifetime of issued tokens, in seconds. It is long because a job may wait for its run. */
export const MAX_LIFETIME_SECONDS = 3600;
const LIFETIME_ADVICE = {
  message: `tokenLifetimeSeconds must be a whole number of seconds from ${MIN_LIFETIME_SECONDS} to ${MAX_LIFETIME_SECONDS}`,
};

export class CreateTrustRuleRequest {
  /** @example "shop, main branch" */
  @RequiredTextLine(100)
  name: string;

  /**
   * Exact value of the tokens' `iss`. GitHub: `https://token.actions.githubusercontent.com`, GitLab: the address of the
   * instance, such as `https://gitlab.com`.
   * @example "https://token.actions.githubusercontent.com"
   */
  @RequiredTextLine(MAX_ISSUER_LENGTH)
  issuer: string;

  /**
   * Required `aud` of the tokens, which the job requests from its provider. Recommended: the address of this service.
   * @example "https://runward.example.com"
   */
  @RequiredTextLine(500)
  audience: string;

  /**
   * Required `sub` of the tokens; `*` matches any characters. GitHub: `repo:acme/shop:ref:refs/heads/main`,
   * `repo:acme/shop:environment:production`. GitLab: `project_path:acme/shop:ref_type:branch:ref:main`. The first two
   * parts must be complete before the first `*`.
   * @example "repo:acme/shop:ref:refs/heads/main"
   */
  @RequiredTextLine(MAX_SUBJECT_LENGTH)
  subject: string;

  /**
   * Further claims that the tokens must have, by name. A value is a pattern as in `subject`, but `*` may come first. A
   * number or boolean is compared as text; of a list, one item must match; a missing claim never matches. `PATCH`
   * replaces all claims. Default: none.
   */
  @OptionalClaimPatterns()
  claims?: Record<string, string>;

  /** Service account or other member as which the token acts. */
  @RecordId()
  userId: string;

  /** Access level of issued tokens. Default: `run`. */
  @OptionalOneOf(TOKEN_ACCESS)
  access?: TokenAccess;

  /**
   * Only these environments. Null or absent: all that the member can see; with `planIds`, the environments to which
   * these plans are bound when the rule is saved. Required for a plan without an environment (400
   * `environments_required`).
   */
  @OptionalScopeIds('environment', true)
  environmentIds?: string[] | null;

  /** Only these plans and their runs, in `environmentIds`. Null or absent: all that the member can see. */
  @OptionalScopeIds('plan', true)
  planIds?: string[] | null;

  /** Lifetime of issued tokens, in seconds. Default: 3600. */
  @ApiProperty({ type: 'integer', required: false, minimum: MIN_LIFETIME_SECONDS, maximum: MAX_LIFETIME_SECONDS })
  @IsOptionalField()
  @IsInt(LIFETIME_ADVICE)
  @Min(MIN_LIFETIME_SECONDS, LIFETIME_ADVICE)
  @Max(MAX_LIFETIME_SECONDS, LIFETIME_ADVICE)
  tokenLifetimeSeconds?: number;

  /** Default: true. */
  @OptionalBoolean()
  enabled?: boolean;
}

export class UpdateTrustRuleRequest extends PartialUpdateOf(CreateTrustRuleRequest) {}

export class ListTrustRulesQuery extends PageQuery {
  @SortBy(['name', 'createdAt'])
  sort?: string;

  /** Part of the rule's name. */
  @QueryText()
  q?: string;

  /** Only rules for this member. */
  @QueryId()
  userId?: string;
}

/** Maximum length of a token in characters; the request body may have 16 KiB. */
const MAX_TOKEN_LENGTH = 15_000;

export class TryTokenRequest {
  /** Token of the identity provider. It is not stored. */
  @IsText(MAX_TOKEN_LENGTH)
  @NotBlank()
  token: string;
}

export class ExchangeTokenRequest extends TryTokenRequest {
  /** Name of the tenant; required only if several tenants trust the token. */
  @IsOptionalField()
  @IsText(100)
  @NotBlank()
  tenant?: string;
}
