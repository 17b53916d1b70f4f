import { QueryList } from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './deliveries.view.js';

export class ListDeliveriesQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  /** Repeat the parameter for several statuses. */
  @QueryList(DELIVERY_STATUSES)
  status?: DeliveryStatus[];
}
