import { OmitType } from '@nestjs/swagger';
import { MaybeOneOf } from '../../common/http/fields.js';
import { ListServersQuery } from '../servers.dto.js';
import { EXPORT_FORMATS, type ExportFormat } from './export-formats.js';

/** The filters of the list of servers, and in which form they are wanted. */
export class ExportServersQuery extends OmitType(ListServersQuery, ['limit', 'cursor', 'sort', 'count']) {
  /**
   * `json` can be imported again; `ansible-json` is what Ansible's inventory scripts print for `--list`; `known_hosts` holds
   * the pinned host keys, as OpenSSH reads them.
   */
  @MaybeOneOf(EXPORT_FORMATS)
  format?: ExportFormat;
}
