import { SortBy } from '../common/http/filters.js';
import { PageQuery } from '../common/http/page.dto.js';

export class ListSessionsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}
