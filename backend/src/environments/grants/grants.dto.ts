import { IsOneOf } from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { GRANT_LEVELS, type GrantLevel } from '../grant-policy.js';

export class PutGrantRequest {
  /**
   * `view`: may see the environment. `run`: may also change its servers and variables, and run there. `approve`: may
   * also approve runs.
   * @example "run"
   */
  @IsOneOf(GRANT_LEVELS)
  level: GrantLevel;
}

export class ListGrantsQuery extends PageQuery {
  /** `createdAt`: time when the member was added. */
  @SortBy(['name', 'email', 'createdAt'])
  sort?: string;
}
