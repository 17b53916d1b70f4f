import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import {
  AnyText,
  ChangeOf,
  Maybe,
  MaybeOneOf,
  NotBlank,
  QueryText,
  RecordId,
  Text,
  YesNo,
} from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { MaybeScopeIds } from '../tokens/token-scope.dto.js';
import { MOST_SUBJECT } from './identity-token.js';
import { MOST_ISSUER } from './issuer-url.js';

const SHORTEST_LIFETIME = 60;
/** Seconds, and what is usual: a job may wait long for its run. */
export const LONGEST_LIFETIME = 3600;
const LIFETIME_ADVICE = {
  message: `tokenLifetimeSeconds must be a whole number of seconds from ${SHORTEST_LIFETIME} to ${LONGEST_LIFETIME}`,
};

export class CreateTrustRuleRequest {
  /** @example "shop, main branch" */
  @Text(100)
  name: string;

  /**
   * The address that tokens carry as `iss`, letter by letter. GitHub: `https://token.actions.githubusercontent.com`,
   * GitLab: the address of the instance, such as `https://gitlab.com`.
   * @example "https://token.actions.githubusercontent.com"
   */
  @Text(MOST_ISSUER)
  issuer: string;

  /**
   * What tokens have to carry as `aud`: what the job asks its provider for. The address of this service is a good one.
   * @example "https://runward.example.com"
   */
  @Text(500)
  audience: string;

  /**
   * What tokens have to carry as `sub`; `*` stands for any characters. GitHub: `repo:acme/shop:ref:refs/heads/main`,
   * `repo:acme/shop:environment:production`. GitLab: `project_path:acme/shop:ref_type:branch:ref:main`. Two parts have
   * to be whole before the first `*`.
   * @example "repo:acme/shop:ref:refs/heads/main"
   */
  @Text(MOST_SUBJECT)
  subject: string;

  /** The service account, or other member, as whom the token acts. */
  @RecordId()
  userId: string;

  /** `run` unless given. */
  @MaybeOneOf(TOKEN_ACCESS)
  access?: TokenAccess;

  /**
   * Only these environments; null or absent: all that the member sees, or, with `planIds`, the environments that these
   * plans are bound to when the rule is saved. For a plan that is bound to none they have to be named (400
   * `environments_required`).
   */
  @MaybeScopeIds('environment', true)
  environmentIds?: string[] | null;

  /** Only these plans and their runs, in `environmentIds`; null or absent: all that the member sees. */
  @MaybeScopeIds('plan', true)
  planIds?: string[] | null;

  /** How long a token lasts that is given; 3600 unless given. */
  @ApiProperty({ type: 'integer', required: false, minimum: SHORTEST_LIFETIME, maximum: LONGEST_LIFETIME })
  @Maybe()
  @IsInt(LIFETIME_ADVICE)
  @Min(SHORTEST_LIFETIME, LIFETIME_ADVICE)
  @Max(LONGEST_LIFETIME, LIFETIME_ADVICE)
  tokenLifetimeSeconds?: number;

  /** True unless given. */
  @YesNo()
  enabled?: boolean;
}

export class UpdateTrustRuleRequest extends ChangeOf(CreateTrustRuleRequest) {}

export class ListTrustRulesQuery extends PageQuery {
  @SortBy(['name', 'createdAt'])
  sort?: string;

  /** Part of the name. */
  @QueryText()
  q?: string;

  /** Rules that give tokens of this member. */
  @QueryId()
  userId?: string;
}

/** Longest token that is looked at; the body may have 16 KiB. */
const MOST_TOKEN = 15_000;

export class TryTokenRequest {
  /** A token as the identity provider gave it. It is not kept. */
  @AnyText(MOST_TOKEN)
  @NotBlank()
  token: string;
}

export class ExchangeTokenRequest extends TryTokenRequest {
  /** Name of the tenant; only needed where several trust the token. */
  @Maybe()
  @AnyText(100)
  @NotBlank()
  tenant?: string;
}
