import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';

export class ListSessionsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}
