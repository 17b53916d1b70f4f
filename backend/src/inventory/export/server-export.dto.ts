import { MaybeOneOf, QueryText } from '../../common/http/fields.js';
import { QueryId } from '../../common/http/paging/filters.js';
import { EXPORT_FORMATS, type ExportFormat } from './export-formats.js';

export class ExportServersQuery {
  /** `json` can be imported again; `ansible-json` is what Ansible's inventory scripts print for `--list`. */
  @MaybeOneOf(EXPORT_FORMATS)
  format?: ExportFormat;

  @QueryId()
  environmentId?: string;

  /**
   * Label selector over tags and names.
   * @example "role=web,region in (eu, us)"
   */
  @QueryText(1000)
  selector?: string;
}
